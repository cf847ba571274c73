//! The words of one language, and its pairs by count.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::error::Result;
use crate::train::bpe::alphabet::{Alphabet, by_count};
use crate::train::bpe::pairs::{Key, key};
use crate::train::bpe::step::{Change, Side, Step, replace_all};
use crate::train::bpe::symbols::Symbols;
use crate::train::bpe::vocabulary::Vocabulary;
use crate::train::counts::WordCounts;
use crate::train::progress::Progress;

/// Words as symbols, with counts of the pairs as they are now.
pub(super) struct Language {
    symbols: Symbols,
    pairs: HashMap<Key, Pair, RandomState>,
    /// Empty where nobody asks for the best pair.
    heap: BinaryHeap<Item>,
    ranked: bool,
    initial_length: i64,
    length: i64,
    min_frequency: i64,
    max_length: u32,
    step: Step,
}

#[derive(Default)]
struct Pair {
    /// Below 0 for a pair that is too long, whose additions were not counted.
    count: i64,
    positions: Vec<u32>,
}

/// A pair with the count it had when it was put in.
#[derive(PartialEq, Eq)]
struct Item {
    count: i64,
    texts: (Arc<str>, Arc<str>),
    pair: (u32, u32),
}

impl Ord for Item {
    /// Greater is next: the higher count, then the larger texts.
    fn cmp(&self, other: &Self) -> Ordering {
        self.count.cmp(&other.count).then_with(|| self.texts.cmp(&other.texts))
    }
}

impl PartialOrd for Item {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Language {
    pub(super) fn new(symbols: Symbols, min_frequency: u64, max_token_length: Option<usize>) -> Self {
        let mut length = 0;
        symbols.for_each_initial_symbol(|_, count| length += count);
        let mut pairs: HashMap<Key, Pair, RandomState> = HashMap::default();
        symbols.for_each_initial_pair(0..symbols.len() - 1, |left, right, at, count| {
            let pair = pairs.entry(key(left, right)).or_default();
            pair.count += count;
            pair.positions.push(at);
        });
        Self {
            symbols,
            pairs,
            heap: BinaryHeap::new(),
            ranked: false,
            initial_length: length,
            length,
            min_frequency: i64::try_from(min_frequency.max(1)).unwrap_or(i64::MAX),
            max_length: max_token_length.and_then(|n| u32::try_from(n).ok()).unwrap_or(u32::MAX),
            step: Step::default(),
        }
    }

    /// All languages as one.
    pub(super) fn joined(
        alphabet: &Alphabet,
        languages: &[&WordCounts],
        min_frequency: u64,
        max_token_length: Option<usize>,
        progress: &mut dyn Progress,
    ) -> Result<Self> {
        let words: WordCounts = languages.iter().flat_map(|words| words.iter()).collect();
        let symbols = alphabet.segment(&words, &by_count(&words), progress)?;
        Ok(Self::new(symbols, min_frequency, max_token_length))
    }

    /// Get ready to tell the best pair.
    pub(super) fn rank_pairs(&mut self, vocabulary: &Vocabulary) {
        self.ranked = true;
        let keys: Vec<Key> = self.pairs.keys().copied().collect();
        for key in keys {
            self.push(key, vocabulary);
        }
    }

    /// How many symbols there are, weighted by the counts of the words.
    pub(super) fn length(&self) -> i64 {
        self.length
    }

    /// The length before the first merge.
    pub(super) fn initial_length(&self) -> i64 {
        self.initial_length
    }

    /// The most frequent pair that is frequent enough; of equal ones that with the larger texts.
    pub(super) fn best(&mut self, vocabulary: &Vocabulary) -> Option<(u32, u32)> {
        loop {
            let Item { count, pair, .. } = self.heap.peek()?;
            let (count, pair) = (*count, *pair);
            if self.pairs[&key(pair.0, pair.1)].count == count {
                return Some(pair);
            }
            self.heap.pop();
            self.push(key(pair.0, pair.1), vocabulary);
        }
    }

    fn push(&mut self, key: Key, vocabulary: &Vocabulary) {
        let count = self.pairs[&key].count;
        if self.ranked && count >= self.min_frequency {
            let pair = ((key >> 32) as u32, key as u32);
            let texts = (vocabulary.token(pair.0).into(), vocabulary.token(pair.1).into());
            self.heap.push(Item { count, texts, pair });
        }
    }

    /// Replace a pair by `id` everywhere.
    pub(super) fn merge(
        &mut self,
        (left, right): (u32, u32),
        id: u32,
        vocabulary: &Vocabulary,
        progress: &mut dyn Progress,
    ) -> Result<()> {
        let Some(pair) = self.pairs.get_mut(&key(left, right)).filter(|pair| pair.count > 0) else { return Ok(()) };
        let mut positions = std::mem::take(&mut pair.positions);
        // Places that came with an id that was not new may stand behind later ones.
        if !positions.is_sorted() {
            positions.sort_unstable();
        }
        let ids = vocabulary.len();
        self.step.before.changes.resize(ids, Change::default());
        self.step.after.changes.resize(ids, Change::default());
        self.step.merged = 0;
        replace_all(&mut self.symbols, &mut self.step, &positions, (left, right), id, self.max_length, progress)?;
        self.length -= self.step.merged;
        let Step { mut before, mut after, .. } = std::mem::take(&mut self.step);
        let mut grown = self.grow_pairs(&mut before, |neighbour| key(neighbour, id));
        grown.extend(self.grow_pairs(&mut after, |neighbour| key(id, neighbour)));
        self.shrink_pairs(&mut before, |neighbour| key(neighbour, left));
        self.shrink_pairs(&mut after, |neighbour| key(right, neighbour));
        self.step = Step { before, after, ..Step::default() };
        if let Some(pair) = self.pairs.get_mut(&key(left, right)) {
            pair.count = 0;
        }
        for key in grown {
            self.push(key, vocabulary);
        }
        Ok(())
    }

    fn grow_pairs(&mut self, side: &mut Side, key_of: impl Fn(u32) -> Key) -> Vec<Key> {
        let mut grown = Vec::new();
        for &neighbour in &side.touched {
            let Change { added, times, .. } = side.changes[neighbour as usize];
            if times > 0 {
                let key = key_of(neighbour);
                self.pairs.entry(key).or_default().count += added;
                grown.push(key);
            }
        }
        for (neighbour, at) in side.positions.drain(..) {
            self.pairs.entry(key_of(neighbour)).or_default().positions.push(at);
        }
        grown
    }

    fn shrink_pairs(&mut self, side: &mut Side, key_of: impl Fn(u32) -> Key) {
        for neighbour in side.touched.drain(..) {
            let Change { removed, .. } = std::mem::take(&mut side.changes[neighbour as usize]);
            if removed > 0 {
                let pair = self.pairs.entry(key_of(neighbour)).or_default();
                pair.count -= removed;
                if pair.count <= 0 {
                    pair.positions = Vec::new();
                }
            }
        }
    }
}
