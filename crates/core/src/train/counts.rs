//! Words with their counts: what every trainer learns from.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::error::{Error, Result};

/// Distinct words with 64-bit counts, in the order in which they first appear in the corpus.
///
/// Memory is the bytes of the distinct words and 16 bytes for each.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct WordCounts {
    bytes: String,
    /// End of each word in `bytes`.
    ends: Vec<usize>,
    counts: Vec<i64>,
}

impl WordCounts {
    /// No words.
    pub fn new() -> Self {
        Self::default()
    }

    /// Append a word that is not there yet; the caller vouches for that.
    pub fn push(&mut self, word: &str, count: i64) {
        self.bytes.push_str(word);
        self.ends.push(self.bytes.len());
        self.counts.push(count);
    }

    /// Add to the count of the word at `index`; a sum beyond 63 bits stays at the highest number.
    ///
    /// # Panics
    /// If `index` is not below [`Self::len`].
    pub fn add(&mut self, index: usize, count: i64) {
        self.counts[index] = self.counts[index].saturating_add(count);
    }

    /// How many distinct words there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The word at `index`.
    ///
    /// # Panics
    /// If `index` is not below [`Self::len`].
    pub fn word(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    /// The count of the word at `index`.
    ///
    /// # Panics
    /// If `index` is not below [`Self::len`].
    pub fn count(&self, index: usize) -> i64 {
        self.counts[index]
    }

    /// Words and counts in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, i64)> {
        (0..self.len()).map(|i| (self.word(i), self.counts[i]))
    }

    /// The sum of all counts, or the highest number if it is larger.
    pub fn total(&self) -> i64 {
        self.counts.iter().fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// The words that occur at least `min_count` times.
    #[must_use]
    pub fn pruned(&self, min_count: i64) -> Self {
        self.iter().filter(|&(_, count)| count >= min_count).collect()
    }

    /// The counts of several corpora added up; words in the order of their first appearance in the corpora one after the other.
    pub fn merged<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut tally = Tally::default();
        for (word, count) in parts.into_iter().flat_map(Self::iter) {
            tally.add(word, count);
        }
        tally.words
    }

    /// Whether every sum that a trainer forms fits: all counts are at least 0, and the bytes of all words, each times its
    /// count, are below 2^63 together.
    ///
    /// # Errors
    /// [`Error::Training`] if not.
    ///
    /// Returns that sum.
    pub fn check(&self) -> Result<i64> {
        let mut total: i64 = 0;
        for (word, count) in self.iter() {
            if count < 0 {
                return Err(Error::Training(format!("the count of `{word}` is `{count}`, below 0")));
            }
            total = i64::try_from(word.len())
                .ok()
                .and_then(|n| n.checked_mul(count))
                .and_then(|n| n.checked_add(total))
                .ok_or_else(|| Error::Training("the counts of the words sum up to more than 63 bits".to_owned()))?;
        }
        Ok(total)
    }
}

impl<S: AsRef<str>> FromIterator<(S, i64)> for WordCounts {
    /// The words of a mapping; each word occurs once.
    fn from_iter<I: IntoIterator<Item = (S, i64)>>(words: I) -> Self {
        let mut out = Self::new();
        for (word, count) in words {
            out.push(word.as_ref(), count);
        }
        out
    }
}

/// Words that may come more than once, while they are put together.
#[derive(Default)]
pub(super) struct Tally {
    /// The words so far.
    pub(super) words: WordCounts,
    known: HashTable<u32>,
    hasher: RandomState,
}

impl Tally {
    /// Count a word, which takes the place behind the others where it is new.
    pub(super) fn add(&mut self, word: &str, count: i64) {
        let Self { words, known, hasher } = self;
        let entry = known.entry(
            hasher.hash_one(word),
            |&i| words.word(i as usize) == word,
            |&i| hasher.hash_one(words.word(i as usize)),
        );
        match entry {
            Entry::Occupied(entry) => words.add(*entry.get() as usize, count),
            Entry::Vacant(entry) => {
                entry.insert(words.len() as u32);
                words.push(word, count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_order_and_counts() {
        let mut words: WordCounts = [("b", 2), ("", 1), ("äa", 1 << 40)].into_iter().collect();
        assert_eq!(words.iter().collect::<Vec<_>>(), [("b", 2), ("", 1), ("äa", 1 << 40)]);
        assert_eq!(words.word(2), "äa");
        assert_eq!(words.count(1), 1);
        words.check().unwrap();
        words.add(1, 6);
        words.add(2, i64::MAX);
        assert_eq!(words.iter().map(|(_, count)| count).collect::<Vec<_>>(), [2, 7, i64::MAX]);
    }

    #[test]
    fn corpora_are_added_up_and_rare_words_left_out() {
        let one: WordCounts = [("b", 2), ("a", 1)].into_iter().collect();
        let other: WordCounts = [("c", 1), ("a", i64::MAX)].into_iter().collect();
        let both = WordCounts::merged([&one, &other]);
        assert_eq!(both.iter().collect::<Vec<_>>(), [("b", 2), ("a", i64::MAX), ("c", 1)]);
        assert_eq!(both.total(), i64::MAX);
        assert_eq!(both.pruned(2).iter().collect::<Vec<_>>(), [("b", 2), ("a", i64::MAX)]);
        assert!(WordCounts::merged([]).is_empty());
    }

    #[test]
    fn sums_beyond_63_bits_are_refused() {
        let large: WordCounts = [("ab", i64::MAX / 2), ("c", 3)].into_iter().collect();
        assert!(matches!(large.check(), Err(Error::Training(_))));
        let negative: WordCounts = [("ab", -1)].into_iter().collect();
        assert!(matches!(negative.check(), Err(Error::Training(_))));
    }
}
