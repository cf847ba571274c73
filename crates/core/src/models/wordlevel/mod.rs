//! Word level: a piece is one token, or unknown.

use super::vocabulary::Vocabulary;
use super::{Model, ModelScratch, Token, quoted, shown};
use crate::component;
use crate::error::{Error, Result};
use crate::text::ByteSpan;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use std::sync::Arc;

/// The settings of a [`WordLevel`] that can be changed without touching its vocabulary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordLevelOptions {
    /// Stands for pieces that the vocabulary does not have.
    pub unk_token: String,
}

impl Default for WordLevelOptions {
    fn default() -> Self {
        Self { unk_token: "<unk>".into() }
    }
}

/// A word-level model. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct WordLevel {
    vocabulary: Arc<Vocabulary>,
    options: WordLevelOptions,
    unk_id: Option<u32>,
}

#[derive(Deserialize)]
struct Fields {
    #[serde(flatten)]
    options: WordLevelOptions,
    vocab: Vocabulary,
}

impl WordLevel {
    /// Build a model from its vocabulary.
    pub fn new(vocabulary: Vocabulary, options: WordLevelOptions) -> Self {
        Self { vocabulary: Arc::new(vocabulary), ..Self::default() }.with_options(options)
    }

    /// The same vocabulary with other settings.
    #[must_use]
    pub fn with_options(&self, options: WordLevelOptions) -> Self {
        let unk_id = self.vocabulary.id(&options.unk_token);
        Self { vocabulary: Arc::clone(&self.vocabulary), options, unk_id }
    }

    /// The settings.
    pub fn options(&self) -> &WordLevelOptions {
        &self.options
    }

    /// Parse a model from its JSON.
    ///
    /// # Errors
    /// `Error::Spec` with the path below the model: a missing key, a wrong type.
    pub fn parse(json: &RawValue) -> Result<Self> {
        let Fields { options, vocab } = component::parse_part(json)?;
        Ok(Self::new(vocab, options))
    }
}

impl Model for WordLevel {
    fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    fn tokenize(&self, piece: &str, _: &mut ModelScratch, out: &mut Vec<Token>) -> Result<()> {
        let (id, text) = match (self.vocabulary.id(piece), self.unk_id) {
            (Some(id), _) => (id, piece),
            (None, Some(id)) => (id, self.options.unk_token.as_str()),
            (None, None) => {
                return Err(Error::Encode(format!(
                    "{} is not in the vocabulary, and neither is the unk_token `{}` that would stand for it",
                    quoted(piece),
                    self.options.unk_token
                )));
            }
        };
        out.push(Token { id, span: ByteSpan::new(0, piece.len() as u32), text: shown(&self.vocabulary, id, text) });
        Ok(())
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

impl Serialize for WordLevel {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written<'a> {
            r#type: &'static str,
            vocab: &'a Vocabulary,
            unk_token: &'a str,
        }
        Written { r#type: "WordLevel", vocab: &self.vocabulary, unk_token: &self.options.unk_token }
            .serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(model: &WordLevel, piece: &str) -> Result<Vec<Token>> {
        let mut out = Vec::new();
        model.tokenize(piece, &mut ModelScratch::default(), &mut out).map(|()| out)
    }

    fn token(id: u32, end: u32, text: Option<&str>) -> Token {
        Token { id, span: ByteSpan::new(0, end), text: text.map(Box::from) }
    }

    #[test]
    fn known_unknown_and_neither() {
        let vocab: Vocabulary = [("a", 0), ("<unk>", 1), ("é", 7)].into_iter().collect();
        let model = WordLevel::new(vocab, WordLevelOptions::default());
        assert_eq!(tokens(&model, "é").unwrap(), [token(7, 2, None)]);
        assert_eq!(tokens(&model, "ab").unwrap(), [token(1, 2, None)]);
        assert_eq!(tokens(&model, "").unwrap(), [token(1, 0, None)]);
        let without = model.with_options(WordLevelOptions { unk_token: "[UNK]".into() });
        assert_eq!(tokens(&without, "a").unwrap(), [token(0, 1, None)]);
        assert_eq!(
            tokens(&without, "b").unwrap_err().to_string(),
            "`b` is not in the vocabulary, and neither is the unk_token `[UNK]` that would stand for it"
        );
    }

    #[test]
    fn tokens_that_share_an_id_keep_their_text() {
        let model = WordLevel::new([("a", 0), ("b", 0)].into_iter().collect(), WordLevelOptions::default());
        assert_eq!(tokens(&model, "a").unwrap(), [token(0, 1, Some("a"))]);
        assert_eq!(tokens(&model, "b").unwrap(), [token(0, 1, None)]);
    }

    #[test]
    fn json() {
        let json = r#"{"type":"WordLevel","vocab":{"b":0,"a":5},"unk_token":"u"}"#;
        let model = WordLevel::parse(serde_json::from_str(json).unwrap()).unwrap();
        assert_eq!(serde_json::to_string(&model).unwrap(), json);
        let missing = WordLevel::parse(serde_json::from_str(r#"{"vocab":{}}"#).unwrap());
        assert!(missing.unwrap_err().to_string().starts_with("missing field `unk_token`"));
        let negative = WordLevel::parse(serde_json::from_str(r#"{"unk_token":"u","vocab":{"a":-1}}"#).unwrap());
        assert!(negative.unwrap_err().to_string().starts_with("vocab.a: invalid value"));
    }
}
