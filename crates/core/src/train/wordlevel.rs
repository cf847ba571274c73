//! Training of a word-level vocabulary: the most frequent words.

use std::cmp::Reverse;

use serde::Deserialize;

use super::counts::WordCounts;

/// The parameters of word-level training, as in the reference.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordLevelTrainer {
    /// Entries to reach, special tokens included.
    pub vocab_size: usize,
    /// Rarer words are left out.
    pub min_frequency: u64,
    /// The first entries, in this order.
    pub special_tokens: Vec<String>,
}

impl Default for WordLevelTrainer {
    fn default() -> Self {
        Self { vocab_size: 30_000, min_frequency: 0, special_tokens: Vec::new() }
    }
}

impl WordLevelTrainer {
    /// The entries in the order of their ids: special tokens, then words by count descending; of equal counts the smaller
    /// bytes come first. A text that occurs twice (a special token that is a word, too) has the later id.
    pub fn train<'a>(&'a self, words: &'a WordCounts) -> Vec<&'a str> {
        let enough = i64::try_from(self.min_frequency.max(1)).unwrap_or(i64::MAX);
        let mut ranked: Vec<(Reverse<i64>, &str)> =
            words.iter().filter(|&(_, count)| count >= enough).map(|(word, count)| (Reverse(count), word)).collect();
        let room = self.vocab_size.saturating_sub(self.special_tokens.len());
        if room < ranked.len() {
            ranked.select_nth_unstable(room);
            ranked.truncate(room);
        }
        ranked.sort_unstable();
        let special = self.special_tokens.iter().map(String::as_str);
        special.chain(ranked.into_iter().map(|(_, word)| word)).take(self.vocab_size).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn train(trainer: &WordLevelTrainer, words: &[(&str, i64)]) -> String {
        let words: WordCounts = words.iter().copied().collect();
        trainer.train(&words).join(" ")
    }

    /// Source of the expected values: `tokenizers` 0.23.3, where the id of `a` is 3 and no token has the id 1.
    #[test]
    fn special_tokens_then_words_by_count_and_bytes() {
        let special_tokens = vec!["[UNK]".into(), "a".into()];
        let trainer = WordLevelTrainer { vocab_size: 5, special_tokens, ..WordLevelTrainer::default() };
        assert_eq!(train(&trainer, &[("b", 2), ("a", 2), ("c", 1), ("d", 3)]), "[UNK] a d a b");
    }

    #[test]
    fn rare_words_and_words_without_a_count_are_left_out() {
        let words = [("b", 2), ("a", 1), ("c", 0)];
        assert_eq!(train(&WordLevelTrainer::default(), &words), "b a");
        assert_eq!(train(&WordLevelTrainer { min_frequency: 2, ..WordLevelTrainer::default() }, &words), "b");
        assert_eq!(train(&WordLevelTrainer { vocab_size: 1, ..WordLevelTrainer::default() }, &words), "b");
        assert_eq!(train(&WordLevelTrainer { min_frequency: u64::MAX, ..WordLevelTrainer::default() }, &words), "");
    }

    #[test]
    fn more_special_tokens_than_entries() {
        let special_tokens = vec!["x".into(), "y".into()];
        let trainer = WordLevelTrainer { vocab_size: 1, special_tokens, ..WordLevelTrainer::default() };
        assert_eq!(train(&trainer, &[("b", 2)]), "x");
    }
}
