//! Byte-pair encoding: a piece starts as characters, and pairs are joined in the order of the merges.
//!
//! Source: Sennrich, Haddow and Birch 2016, "Neural Machine Translation of Rare Words with Subword Units", section 3.2.

mod encode;
mod merges;
mod parse;
mod symbols;

pub use encode::BpeScratch;
pub use merges::{Merge, MergeTable};
pub use symbols::{MergeScratch, Symbol, merge_all};

use super::Vocabulary;
use crate::error::{Error, Result};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Serialize, Serializer};
use std::sync::Arc;

/// The settings of a [`Bpe`] that can be changed without touching its vocabulary.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BpeOptions {
    /// Probability of passing over a merge; `None` and 0 never do.
    #[serde(default)]
    pub dropout: Option<f32>,
    /// Stands for characters that the vocabulary does not have; `None` drops them.
    #[serde(default)]
    pub unk_token: Option<String>,
    /// In front of every symbol of a piece but the first.
    #[serde(default)]
    pub continuing_subword_prefix: Option<String>,
    /// Behind the last symbol of a piece.
    #[serde(default)]
    pub end_of_word_suffix: Option<String>,
    /// Whether neighbouring unknown characters become one token.
    #[serde(default, deserialize_with = "null_is_default")]
    pub fuse_unk: bool,
    /// Whether a character that the vocabulary does not have becomes its bytes, as `<0xE2>`, if all of these are there.
    #[serde(default, deserialize_with = "null_is_default")]
    pub byte_fallback: bool,
    /// Whether a piece that is in the vocabulary is one token, whatever the merges say.
    #[serde(default, deserialize_with = "null_is_default")]
    pub ignore_merges: bool,
}

fn null_is_default<'de, D: serde::Deserializer<'de>>(d: D) -> std::result::Result<bool, D::Error> {
    Ok(Option::<bool>::deserialize(d)?.unwrap_or_default())
}

/// What a vocabulary and its merges compile to; shared by all models that differ only in their options.
#[derive(Debug, Default)]
struct Tables {
    vocabulary: Vocabulary,
    /// Pairs of ids in order of rank, as written.
    merges: Vec<(u32, u32)>,
    table: MergeTable,
    /// Ids of `<0x00>` to `<0xFF>` where the vocabulary has them.
    bytes: Vec<Option<u32>>,
}

impl Default for MergeTable {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

/// A byte-pair model. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Bpe {
    tables: Arc<Tables>,
    options: BpeOptions,
    unk_id: Option<u32>,
}

impl Bpe {
    /// Build a model from its vocabulary and its merges, in order of rank.
    ///
    /// # Errors
    /// `Error::Spec` when a merge names a token that is not in the vocabulary (path `merges[i]`), or an option is out of range.
    pub fn new<S: AsRef<str>>(
        vocabulary: Vocabulary,
        merges: impl IntoIterator<Item = (S, S), IntoIter: ExactSizeIterator>,
        options: BpeOptions,
    ) -> Result<Self> {
        let merges = merges.into_iter();
        let mut table = MergeTable::with_capacity(merges.len());
        let mut pairs = Vec::with_capacity(merges.len());
        let prefix_bytes = options.continuing_subword_prefix.as_deref().map_or(0, str::len);
        let mut joined = String::new();
        for (rank, (left, right)) in merges.enumerate() {
            let (left, right) = (left.as_ref(), right.as_ref());
            joined.clear();
            joined.push_str(left);
            joined.push_str(right.get(prefix_bytes..).ok_or_else(|| {
                Error::spec(
                    format!("merges[{rank}]"),
                    format!("`{right}` is shorter than the continuing_subword_prefix"),
                )
            })?);
            let id = |token: &str| {
                vocabulary.id(token).ok_or_else(|| {
                    let reason = format!("merge `{left} {right}`: token `{token}` is not in the vocabulary");
                    Error::spec(format!("merges[{rank}]"), reason)
                })
            };
            let (a, b) = (id(left)?, id(right)?);
            table.insert(a, b, Merge { rank: rank as u32, id: id(&joined)? });
            pairs.push((a, b));
        }
        let bytes = (0..=255u8).map(|b| vocabulary.id(&format!("<0x{b:02X}>"))).collect();
        let tables = Arc::new(Tables { vocabulary, merges: pairs, table, bytes });
        Self { tables, options: BpeOptions::default(), unk_id: None }.with_options(options)
    }

    /// The same vocabulary and merges with other settings.
    ///
    /// # Errors
    /// `Error::Spec` when dropout is not within 0 and 1.
    pub fn with_options(&self, options: BpeOptions) -> Result<Self> {
        if let Some(p) = options.dropout
            && !(0.0..=1.0).contains(&p)
        {
            return Err(Error::spec("dropout", format!("`{p}` is not a probability, expected 0 to 1")));
        }
        let unk_id = options.unk_token.as_deref().and_then(|t| self.tables.vocabulary.id(t));
        Ok(Self { tables: Arc::clone(&self.tables), options, unk_id })
    }

    /// The settings.
    pub fn options(&self) -> &BpeOptions {
        &self.options
    }

    /// The merges in order of rank, as pairs of ids.
    pub fn merges(&self) -> &[(u32, u32)] {
        &self.tables.merges
    }

    /// From pairs of ids to what they merge to.
    pub fn merge_table(&self) -> &MergeTable {
        &self.tables.table
    }

    /// Id of the byte piece `<0xHH>` of a byte, if the vocabulary has it.
    pub fn byte_id(&self, byte: u8) -> Option<u32> {
        self.tables.bytes.get(byte as usize).copied().flatten()
    }

    /// Whether pieces are merged exactly as their characters say: no affix, no dropout.
    pub fn is_plain(&self) -> bool {
        let o = &self.options;
        let none = |s: &Option<String>| s.as_deref().is_none_or(str::is_empty);
        none(&o.continuing_subword_prefix) && none(&o.end_of_word_suffix) && o.dropout.is_none_or(|p| p == 0.0)
    }
}

impl Serialize for Bpe {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        struct Pairs<'a>(&'a Tables);
        impl Serialize for Pairs<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                let text = |id| self.0.vocabulary.token(id).unwrap_or_default();
                let mut list = serializer.serialize_seq(Some(self.0.merges.len()))?;
                for &(a, b) in &self.0.merges {
                    list.serialize_element(&(text(a), text(b)))?;
                }
                list.end()
            }
        }
        #[derive(Serialize)]
        struct Written<'a> {
            r#type: &'static str,
            #[serde(flatten)]
            options: &'a BpeOptions,
            vocab: &'a Vocabulary,
            merges: Pairs<'a>,
        }
        Written { r#type: "BPE", options: &self.options, vocab: &self.tables.vocabulary, merges: Pairs(&self.tables) }
            .serialize(serializer)
    }
}
