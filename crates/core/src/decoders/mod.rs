//! Decoders: a list of token texts to a list of texts, whose concatenation is the decoded text.

use crate::component_family;
use crate::error::Result;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Debug;

/// The text of a token on its way through the decoders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeToken<'a> {
    /// The text, as the vocabulary spells it at first.
    pub text: Cow<'a, str>,
    /// Whether it is an added token, whose text is plain text whatever the alphabet of the vocabulary. False once the token
    /// has been joined with others.
    pub is_added: bool,
}

impl<'a> DecodeToken<'a> {
    /// A token of the vocabulary.
    pub fn ordinary(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), is_added: false }
    }

    /// An added token.
    pub fn added(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), is_added: true }
    }
}

/// A stage that turns tokens back into text.
pub trait Decoder: Debug + Send + Sync {
    /// Map the list of tokens to a list of texts.
    ///
    /// # Errors
    /// `Error::Decode` when a pattern runs over its step limit, `Error::Foreign` from components outside this crate.
    fn decode_tokens<'a>(&self, tokens: Vec<DecodeToken<'a>>) -> Result<Vec<DecodeToken<'a>>>;

    /// Whether every token becomes exactly one text, which depends on nothing but the token and on whether it is the first or
    /// the last of the list. Then a table of the tokens does the work of the decoder.
    fn is_tokenwise(&self) -> bool {
        false
    }

    /// [`decode_tokens`](Self::decode_tokens) for plain strings, none of them an added token.
    ///
    /// # Errors
    /// As [`decode_tokens`](Self::decode_tokens).
    fn decode_chain(&self, tokens: Vec<String>) -> Result<Vec<String>> {
        let tokens = tokens.into_iter().map(DecodeToken::ordinary).collect();
        Ok(self.decode_tokens(tokens)?.into_iter().map(|token| token.text.into_owned()).collect())
    }

    /// The decoded text.
    ///
    /// # Errors
    /// As [`decode_tokens`](Self::decode_tokens).
    fn decode(&self, tokens: Vec<DecodeToken<'_>>) -> Result<String> {
        let tokens = self.decode_tokens(tokens)?;
        Ok(tokens.iter().map(|token| &*token.text).collect())
    }
}

component_family! {
    /// Any decoder.
    pub enum AnyDecoder: Decoder, "decoder", custom {
        BPEDecoder => bpe_decoder,
        ByteFallback => byte_fallback,
        ByteLevel => byte_level,
        CTC => ctc,
        Fuse => fuse,
        Metaspace => metaspace,
        Replace => replace,
        Sequence => sequence,
        Strip => strip,
        WordPiece => word_piece,
    }
}

/// The component that a description without a known `type` stands for: by its keys, as older files need.
fn untagged(value: &Value) -> Option<&'static str> {
    let has = |keys: &[&str]| keys.iter().all(|key| value.get(key).is_some());
    if has(&["suffix"]) {
        Some("BPEDecoder")
    } else if has(&["prefix", "cleanup"]) {
        Some("WordPiece")
    } else if has(&["pad_token", "word_delimiter_token", "cleanup"]) {
        Some("CTC")
    } else if has(&["content", "start", "stop"]) {
        Some("Strip")
    } else if has(&["pattern", "content"]) {
        Some("Replace")
    } else {
        None
    }
}
