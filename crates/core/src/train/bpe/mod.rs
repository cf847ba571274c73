//! Training of byte-pair encoding: the most frequent pair of neighbours becomes an entry, again and again.
//!
//! Source: behaviour of `tokenizers` 0.23.3 (`BpeTrainer`); Sennrich et al. 2016. Merges and ids are the reference's wherever
//! it is deterministic. Where it follows the order of a random hash map, an order takes its place that depends on the set
//! of words alone: symbols with an affix get their ids sorted by character; characters that `limit_alphabet` cuts among
//! equal counts go from the highest code point down.
//!
//! The parts: [`vocabulary`] (entries), [`alphabet`] (which characters, which symbols), [`symbols`] (all words in one array),
//! [`pairs`] (counts of neighbours), [`queue`] (which pair is next), [`merge`] (the loop), [`step`]
//! (one replacement).

pub(super) mod alphabet;
mod extend;
mod merge;
pub(super) mod pairs;
#[cfg(test)]
mod plain;
mod queue;
pub(super) mod step;
pub(super) mod symbols;
#[cfg(test)]
mod tests;
pub(super) mod vocabulary;

use serde::Deserialize;

use crate::error::Result;
use crate::train::counts::WordCounts;
use crate::train::progress::Progress;

pub use extend::Extension;

use alphabet::{Alphabet, by_count};
use merge::Merger;
use symbols::Symbols;
use vocabulary::Vocabulary;

/// The parameters of BPE training, as in the reference.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BpeTrainer {
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
    /// Put before every symbol that does not begin a word.
    pub continuing_subword_prefix: Option<String>,
    /// Put behind every symbol that ends a word.
    pub end_of_word_suffix: Option<String>,
    /// A token has fewer characters than this, affixes not counted; 2 are always allowed (as in the reference). If the corpus
    /// contains the affixes as text, one token can stand for symbols of several lengths; only those that are short enough
    /// are merged on.
    pub max_token_length: Option<usize>,
    /// Whether there is an entry for every byte, `<0x00>` to `<0xFF>`, behind the special tokens; the model then falls back
    /// to them.
    #[serde(default)]
    pub enforce_byte_fallback: bool,
}

impl Default for BpeTrainer {
    fn default() -> Self {
        Self {
            vocab_size: 30_000,
            min_frequency: 0,
            special_tokens: Vec::new(),
            limit_alphabet: None,
            initial_alphabet: Vec::new(),
            continuing_subword_prefix: None,
            end_of_word_suffix: None,
            max_token_length: None,
            enforce_byte_fallback: false,
        }
    }
}

/// What BPE training gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BpeTrained {
    /// The entries; the index is the id.
    pub vocab: Vec<String>,
    /// The merges as ids of their parts, in the order of their rank; no pair occurs twice.
    pub merges: Vec<(u32, u32)>,
}

impl BpeTrainer {
    /// Learn a vocabulary and merges from `words`.
    ///
    /// The result depends on the words and their counts, not on their order. Words whose count is 0 do not exist.
    /// Time is about linear in the characters of the distinct words, long words included.
    ///
    /// # Errors
    /// [`crate::error::Error::Training`] if the counts do not fit (negative, or sums beyond 63 bits), or there are more than
    /// 2^31 distinct characters of text; whatever `progress` returns.
    pub fn train(&self, words: &WordCounts, progress: &mut dyn Progress) -> Result<BpeTrained> {
        let (mut vocabulary, symbols) = self.begin(words, &by_count(words), progress)?;
        let mut state = Merger::new(symbols, self.max_token_length, vocabulary.len());
        let merges = self.merge_on(&mut vocabulary, &mut state, progress)?;
        Ok(BpeTrained { merges, vocab: vocabulary.into_tokens() })
    }
}

impl BpeTrainer {
    /// Count pairs, and merge until the vocabulary is large enough.
    fn merge_on(
        &self,
        vocabulary: &mut Vocabulary,
        state: &mut Merger,
        progress: &mut dyn Progress,
    ) -> Result<Vec<(u32, u32)>> {
        progress.stage("Count pairs", state.size())?;
        state.count_pairs(progress)?;
        progress.stage("Compute merges", self.vocab_size as u64)?;
        progress.advance(vocabulary.len().min(self.vocab_size) as u64)?;
        let mut merges = Vec::new();
        while vocabulary.len() < self.vocab_size {
            let Some(next) = state.next(self.min_frequency) else { break };
            let (left, right) = next.pair();
            let text = self.joined(vocabulary, left, right);
            let known = vocabulary.len();
            let id = vocabulary.intern(&text);
            merges.push((left, right));
            state.merge(next, id, progress)?;
            progress.advance((vocabulary.len() - known) as u64)?;
        }
        Ok(keep_last(merges, state.is_simple()))
    }

    /// The first entries (special tokens, alphabet), and the words, in the given order, as symbols of the alphabet.
    ///
    /// # Errors
    /// As [`Self::train`].
    pub(super) fn begin(
        &self,
        words: &WordCounts,
        order: &[u32],
        progress: &mut dyn Progress,
    ) -> Result<(Vocabulary, Symbols)> {
        words.check()?;
        let mut vocabulary = self.first_entries();
        let alphabet = Alphabet::build(self, &[words], &[], &mut vocabulary);
        progress.stage("Tokenize words", words.len() as u64)?;
        let symbols = alphabet.segment(words, order, progress)?;
        Ok((vocabulary, symbols))
    }

    /// The entries in front of the alphabet.
    pub(super) fn first_entries(&self) -> Vocabulary {
        let mut vocabulary = Vocabulary::default();
        for token in &self.special_tokens {
            vocabulary.intern(token);
        }
        if self.enforce_byte_fallback {
            for byte in 0..=u8::MAX {
                vocabulary.intern(&format!("<0x{byte:02X}>"));
            }
        }
        vocabulary
    }

    /// The text of two tokens joined.
    pub(super) fn joined(&self, vocabulary: &Vocabulary, left: u32, right: u32) -> String {
        let prefix = self.continuing_subword_prefix.as_deref().unwrap_or("");
        let right = vocabulary.token(right);
        [vocabulary.token(left), right.strip_prefix(prefix).unwrap_or(right)].concat()
    }
}

/// A pair that was merged twice has the rank of its last time, as in the reference.
pub(super) fn keep_last(mut merges: Vec<(u32, u32)>, unique: bool) -> Vec<(u32, u32)> {
    if !unique {
        let mut seen = hashbrown::HashSet::with_capacity(merges.len());
        merges.reverse();
        merges.retain(|pair| seen.insert(*pair));
        merges.reverse();
    }
    merges
}
