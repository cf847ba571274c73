//! Training of WordPiece: BPE with a prefix as in the reference, or merges by likelihood.
//!
//! The parts of scoring by likelihood: [`score`] (which pair is better), [`queue`] (which pair is next), [`likelihood`] (the
//! loop).

mod likelihood;
#[cfg(test)]
mod plain;
mod queue;
mod score;
#[cfg(test)]
mod tests;

use serde::Deserialize;

use super::bpe::BpeTrainer;
use crate::error::Result;
use crate::train::counts::WordCounts;
use crate::train::progress::Progress;

/// Which pair is merged next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scoring {
    /// The most frequent one, as in the reference.
    #[default]
    Frequency,
    /// The one with the greatest count of the pair / (count of its left part × count of its right part). Of equal pairs the one
    /// that comes first when the words are read in the order of their first appearance, as they are cut at that moment.
    /// Source: Schuster and Nakajima 2012, and the course of Hugging Face on WordPiece.
    Likelihood,
}

/// The parameters of WordPiece training.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordPieceTrainer {
    /// Entries to reach, special tokens and alphabet included; these are all kept even if they are more.
    pub vocab_size: usize,
    /// A pair that is less frequent is not merged; 0 and 1 are the same.
    pub min_frequency: u64,
    /// The first entries, in this order; repeats count once.
    pub special_tokens: Vec<String>,
    /// Characters to keep in the alphabet, the most frequent ones; all when `None`.
    pub limit_alphabet: Option<usize>,
    /// Characters of the alphabet whether or not they occur; they are the last that `limit_alphabet` removes.
    pub initial_alphabet: Vec<char>,
    /// Put before every symbol that does not begin a word; the model takes `##` when `None`.
    pub continuing_subword_prefix: Option<String>,
    /// Put behind every symbol that ends a word.
    pub end_of_word_suffix: Option<String>,
    /// Which pair is merged next.
    #[serde(default)]
    pub scoring: Scoring,
}

impl WordPieceTrainer {
    /// Learn the entries from `words`; the index is the id.
    ///
    /// By frequency the result depends on the words and their counts alone; by likelihood also on the order of the words,
    /// where pairs are equal.
    ///
    /// # Errors
    /// As [`BpeTrainer::train`].
    pub fn train(&self, words: &WordCounts, progress: &mut dyn Progress) -> Result<Vec<String>> {
        let trainer = BpeTrainer {
            vocab_size: self.vocab_size,
            min_frequency: self.min_frequency,
            special_tokens: self.special_tokens.clone(),
            limit_alphabet: self.limit_alphabet,
            initial_alphabet: self.initial_alphabet.clone(),
            continuing_subword_prefix: self.continuing_subword_prefix.clone(),
            end_of_word_suffix: self.end_of_word_suffix.clone(),
            ..BpeTrainer::default()
        };
        match self.scoring {
            Scoring::Frequency => Ok(trainer.train(words, progress)?.vocab),
            Scoring::Likelihood => likelihood::train(&trainer, words, progress),
        }
    }
}
