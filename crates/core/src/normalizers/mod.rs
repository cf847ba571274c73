//! Normalizers: text to text, each new character with the span of what it was made of.

use crate::component_family;
use crate::error::Result;
use crate::text::AlignedText;
use serde_json::Value;

/// A stage that rewrites a text.
pub trait Normalizer {
    /// Rewrite `text` in place.
    ///
    /// # Errors
    /// `Error::Encode` when a pattern runs over its step limit.
    fn normalize(&self, text: &mut AlignedText) -> Result<()>;
}

component_family! {
    /// Any normalizer.
    pub enum AnyNormalizer: Normalizer, "normalizer" {
        Lowercase => lowercase,
    }
}

/// The component that a description without a known `type` stands for: by its keys, as older files need.
fn untagged(_value: &Value) -> Result<Option<&'static str>> {
    Ok(None)
}
