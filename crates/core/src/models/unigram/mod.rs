//! Unigram: of all ways to cut a piece into entries, the one with the largest sum of scores.
//!
//! Source: Kudo 2018, "Subword Regularization: Improving Neural Network Translation Models with Multiple Subword Candidates".
//! A character that no entry stands for costs ten more than the worst score; neighbouring ones become one token.

mod agenda;
mod encode;
pub mod lattice;
mod n_best;
mod parse;
pub mod pieces;
pub mod viterbi;

pub use encode::UnigramScratch;
pub use lattice::Lattice;
pub use pieces::PieceTrie;

use super::vocabulary::Vocabulary;
use crate::error::{Error, Result};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Serialize, Serializer};
use std::sync::Arc;

/// The settings of a [`Unigram`] that can be changed without touching its vocabulary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UnigramOptions {
    /// Stands for characters that no entry stands for; with `None` such a character is an error.
    #[serde(default)]
    pub unk_id: Option<u32>,
    /// Whether unknown text becomes its bytes, as `<0xE2>`, if all of these are there.
    #[serde(default)]
    pub byte_fallback: bool,
    /// Draw a path at random instead of taking the best: the larger, the likelier the good ones. `None` and 0 take the best.
    #[serde(default)]
    pub alpha: Option<f64>,
    /// Draw among so many of the best paths; among all with `None` or 0.
    #[serde(default)]
    pub nbest_size: Option<usize>,
}

#[derive(Debug)]
struct Tables {
    vocabulary: Vocabulary,
    /// By id.
    scores: Vec<f64>,
    trie: PieceTrie,
    /// Ids of `<0x00>` to `<0xFF>` where the vocabulary has them.
    bytes: Vec<Option<u32>>,
}

/// A Unigram model. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Unigram {
    tables: Arc<Tables>,
    options: UnigramOptions,
}

impl Unigram {
    /// Build a model from its entries and their scores (natural logarithms of probabilities); the index is the id. An entry that
    /// is there twice is found under its last id.
    ///
    /// # Errors
    /// `Error::Spec` for a score that is not finite (path `vocab[i]`), or settings that [`Self::with_options`] refuses.
    pub fn new<S: AsRef<str>>(vocab: impl IntoIterator<Item = (S, f64)>, options: UnigramOptions) -> Result<Self> {
        let vocab = vocab.into_iter();
        let mut builder = Vocabulary::builder(vocab.size_hint().0, 0);
        let mut scores = Vec::with_capacity(vocab.size_hint().0);
        for (id, (token, score)) in vocab.enumerate() {
            builder.append(token.as_ref(), id as u32);
            scores.push(score);
        }
        Self::from_vocabulary(builder.build(), scores, options)
    }

    fn from_vocabulary(vocabulary: Vocabulary, scores: Vec<f64>, options: UnigramOptions) -> Result<Self> {
        if let Some(i) = scores.iter().position(|s| !s.is_finite()) {
            let token = vocabulary.token(i as u32).unwrap_or_default();
            let reason = format!("the score `{}` of `{token}` is not a finite number", scores[i]);
            return Err(Error::spec(format!("vocab[{i}]"), reason));
        }
        let trie = PieceTrie::new(vocabulary.iter().zip(&scores).map(|((token, _), &score)| (token, score)));
        let bytes = (0..=255u8).map(|b| vocabulary.id(&format!("<0x{b:02X}>"))).collect();
        let tables = Arc::new(Tables { vocabulary, scores, trie, bytes });
        Self { tables, options: UnigramOptions::default() }.with_options(options)
    }

    /// The same entries and scores with other settings.
    ///
    /// # Errors
    /// `Error::Spec` when `unk_id` is not an id of the vocabulary, or `alpha` is not finite.
    pub fn with_options(&self, options: UnigramOptions) -> Result<Self> {
        let size = self.tables.scores.len();
        match options {
            UnigramOptions { unk_id: Some(_), .. } if size == 0 => {
                Err(Error::spec("unk_id", "the vocabulary is empty, it needs at least the unknown token"))
            }
            UnigramOptions { unk_id: Some(id), .. } if id as usize >= size => {
                Err(Error::spec("unk_id", format!("`{id}` is not an id of the vocabulary, which has {size} entries")))
            }
            UnigramOptions { alpha: Some(alpha), .. } if !alpha.is_finite() => {
                Err(Error::spec("alpha", format!("`{alpha}` is not a finite number")))
            }
            _ => Ok(Self { tables: Arc::clone(&self.tables), options }),
        }
    }

    /// The settings.
    pub fn options(&self) -> &UnigramOptions {
        &self.options
    }

    /// The scores of the entries, by id.
    pub fn scores(&self) -> &[f64] {
        &self.tables.scores
    }

    /// The entries and their scores as a trie.
    pub fn trie(&self) -> &PieceTrie {
        &self.tables.trie
    }
}

impl Default for Unigram {
    /// The one entry `<unk>` for everything.
    fn default() -> Self {
        let vocabulary: Vocabulary = [("<unk>", 0)].into_iter().collect();
        let tables =
            Tables { trie: PieceTrie::new([("<unk>", 0.0)]), vocabulary, scores: vec![0.0], bytes: Vec::new() };
        Self { tables: Arc::new(tables), options: UnigramOptions { unk_id: Some(0), ..UnigramOptions::default() } }
    }
}

impl Serialize for Unigram {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        struct Entries<'a>(&'a Tables);
        impl Serialize for Entries<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                let mut list = serializer.serialize_seq(Some(self.0.scores.len()))?;
                for ((token, _), score) in self.0.vocabulary.iter().zip(&self.0.scores) {
                    list.serialize_element(&(token, score))?;
                }
                list.end()
            }
        }
        #[derive(Serialize)]
        struct Written<'a> {
            r#type: &'static str,
            unk_id: Option<u32>,
            vocab: Entries<'a>,
            byte_fallback: bool,
        }
        Written {
            r#type: "Unigram",
            unk_id: self.options.unk_id,
            vocab: Entries(&self.tables),
            byte_fallback: self.options.byte_fallback,
        }
        .serialize(serializer)
    }
}

#[cfg(test)]
mod tests;
