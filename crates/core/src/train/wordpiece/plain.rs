//! Training by likelihood written down plainly: the twin that the fast one is held to.

use super::WordPieceTrainer;
use crate::train::counts::WordCounts;
use std::collections::{BTreeSet, HashMap};

/// The entries; everything is counted anew before each merge.
pub(super) fn plainly(trainer: &WordPieceTrainer, words: &WordCounts) -> Vec<String> {
    let (mut vocab, mut cut) = alphabet(trainer, words);
    while vocab.len() < trainer.vocab_size {
        let mut single: HashMap<&str, u128> = HashMap::new();
        let mut pairs: Vec<((&str, &str), u128)> = Vec::new();
        for (word, count) in &cut {
            for symbol in word {
                *single.entry(symbol).or_default() += count;
            }
            for two in word.windows(2) {
                let pair = (two[0].as_str(), two[1].as_str());
                match pairs.iter_mut().find(|(known, _)| *known == pair) {
                    Some((_, sum)) => *sum += count,
                    None => pairs.push((pair, *count)),
                }
            }
        }
        let least = u128::from(trainer.min_frequency.max(1));
        let mut best: Option<((&str, &str), u128, u128)> = None;
        for &((a, b), count) in pairs.iter().filter(|(_, count)| *count >= least) {
            let denominator = single[a] * single[b];
            if best.is_none_or(|(_, most, below)| count * below > most * denominator) {
                best = Some(((a, b), count, denominator));
            }
        }
        let Some(((a, b), ..)) = best else { break };
        let (a, b) = (a.to_owned(), b.to_owned());
        let prefix = trainer.continuing_subword_prefix.as_deref().unwrap_or("");
        let text = format!("{a}{}", b.strip_prefix(prefix).unwrap_or(&b));
        if !vocab.contains(&text) {
            vocab.push(text.clone());
        }
        for (word, _) in &mut cut {
            let mut i = 0;
            while i + 1 < word.len() {
                if word[i] == a && word[i + 1] == b {
                    word.splice(i..i + 2, [text.clone()]);
                }
                i += 1;
            }
        }
    }
    vocab
}

/// A word as symbols, and its count.
type Cut = (Vec<String>, u128);

fn alphabet(trainer: &WordPieceTrainer, words: &WordCounts) -> (Vec<String>, Vec<Cut>) {
    let prefix = trainer.continuing_subword_prefix.as_deref().unwrap_or("");
    let suffix = trainer.end_of_word_suffix.as_deref().unwrap_or("");
    let mut vocab: Vec<String> = Vec::new();
    let mut intern = |token: String| {
        if !vocab.contains(&token) {
            vocab.push(token);
        }
    };
    trainer.special_tokens.iter().cloned().for_each(&mut intern);
    let characters: BTreeSet<char> =
        words.iter().flat_map(|(word, _)| word.chars()).chain(trainer.initial_alphabet.iter().copied()).collect();
    characters.iter().map(char::to_string).for_each(&mut intern);
    // Sorted: character, last, inside.
    let mut forms = BTreeSet::new();
    let mut cut = Vec::new();
    for (word, count) in words.iter() {
        let last = word.chars().count().saturating_sub(1);
        let symbols = word.chars().enumerate().map(|(i, c)| (c, i == last, i > 0));
        forms.extend(symbols.clone());
        let text =
            |(c, last, inside)| format!("{}{c}{}", if inside { prefix } else { "" }, if last { suffix } else { "" });
        cut.push((symbols.map(text).collect(), count.cast_unsigned().into()));
    }
    for (c, last, inside) in forms {
        intern(format!("{}{c}{}", if inside { prefix } else { "" }, if last { suffix } else { "" }));
    }
    (vocab, cut)
}
