//! Pre-tokenizers: a text cut into pieces that the model sees one by one.

use crate::component_family;
use crate::error::Result;
use crate::text::Pretokens;
use serde_json::Value;
use std::fmt::Debug;

/// A stage that cuts pieces into smaller pieces (and may rewrite them, as `ByteLevel` and `Metaspace` do).
pub trait PreTokenizer: Debug + Send + Sync {
    /// Cut each of the pieces further.
    ///
    /// # Errors
    /// `Error::Encode` when a pattern runs over its step limit, `Error::Foreign` from components outside this crate.
    fn pre_tokenize(&self, pretokens: &mut Pretokens) -> Result<()>;
}

component_family! {
    /// Any pre-tokenizer.
    pub enum AnyPreTokenizer: PreTokenizer, "pre-tokenizer", custom {
        BertPreTokenizer => bert_pre_tokenizer,
        ByteLevel => byte_level,
        CharDelimiterSplit => char_delimiter_split,
        Digits => digits,
        FixedLength => fixed_length,
        Metaspace => metaspace,
        Punctuation => punctuation,
        Sequence => sequence,
        Split => split,
        UnicodeScripts => unicode_scripts,
        Whitespace => whitespace,
        WhitespaceSplit => whitespace_split,
    }
}

/// No description stands for a pre-tokenizer without a known `type`.
fn untagged(_value: &Value) -> Option<&'static str> {
    None
}

/// The pieces of a text with their byte spans, as `piece start..end`.
#[cfg(test)]
fn pieces_of(pre_tokenizer: &dyn PreTokenizer, text: &str) -> Result<Vec<String>> {
    let mut pretokens = Pretokens::new(crate::text::AlignedText::new(text, 0));
    pre_tokenizer.pre_tokenize(&mut pretokens)?;
    let spans = pretokens.pieces().iter().map(|piece| pretokens.origin(piece));
    Ok(pretokens.iter().zip(spans).map(|(piece, span)| format!("{piece} {}..{}", span.start, span.end)).collect())
}
