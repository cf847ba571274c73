//! Pre-tokenizers: a text cut into pieces that the model sees one by one.

use crate::error::Result;
use crate::text::AlignedText;

/// A stage that cuts pieces into smaller pieces (and may rewrite them, as `ByteLevel` and `Metaspace` do).
pub trait PreTokenizer {
    /// Replace each piece by the pieces it is cut into. Empty pieces are dropped.
    ///
    /// # Errors
    /// `Error::Encode` when a pattern runs over its step limit.
    fn pre_tokenize(&self, pieces: &mut Vec<AlignedText>) -> Result<()>;
}
