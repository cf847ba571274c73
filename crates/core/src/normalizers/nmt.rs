//! The cleaning up of SentencePiece's NMT rules.

use super::Normalizer;
use crate::error::Result;
use crate::steps;
use crate::text::AlignedText;
use serde::{Deserialize, Serialize};

/// Drops controls and turns odd white space into blanks. Source: Kudo and Richardson 2018, SentencePiece, rule `nmt`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Nmt {}

fn is_dropped(c: char) -> bool {
    matches!(c, '\u{1}'..='\u{8}' | '\u{b}' | '\u{e}'..='\u{1f}' | '\u{7f}' | '\u{8f}' | '\u{9f}')
}

fn is_blank(c: char) -> bool {
    ('\u{200b}'..='\u{200f}').contains(&c)
        || matches!(c, '\t' | '\n' | '\u{c}' | '\r' | '\u{1680}' | '\u{2028}' | '\u{2029}')
        || matches!(c, '\u{2581}' | '\u{feff}' | '\u{fffd}')
}

impl Normalizer for Nmt {
    fn normalize(&self, text: &mut AlignedText) -> Result<()> {
        let mut edit = text.edit();
        loop {
            let kept = edit.rest().find(|c| is_dropped(c) || is_blank(c)).unwrap_or(edit.rest().len());
            steps::count(kept);
            edit.keep(kept);
            match edit.peek() {
                Some(c) if is_blank(c) => edit.replace(c.len_utf8(), " "),
                Some(c) => edit.skip(c.len_utf8()),
                None => break,
            }
        }
        edit.finish();
        Ok(())
    }

    fn is_identity(&self, text: &str) -> bool {
        !text.contains(|c| is_dropped(c) || is_blank(c))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_and_blanks() -> Result<()> {
        let mut text = AlignedText::new("a\u{1}\tb\u{feff}\u{85}▁\u{3000}", 0);
        assert!(!Nmt {}.is_identity(text.as_str()));
        Nmt {}.normalize(&mut text)?;
        assert_eq!(text.as_str(), "a b \u{85} \u{3000}");
        assert!(Nmt {}.is_identity(text.as_str()));
        Ok(())
    }
}
