//! Training of Unigram: many substrings of the corpus to start from, then those that the corpus misses least.
//!
//! Source: Kudo 2018, "Subword Regularization"; behaviour of `tokenizers` 0.23.3 (`UnigramTrainer`) for the seeds, the
//! thresholds and the order of ties. Where the reference follows the order of a random hash map, characters are sorted; where
//! it returns more entries than asked for or never ends, the size asked for is kept.
//!
//! The parts: [`corpus`] (all words in one array), [`radix`] and [`suffixes`] (repeated substrings), [`seeds`] (which of them to start from),
//! [`pieces`] (the pieces and where they match), [`expect`] with [`levels`] and [`fit`] (expectation maximization), [`paths`] (best
//! segmentations), [`window`] (numbers that go along with a word), [`prune`] (what is dropped), [`finish`] (the vocabulary),
//! [`crew`] (threads).
//!
//! All of it is the same to the last bit for any number of threads: sums are formed in blocks of words that depend on the words
//! alone, and added up in the order of the blocks.

#![expect(clippy::cast_precision_loss, reason = "sums of counts are floating-point numbers, exact up to 2^53")]

mod corpus;
mod crew;
mod expect;
mod finish;
mod fit;
mod levels;
mod paths;
mod pieces;
#[cfg(test)]
mod plain;
mod prune;
mod radix;
mod seeds;
mod suffixes;
#[cfg(test)]
mod tests;
mod window;

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::train::counts::WordCounts;
use crate::train::progress::Progress;

use corpus::Corpus;
use crew::Crew;

/// Enough prunings to estimate progress by.
const MOST_PRUNINGS: u64 = 1000;

/// The parameters of Unigram training, as in the reference.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnigramTrainer {
    /// Entries to reach, special tokens and alphabet included.
    pub vocab_size: usize,
    /// The first entries, in this order.
    pub special_tokens: Vec<String>,
    /// Characters that become entries whether or not they occur.
    pub initial_alphabet: Vec<char>,
    /// Part of the pieces that a round of pruning keeps; at least 0, below 1.
    pub shrinking_factor: f64,
    /// The entry for unknown characters; it comes first if it is not a special token.
    pub unk_token: Option<String>,
    /// Most characters of a piece.
    pub max_piece_length: usize,
    /// Rounds of expectation maximization before each pruning.
    pub n_sub_iterations: usize,
    /// Most pieces to start from; single characters are always among them.
    pub seed_size: usize,
}

impl Default for UnigramTrainer {
    fn default() -> Self {
        Self {
            vocab_size: 8000,
            special_tokens: Vec::new(),
            initial_alphabet: Vec::new(),
            shrinking_factor: 0.75,
            unk_token: None,
            max_piece_length: 16,
            n_sub_iterations: 2,
            seed_size: 1_000_000,
        }
    }
}

/// What Unigram training gives.
#[derive(Debug, Clone, PartialEq)]
pub struct UnigramTrained {
    /// The entries with their scores, natural logarithms of probabilities; the index is the id. Special tokens have the score 0.
    pub vocab: Vec<(String, f64)>,
    /// The id of the entry for unknown characters.
    pub unk_id: Option<u32>,
}

impl UnigramTrainer {
    /// Learn a vocabulary with scores from `words`.
    ///
    /// The result depends on the words, their counts and their order, not on `threads`. Words whose count is 0 do not exist.
    /// Time is linear in the characters of the distinct words, but for a logarithm in the sorting of their suffixes.
    ///
    /// # Errors
    /// [`Error::Training`] if `vocab_size` does not hold the characters and the special tokens (the message names the smallest
    /// size that does), `shrinking_factor` is not in its range, the counts do not fit (negative, or sums beyond 63 bits), or
    /// there are 2^32 distinct characters of text or more; whatever `progress` returns.
    pub fn train(&self, words: &WordCounts, threads: usize, progress: &mut dyn Progress) -> Result<UnigramTrained> {
        words.check()?;
        if !(0.0..1.0).contains(&self.shrinking_factor) {
            let given = self.shrinking_factor;
            return Err(Error::Training(format!("shrinking_factor is `{given}`, it must be at least 0 and below 1")));
        }
        let corpus = Corpus::read(words, &self.initial_alphabet)?;
        let Corpus { symbols, frequencies, extent, scale, required } = corpus;
        let room = self.room(required.len())?;
        let mut crew = Crew::new(threads, progress);
        let weights: Vec<f64> = frequencies.iter().map(|&n| n as f64 * scale).collect();
        let mut pieces = seeds::collect(self, symbols, &weights, &extent, &mut crew)?;
        // A place is taken by the unknown piece, as in the reference.
        let desired = self.vocab_size.saturating_mul(11) / 10;
        let mut fitting = fit::Fitting::new(words, &extent, scale);
        crew.stage("Fit pieces", self.estimate(pieces.len() + 1, desired).saturating_mul(fitting.size()))?;
        loop {
            for _ in 0..self.n_sub_iterations {
                fitting.improve(&mut pieces, &mut crew)?;
            }
            if pieces.len() < desired {
                break;
            }
            let target = part(pieces.len() + 1, self.shrinking_factor);
            if !prune::prune(&mut pieces, &fitting, target.max(desired), &mut crew)? {
                break;
            }
        }
        crew.end_stage()?;
        Ok(finish::vocabulary(self, &pieces, words, &extent, &required, room))
    }

    /// How many entries there are beside the special tokens and the unknown one.
    fn room(&self, required: usize) -> Result<usize> {
        let front = self.special_tokens.len() + usize::from(self.has_unknown_in_front());
        match self.vocab_size.checked_sub(front) {
            Some(room) if room >= required => Ok(room),
            _ => Err(Error::Training(format!(
                "vocab_size is `{}`, below `{}`, the smallest size possible: {required} characters of the corpus and the \
                 initial alphabet, {front} special tokens",
                self.vocab_size,
                required + front
            ))),
        }
    }

    fn has_unknown_in_front(&self) -> bool {
        self.unk_token.as_ref().is_some_and(|unk| !self.special_tokens.contains(unk))
    }

    /// How often the corpus will be gone through, about.
    fn estimate(&self, mut pieces: usize, desired: usize) -> u64 {
        let mut prunings = 0;
        while pieces > desired && prunings < MOST_PRUNINGS {
            pieces = part(pieces, self.shrinking_factor);
            prunings += 1;
        }
        (self.n_sub_iterations as u64).saturating_mul(prunings + 1).saturating_add(prunings)
    }
}

/// A part of a number, rounded down.
#[expect(clippy::cast_sign_loss, reason = "the factor is not negative")]
fn part(whole: usize, factor: f64) -> usize {
    (whole as f64 * factor) as usize
}
