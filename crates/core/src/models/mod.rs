//! Models: a piece of text to tokens.

pub mod bpe;
pub mod trie;
pub mod unigram;
pub mod vocabulary;
pub mod wordlevel;
pub mod wordpiece;

pub use bpe::Bpe;
pub use unigram::Unigram;
pub use vocabulary::Vocabulary;
pub use wordlevel::WordLevel;
pub use wordpiece::WordPiece;

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
    /// For [`Unigram`].
    pub unigram: unigram::UnigramScratch,
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

/// What [`Token::text`] is for a token of this id that is shown as `text`.
fn shown(vocabulary: &Vocabulary, id: u32, text: &str) -> Option<Box<str>> {
    (vocabulary.token(id) != Some(text)).then(|| text.into())
}

/// A piece as an error message quotes it.
fn quoted(piece: &str) -> String {
    match piece.char_indices().nth(40) {
        Some((end, _)) => format!("`{}…`", &piece[..end]),
        None => format!("`{piece}`"),
    }
}

/// Any model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AnyModel {
    /// See [`Bpe`].
    BPE(Bpe),
    /// See [`WordPiece`].
    WordPiece(WordPiece),
    /// See [`WordLevel`].
    WordLevel(WordLevel),
    /// See [`Unigram`].
    Unigram(Unigram),
}

impl AnyModel {
    /// The names of the family, as they stand in `type`.
    pub const NAMES: &'static [&'static str] = &["BPE", "WordPiece", "WordLevel", "Unigram"];

    /// Parse a model as it stands in `tokenizer.json`.
    ///
    /// Without a `type` it is the first of [`Self::NAMES`] that has all its keys and can be parsed.
    ///
    /// # Errors
    /// `Error::Spec` with the path below the model.
    pub fn parse(json: &RawValue) -> Result<Self> {
        match component::raw_tag(json)? {
            Some(name) => Self::parse_as(&name, json),
            None => Self::parse_untagged(json),
        }
    }

    fn parse_as(name: &str, json: &RawValue) -> Result<Self> {
        match name {
            "BPE" => Bpe::parse(json).map(Self::BPE),
            "WordPiece" => WordPiece::parse(json).map(Self::WordPiece),
            "WordLevel" => WordLevel::parse(json).map(Self::WordLevel),
            "Unigram" => Unigram::parse(json).map(Self::Unigram),
            other => Err(Error::spec(
                "type",
                format!("unknown model `{other}`, expected one of `{}`", Self::NAMES.join("`, `")),
            )),
        }
    }

    fn parse_untagged(json: &RawValue) -> Result<Self> {
        let keys: std::collections::HashMap<String, &RawValue> = component::parse_part(json)?;
        let mandatory = |name: &str| -> &[&str] {
            match name {
                "BPE" => &["vocab", "merges"],
                "WordPiece" => &["vocab", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word"],
                "WordLevel" => &["vocab", "unk_token"],
                _ => &["vocab"],
            }
        };
        let fitting = Self::NAMES.iter().filter(|name| mandatory(name).iter().all(|&key| keys.contains_key(key)));
        let mut first_error = None;
        for name in fitting {
            match Self::parse_as(name, json) {
                Ok(model) => return Ok(model),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        Err(first_error.unwrap_or_else(|| Error::spec("", "no `type`, and the keys are those of no model")))
    }

    /// The `type` of this model.
    pub fn name(&self) -> &'static str {
        match self {
            Self::BPE(_) => "BPE",
            Self::WordPiece(_) => "WordPiece",
            Self::WordLevel(_) => "WordLevel",
            Self::Unigram(_) => "Unigram",
        }
    }

    /// The model behind its trait.
    pub fn as_dyn(&self) -> &(dyn Model + Send + Sync) {
        match self {
            Self::BPE(m) => m,
            Self::WordPiece(m) => m,
            Self::WordLevel(m) => m,
            Self::Unigram(m) => m,
        }
    }

    /// The settings that can be changed without touching the vocabulary, also those that are not written to `tokenizer.json`.
    ///
    /// # Errors
    /// None of the models has settings that JSON cannot hold.
    pub fn options(&self) -> Result<serde_json::Value> {
        match self {
            Self::BPE(m) => serde_json::to_value(m.options()),
            Self::WordPiece(m) => serde_json::to_value(m.options()),
            Self::WordLevel(m) => serde_json::to_value(m.options()),
            Self::Unigram(m) => serde_json::to_value(m.options()),
        }
        .map_err(|e| Error::spec("", e))
    }

    /// The same model with other settings, as [`Self::options`] gives them; tables are shared.
    ///
    /// # Errors
    /// `Error::Spec` with the path of a setting that is missing, of the wrong type or out of range.
    pub fn with_options(&self, options: serde_json::Value) -> Result<Self> {
        Ok(match self {
            Self::BPE(m) => Self::BPE(m.with_options(component::parse_fields(options)?)?),
            Self::WordPiece(m) => Self::WordPiece(m.with_options(component::parse_fields(options)?)),
            Self::WordLevel(m) => Self::WordLevel(m.with_options(component::parse_fields(options)?)),
            Self::Unigram(m) => Self::Unigram(m.with_options(component::parse_fields(options)?)?),
        })
    }
}

impl Serialize for AnyModel {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::BPE(m) => m.serialize(serializer),
            Self::WordPiece(m) => m.serialize(serializer),
            Self::WordLevel(m) => m.serialize(serializer),
            Self::Unigram(m) => m.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Result<AnyModel> {
        AnyModel::parse(serde_json::from_str(json).unwrap())
    }

    #[test]
    fn a_missing_type_is_told_by_the_keys() {
        let wordpiece = r#""vocab":{},"unk_token":"a","continuing_subword_prefix":"","max_input_chars_per_word":5"#;
        for (fields, name) in [
            (r#""vocab":{},"merges":[]"#, "BPE"),
            (&format!(r#"{wordpiece},"merges":[]"#), "BPE"),
            (wordpiece, "WordPiece"),
            (r#""vocab":{},"unk_token":"a","continuing_subword_prefix":"""#, "WordLevel"),
            (r#""vocab":[["a",0]]"#, "Unigram"),
            (r#""vocab":[["a",0]],"merges":[]"#, "Unigram"),
        ] {
            assert_eq!(parse(&format!("{{{fields}}}")).unwrap().name(), name, "{fields}");
        }
        assert_eq!(parse("{}").unwrap_err().to_string(), "no `type`, and the keys are those of no model");
        assert!(parse(r#"{"vocab":{"a":"b"},"unk_token":""}"#).unwrap_err().to_string().starts_with("vocab.a: "));
        let unknown = parse(r#"{"type":"Bpe"}"#).unwrap_err().to_string();
        assert_eq!(unknown, "type: unknown model `Bpe`, expected one of `BPE`, `WordPiece`, `WordLevel`, `Unigram`");
    }

    #[test]
    fn options_go_out_and_in() {
        for json in [
            r#"{"type":"BPE","vocab":{},"merges":[]}"#,
            r#"{"type":"WordPiece","vocab":{},"unk_token":"a","continuing_subword_prefix":"","max_input_chars_per_word":5}"#,
            r#"{"type":"WordLevel","vocab":{},"unk_token":"a"}"#,
            r#"{"type":"Unigram","vocab":[["a",0]],"unk_id":0}"#,
        ] {
            let model = parse(json).unwrap();
            let again = model.with_options(model.options().unwrap()).unwrap();
            assert_eq!(serde_json::to_string(&again).unwrap(), serde_json::to_string(&model).unwrap());
            assert_eq!(again.options().unwrap(), model.options().unwrap());
            let key = if model.name() == "Unigram" { "unk_id" } else { "unk_token" };
            let error = model.with_options(serde_json::json!({ key: [] })).unwrap_err();
            assert!(error.to_string().contains(key) || model.name() == "WordPiece", "{error}");
        }
    }
}
