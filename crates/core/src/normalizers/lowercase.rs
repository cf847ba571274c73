//! Lower case, character by character.

use super::Normalizer;
use crate::error::Result;
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

/// Length in bytes of the text at the start that stays as it is.
fn unchanged(text: &str) -> usize {
    text.char_indices().find(|(_, c)| CHANGES.get(*c) != 0).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::ByteSpan;

    #[test]
    fn no_context_and_full_mappings() -> Result<()> {
        let mut text = AlignedText::new("aΣİ!", 0);
        Lowercase {}.normalize(&mut text)?;
        assert_eq!(text.as_str(), "aσi\u{307}!");
        assert_eq!(text.origin(4..6), ByteSpan::new(3, 5));
        assert!(Lowercase {}.is_identity(text.as_str()));
        assert!(!Lowercase {}.is_identity("aB"));
        Ok(())
    }
}
