//! Models: a piece of text to tokens.

pub mod bpe;
pub mod vocabulary;

pub use bpe::Bpe;
pub use vocabulary::Vocabulary;

use crate::component;
use crate::error::{Error, Result};
use crate::text::ByteSpan;
use serde::Serialize;
use serde_json::value::RawValue;

/// A token that a model found in a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Id.
    pub id: u32,
    /// The bytes of the piece that it stands for.
    pub span: ByteSpan,
    /// What is shown for it where that is not the text of its id in the vocabulary.
    pub text: Option<Box<str>>,
}

/// Working memory of models, one per worker.
#[derive(Debug, Default)]
pub struct ModelScratch {
    /// For [`Bpe`].
    pub bpe: bpe::BpeScratch,
    /// For everything that is drawn at random: dropout and sampling.
    pub random: fastrand::Rng,
}

/// What turns a piece of text into tokens.
pub trait Model {
    /// The tokens and their ids.
    fn vocabulary(&self) -> &Vocabulary;

    /// Append the tokens of `piece` to `out`, in the order of the text.
    ///
    /// # Errors
    /// `Error::Encode` for an unknown character where the model has no token to stand for it but names one.
    fn tokenize(&self, piece: &str, scratch: &mut ModelScratch, out: &mut Vec<Token>) -> Result<()>;

    /// Whether the same piece always gives the same tokens (no dropout, no sampling).
    fn is_repeatable(&self) -> bool;
}

/// Any model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AnyModel {
    /// See [`Bpe`].
    BPE(Bpe),
}

impl AnyModel {
    /// The names of the family, as they stand in `type`.
    pub const NAMES: &'static [&'static str] = &["BPE"];

    /// Parse a model as it stands in `tokenizer.json`.
    ///
    /// # Errors
    /// `Error::Spec` with the path below the model.
    pub fn parse(json: &RawValue) -> Result<Self> {
        match component::raw_tag(json)?.as_deref() {
            Some("BPE") => Bpe::parse(json).map(Self::BPE),
            Some(other) => Err(Error::spec(
                "type",
                format!("unknown model `{other}`, expected one of `{}`", Self::NAMES.join("`, `")),
            )),
            None => Bpe::parse(json).map(Self::BPE).map_err(|e| match e {
                Error::Spec { path, .. } if path.is_empty() || path == "merges" || path == "vocab" => {
                    Error::spec("", "no `type`, and the keys are those of no model")
                }
                other => other,
            }),
        }
    }

    /// The `type` of this model.
    pub fn name(&self) -> &'static str {
        match self {
            Self::BPE(_) => "BPE",
        }
    }

    /// The model behind its trait.
    pub fn as_dyn(&self) -> &(dyn Model + Send + Sync) {
        match self {
            Self::BPE(m) => m,
        }
    }
}

impl Serialize for AnyModel {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::BPE(m) => m.serialize(serializer),
        }
    }
}
