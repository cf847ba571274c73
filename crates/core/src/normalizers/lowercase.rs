//! Lower case, character by character.

use super::Normalizer;
use crate::error::Result;
use crate::text::AlignedText;
use serde::{Deserialize, Serialize};

/// Full lower-case mapping of each character by itself: no context, so Σ always becomes σ, and İ becomes i + U+0307.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Lowercase {}

impl Normalizer for Lowercase {
    fn normalize(&self, text: &mut AlignedText) -> Result<()> {
        let mut edit = text.edit();
        while let Some(c) = edit.rest().chars().next() {
            let span = edit.span_ahead(c.len_utf8());
            edit.skip(c.len_utf8());
            for lower in c.to_lowercase() {
                edit.push_char(lower, span);
            }
        }
        edit.finish();
        Ok(())
    }
}
