//! Decoders: a list of token texts to a list of texts, whose concatenation is the decoded text.

use crate::error::Result;

/// A stage that turns tokens back into text.
pub trait Decoder {
    /// Map the list of tokens to a list of texts.
    ///
    /// # Errors
    /// `Error::Decode` when a pattern runs over its step limit.
    fn decode_chain(&self, tokens: Vec<String>) -> Result<Vec<String>>;
}
