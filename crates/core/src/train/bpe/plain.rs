//! The reference's training written down plainly: the twin that the fast one is held to.

use std::collections::{BTreeSet, HashMap};

use super::{BpeTrained, BpeTrainer};
use crate::train::counts::WordCounts;

type Pair = (u32, u32);

/// A symbol: its id, and how many initial symbols it is made of.
type Symbol = (u32, usize);

/// An entry of the queue: a pair with the count it had, and the words in which one step saw it.
struct Entry {
    count: u64,
    pair: Pair,
    age: usize,
    words: BTreeSet<usize>,
}

struct Plain<'a> {
    trainer: &'a BpeTrainer,
    vocab: Vec<String>,
    words: Vec<Vec<Symbol>>,
    word_counts: Vec<i64>,
    pair_counts: HashMap<Pair, i64>,
    queue: Vec<Entry>,
    born: usize,
}

/// Train by the book. Every word has a count above 0.
pub(super) fn plainly(trainer: &BpeTrainer, words: &WordCounts) -> BpeTrained {
    let mut plain = Plain {
        trainer,
        vocab: Vec::new(),
        words: Vec::new(),
        word_counts: words.iter().map(|(_, count)| count).collect(),
        pair_counts: HashMap::new(),
        queue: Vec::new(),
        born: 0,
    };
    for token in &trainer.special_tokens {
        plain.intern(token);
    }
    plain.cut(words);
    plain.count_pairs();
    let mut merges: Vec<Pair> = Vec::new();
    while plain.vocab.len() < trainer.vocab_size {
        let Some(entry) = plain.next() else { break };
        if entry.count < trainer.min_frequency.max(1) {
            break;
        }
        merges.retain(|&pair| pair != entry.pair);
        merges.push(entry.pair);
        plain.merge(entry);
    }
    BpeTrained { vocab: plain.vocab, merges }
}

impl Plain<'_> {
    fn intern(&mut self, token: &str) -> u32 {
        let known = self.vocab.iter().position(|known| known == token);
        known.unwrap_or_else(|| {
            self.vocab.push(token.to_owned());
            self.vocab.len() - 1
        }) as u32
    }

    /// Settle the alphabet, and cut words into its symbols.
    fn cut(&mut self, words: &WordCounts) {
        let mut characters: HashMap<char, i64> = HashMap::new();
        for (word, count) in words.iter() {
            for c in word.chars() {
                *characters.entry(c).or_default() += count;
            }
        }
        characters.extend(self.trainer.initial_alphabet.iter().map(|&c| (c, i64::MAX)));
        let mut alphabet: Vec<char> = characters.keys().copied().collect();
        alphabet.sort_by_key(|c| (-characters[c], *c));
        alphabet.truncate(self.trainer.limit_alphabet.unwrap_or(usize::MAX));
        alphabet.sort_unstable();
        for c in alphabet {
            self.intern(&c.to_string());
        }
        let single = self.vocab.clone();
        let prefix = self.trainer.continuing_subword_prefix.as_deref().unwrap_or("");
        let suffix = self.trainer.end_of_word_suffix.as_deref().unwrap_or("");
        // Sorted: character, last, inside.
        let mut forms = BTreeSet::new();
        let mut cut = Vec::new();
        for (word, _) in words.iter() {
            let last = word.chars().count().saturating_sub(1);
            let symbols = word.chars().enumerate().filter(|(_, c)| single.contains(&c.to_string()));
            let symbols: Vec<_> = symbols.map(|(i, c)| (c, i == last, i > 0)).collect();
            forms.extend(symbols.iter().copied());
            cut.push(symbols);
        }
        let ids: HashMap<_, u32> = forms
            .into_iter()
            .map(|(c, last, inside)| {
                let text = format!("{}{c}{}", if inside { prefix } else { "" }, if last { suffix } else { "" });
                ((c, last, inside), self.intern(&text))
            })
            .collect();
        self.words = cut.into_iter().map(|word| word.into_iter().map(|form| (ids[&form], 1)).collect()).collect();
    }

    fn count_pairs(&mut self) {
        let mut seen: HashMap<Pair, BTreeSet<usize>> = HashMap::new();
        for (i, word) in self.words.iter().enumerate() {
            for symbols in word.windows(2) {
                let pair = (symbols[0].0, symbols[1].0);
                *self.pair_counts.entry(pair).or_default() += self.word_counts[i];
                seen.entry(pair).or_default().insert(i);
            }
        }
        self.fill(seen);
    }

    fn fill(&mut self, seen: HashMap<Pair, BTreeSet<usize>>) {
        for (pair, words) in seen {
            let count = self.pair_counts[&pair];
            self.born += 1;
            if count > 0 {
                self.queue.push(Entry { count: count.cast_unsigned(), pair, age: self.born, words });
            }
        }
    }

    fn next(&mut self) -> Option<Entry> {
        loop {
            let rank = |entry: &Entry| (u64::MAX - entry.count, entry.pair, entry.age);
            let first = (0..self.queue.len()).min_by_key(|&i| rank(&self.queue[i]))?;
            let entry = self.queue.swap_remove(first);
            let current = self.pair_counts[&entry.pair].cast_unsigned();
            if entry.count == current {
                return Some(entry);
            }
            self.queue.push(Entry { count: current, ..entry });
        }
    }

    fn merge(&mut self, entry: Entry) {
        let (a, b) = entry.pair;
        let prefix = self.trainer.continuing_subword_prefix.as_deref().unwrap_or("");
        let right = self.vocab[b as usize].clone();
        let id = self.intern(&format!("{}{}", self.vocab[a as usize], right.strip_prefix(prefix).unwrap_or(&right)));
        let limit = self.trainer.max_token_length.unwrap_or(usize::MAX);
        let mut seen: HashMap<Pair, BTreeSet<usize>> = HashMap::new();
        for i in entry.words {
            let word = &mut self.words[i];
            let mut change = |pair: Pair, by: i64| {
                *self.pair_counts.entry(pair).or_default() += by * self.word_counts[i];
                if by > 0 {
                    seen.entry(pair).or_default().insert(i);
                }
            };
            let mut j = 0;
            while j + 1 < word.len() {
                if (word[j].0, word[j + 1].0) == (a, b) {
                    let length = word[j].1 + word[j + 1].1;
                    if j > 0 {
                        change((word[j - 1].0, a), -1);
                        if word[j - 1].1 + length < limit {
                            change((word[j - 1].0, id), 1);
                        }
                    }
                    word.splice(j..j + 2, [(id, length)]);
                    if let Some(&next) = word.get(j + 1) {
                        change((b, next.0), -1);
                        if next.1 + length < limit {
                            change((id, next.0), 1);
                        }
                    }
                }
                j += 1;
            }
        }
        self.fill(seen);
    }
}
