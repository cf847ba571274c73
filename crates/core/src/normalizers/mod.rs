//! Normalizers: text to text, each new character with the span of what it was made of.

use crate::component_family;
use crate::error::Result;
use crate::text::AlignedText;
use serde_json::Value;
use std::fmt::Debug;

/// A stage that rewrites a text.
pub trait Normalizer: Debug + Send + Sync {
    /// Rewrite `text` in place.
    ///
    /// # Errors
    /// `Error::Encode` when a pattern runs over its step limit, `Error::Foreign` from components outside this crate.
    fn normalize(&self, text: &mut AlignedText) -> Result<()>;

    /// A quick check: true only if [`normalize`](Self::normalize) would leave `text` as it is. False may mean "cannot tell".
    fn is_identity(&self, text: &str) -> bool;

    /// Whether the spans of what this text becomes depend on the whole of it, so that it must not be normalized in parts.
    fn is_seen_whole(&self, _text: &str) -> bool {
        false
    }
}

component_family! {
    /// Any normalizer.
    pub enum AnyNormalizer: Normalizer, "normalizer", custom {
        BertNormalizer => bert_normalizer,
        ByteLevel => byte_level,
        Lowercase => lowercase,
        NFC => nfc,
        NFD => nfd,
        NFKC => nfkc,
        NFKD => nfkd,
        Nmt => nmt,
        Precompiled => precompiled,
        Prepend => prepend,
        Replace => replace,
        Sequence => sequence,
        Strip => strip,
        StripAccents => strip_accents,
    }
}

/// The component that a description without a known `type` stands for: by its keys, as older files need.
fn untagged(value: &Value) -> Option<&'static str> {
    let has = |keys: &[&str]| keys.iter().all(|key| value.get(key).is_some());
    if value.get("type").is_some_and(|t| t == "Bert") || has(&["clean_text", "handle_chinese_chars", "lowercase"]) {
        Some("BertNormalizer")
    } else if has(&["strip_left", "strip_right"]) {
        Some("Strip")
    } else if has(&["normalizers"]) {
        Some("Sequence")
    } else if has(&["pattern", "content"]) {
        Some("Replace")
    } else if has(&["prepend"]) {
        Some("Prepend")
    } else {
        None
    }
}
