//! Lower case, character by character.

use super::Normalizer;
use crate::error::Result;
use crate::steps;
use crate::text::AlignedText;
use crate::text::unicode_table::LazyTable;
use serde::{Deserialize, Serialize};

/// Full lower-case mapping of each character by itself: no context, so Σ always becomes σ, and İ becomes i + U+0307.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Lowercase {}

/// 1 for the characters that change.
static CHANGES: LazyTable = LazyTable::new(|c| u8::from(!c.to_lowercase().eq([c])));

impl Normalizer for Lowercase {
    fn normalize(&self, text: &mut AlignedText) -> Result<()> {
        let kept = unchanged(text.as_str());
        if kept == text.len() {
            return Ok(());
        }
        if text.as_str().is_ascii() {
            text.make_ascii_lowercase();
            return Ok(());
        }
        if text.map_in_place(single_lowercase) {
            return Ok(());
        }
        let mut edit = text.edit();
        loop {
            let len = unchanged(edit.rest());
            edit.keep(len);
            let Some(c) = edit.peek() else { break };
            let span = edit.span_ahead(c.len_utf8());
            edit.skip(c.len_utf8());
            for lower in c.to_lowercase() {
                edit.push_char(lower, span);
            }
        }
        edit.finish();
        Ok(())
    }

    fn is_identity(&self, text: &str) -> bool {
        unchanged(text) == text.len()
    }
}

/// The lower case of a character if it is one character.
fn single_lowercase(c: char) -> Option<char> {
    if CHANGES.get(c) == 0 {
        return Some(c);
    }
    let mut lower = c.to_lowercase();
    lower.next().filter(|_| lower.next().is_none())
}

/// Length in bytes of the text at the start that stays as it is.
fn unchanged(text: &str) -> usize {
    // Nothing behind what is found is looked at: this is called for each change in turn.
    let ascii = text.bytes().position(|b| b.is_ascii_uppercase() || !b.is_ascii()).unwrap_or(text.len());
    let rest = &text[ascii..];
    let len = ascii + rest.find(|c| CHANGES.get(c) != 0).unwrap_or(rest.len());
    steps::count(len);
    len
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::ByteSpan;

    #[test]
    fn no_context_and_full_mappings() -> Result<()> {
        let mut text = AlignedText::new("aΣÉ", 3);
        Lowercase {}.normalize(&mut text)?;
        assert_eq!(text.as_str(), "aσé");
        assert_eq!(text.origin(1..3), ByteSpan::new(4, 6));
        let mut text = AlignedText::new("aΣİ!", 0);
        Lowercase {}.normalize(&mut text)?;
        assert_eq!(text.as_str(), "aσi\u{307}!");
        assert_eq!(text.origin(4..6), ByteSpan::new(3, 5));
        assert!(Lowercase {}.is_identity(text.as_str()));
        assert!(!Lowercase {}.is_identity("aB"));
        Ok(())
    }
}
