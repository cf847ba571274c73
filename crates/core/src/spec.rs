//! The description of a tokenizer, as it stands in `tokenizer.json`: parsed with the path of what is wrong, written in the
//! canonical form.

use crate::added_tokens::AddedToken;
use crate::columns::{Padding, Truncation};
use crate::component;
use crate::decoders::AnyDecoder;
use crate::error::{Error, Result};
use crate::models::AnyModel;
use crate::normalizers::AnyNormalizer;
use crate::pre_tokenizers::AnyPreTokenizer;
use crate::processors::AnyProcessor;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// The version of the format that this crate reads and writes.
pub const VERSION: &str = "1.0";

/// A whole tokenizer. Its fields stand in the order of the file.
#[derive(Clone, Debug)]
pub struct Spec {
    /// How long rows may be.
    pub truncation: Option<Truncation>,
    /// How rows are filled up.
    pub padding: Option<Padding>,
    /// Added tokens with the ids that the file gives them.
    pub added_tokens: Vec<IdentifiedToken>,
    /// First stage.
    pub normalizer: Option<AnyNormalizer>,
    /// Second stage.
    pub pre_tokenizer: Option<AnyPreTokenizer>,
    /// Fourth stage.
    pub post_processor: Option<AnyProcessor>,
    /// The way back.
    pub decoder: Option<AnyDecoder>,
    /// Third stage.
    pub model: AnyModel,
}

/// An added token and its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentifiedToken {
    /// Id.
    pub id: u32,
    /// The token.
    #[serde(flatten)]
    pub token: AddedToken,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File<'a> {
    #[serde(default, deserialize_with = "component::given")]
    version: Option<String>,
    #[serde(default)]
    truncation: Option<Truncation>,
    #[serde(default)]
    padding: Option<Padding>,
    #[serde(default, deserialize_with = "added_tokens")]
    added_tokens: Vec<IdentifiedToken>,
    #[serde(default)]
    normalizer: Option<Value>,
    #[serde(default)]
    pre_tokenizer: Option<Value>,
    #[serde(default)]
    post_processor: Option<Value>,
    #[serde(default)]
    decoder: Option<Value>,
    #[serde(borrow)]
    model: &'a RawValue,
}

#[derive(Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "the five flags of the file format")]
struct FlatToken {
    id: u32,
    content: String,
    single_word: bool,
    lstrip: bool,
    rstrip: bool,
    normalized: bool,
    special: bool,
}

/// Field by field, so that an error keeps its path (a flattened struct would lose it).
fn added_tokens<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Vec<IdentifiedToken>, D::Error> {
    let tokens = Vec::<FlatToken>::deserialize(deserializer)?;
    let identified = tokens.into_iter().map(|t| {
        let FlatToken { id, content, single_word, lstrip, rstrip, normalized, special } = t;
        IdentifiedToken { id, token: AddedToken { content, single_word, lstrip, rstrip, normalized, special } }
    });
    Ok(identified.collect())
}

impl Spec {
    /// Parse the text of a `tokenizer.json`.
    ///
    /// # Errors
    /// [`Error::Spec`] with the path of what is wrong: not JSON, an unknown key at the top, an unknown component, a missing key, a
    /// wrong type of value, a merge that names no token.
    pub fn parse(json: &str) -> Result<Self> {
        check_start(json)?;
        let file: File<'_> = component::parse_text(json)?;
        if let Some(version) = &file.version
            && version != VERSION
        {
            return Err(Error::spec("version", format!("unknown version `{version}`, expected `{VERSION}`")));
        }
        if let Some(padding) = &file.padding {
            padding.check().map_err(|e| Error::spec("padding", e))?;
        }
        Ok(Self {
            truncation: file.truncation,
            padding: file.padding,
            added_tokens: file.added_tokens,
            normalizer: part(file.normalizer, "normalizer", AnyNormalizer::parse)?,
            pre_tokenizer: part(file.pre_tokenizer, "pre_tokenizer", AnyPreTokenizer::parse)?,
            post_processor: part(file.post_processor, "post_processor", AnyProcessor::parse_lenient)?,
            decoder: part(file.decoder, "decoder", AnyDecoder::parse)?,
            model: AnyModel::parse(file.model).map_err(|e| e.within("model"))?,
        })
    }

    /// Write it as the text of a `tokenizer.json`, on one line or indented by two spaces.
    ///
    /// # Errors
    /// [`Error::Spec`] when a component lives outside this crate and has no description.
    pub fn to_json(&self, pretty: bool) -> Result<String> {
        let written = if pretty { serde_json::to_string_pretty(self) } else { serde_json::to_string(self) };
        written.map_err(|e| Error::spec("", e))
    }
}

/// Refuse what is no JSON object, or in another encoding, in words that say so.
fn check_start(json: &str) -> Result<()> {
    let mut start = json.trim_start_matches([' ', '\t', '\n', '\r']).chars();
    let found = match (start.next(), start.next()) {
        (Some('{'), Some('\0')) | (Some('\0'), _) => "text in UTF-16 or UTF-32, but UTF-8 is expected".to_owned(),
        (Some('{'), _) => return Ok(()),
        (Some('\u{feff}'), _) => "a byte order mark, but UTF-8 without one is expected".to_owned(),
        (Some(c), _) => format!("`{}`, but a tokenizer is a JSON object and begins with `{{`", c.escape_debug()),
        (None, _) => "nothing, but a tokenizer is a JSON object".to_owned(),
    };
    Err(Error::spec("", format!("the file begins with {found}")))
}

fn part<T>(value: Option<Value>, name: &str, parse: impl Fn(Value) -> Result<T>) -> Result<Option<T>> {
    value.map(|v| parse(v).map_err(|e| e.within(name))).transpose()
}

impl Serialize for Spec {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written<'a> {
            version: &'static str,
            truncation: &'a Option<Truncation>,
            padding: &'a Option<Padding>,
            added_tokens: Vec<&'a IdentifiedToken>,
            normalizer: &'a Option<AnyNormalizer>,
            pre_tokenizer: &'a Option<AnyPreTokenizer>,
            post_processor: &'a Option<AnyProcessor>,
            decoder: &'a Option<AnyDecoder>,
            model: &'a AnyModel,
        }
        let mut added_tokens: Vec<&IdentifiedToken> = self.added_tokens.iter().collect();
        added_tokens.sort_by_key(|t| t.id);
        Written {
            version: VERSION,
            truncation: &self.truncation,
            padding: &self.padding,
            added_tokens,
            normalizer: &self.normalizer,
            pre_tokenizer: &self.pre_tokenizer,
            post_processor: &self.post_processor,
            decoder: &self.decoder,
            model: &self.model,
        }
        .serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(json: &str) -> String {
        Spec::parse(json).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_the_path() {
        let model = r#""model":{"type":"BPE","vocab":{"a":0,"b":1},"merges":[["a","b"]]}"#;
        assert_eq!(error(&format!("{{{model}}}")), "model.merges[0]: merge `a b`: token `ab` is not in the vocabulary");
        assert!(error(r#"{"model":{"type":"BPE","vocab":{"a":"x"},"merges":[]}}"#).starts_with("model.vocab.a: "));
        assert!(
            error(r#"{"normalizer":{"type":"Upper"},"model":{}}"#)
                .starts_with("normalizer.type: unknown normalizer `Upper`")
        );
        let sequence = r#"{"normalizer":{"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"X"}]},"model":{}}"#;
        assert!(
            error(sequence).starts_with("normalizer.normalizers[1].type: unknown normalizer `X`"),
            "{}",
            error(sequence)
        );
        assert!(error(r#"{"added_tokens":[{"id":-1}],"model":{}}"#).starts_with("added_tokens[0].id: "));
        assert!(error(r#"{"modle":{}}"#).contains("unknown field `modle`"));
        assert!(error("{}").contains("missing field `model`"));
        for (json, part) in [
            ("", "nothing"),
            ("\u{feff}{}", "byte order mark"),
            ("{\0\"\0", "UTF-16"),
            ("[1]", "`[`"),
            (" null", "`n`"),
        ] {
            assert!(error(json).contains(part), "{}", error(json));
        }
        assert!(error("{'a':1}").starts_with("key must be a string"));
    }

    #[test]
    fn written_in_canonical_order() {
        let json = r#"{"model":{"merges":["a b"],"vocab":{"ab":2,"a":0,"b":1},"type":"BPE"}}"#;
        let spec = Spec::parse(json).unwrap();
        let written = spec.to_json(false).unwrap();
        let expected = r#"{"version":"1.0","truncation":null,"padding":null,"added_tokens":[],"normalizer":null,"pre_tokenizer":null,"post_processor":null,"decoder":null,"model":{"type":"BPE","dropout":null,"unk_token":null,"continuing_subword_prefix":null,"end_of_word_suffix":null,"fuse_unk":false,"byte_fallback":false,"ignore_merges":false,"vocab":{"a":0,"b":1,"ab":2},"merges":[["a","b"]]}}"#;
        assert_eq!(written, expected);
        assert_eq!(Spec::parse(&written).unwrap().to_json(false).unwrap(), expected);
    }
}
