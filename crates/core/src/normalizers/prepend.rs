//! Put a text in front.

use super::Normalizer;
use crate::error::Result;
use crate::text::AlignedText;
use serde::{Deserialize, Serialize};

/// Puts `prepend` in front of a text that is not empty; the new characters take the span of the first one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Prepend {
    /// What is put in front.
    pub prepend: String,
}

impl Default for Prepend {
    fn default() -> Self {
        Self { prepend: "▁".to_owned() }
    }
}

impl Normalizer for Prepend {
    fn normalize(&self, text: &mut AlignedText) -> Result<()> {
        let mut edit = text.edit();
        if let Some(first) = edit.peek() {
            edit.push(&self.prepend, edit.span_ahead(first.len_utf8()));
        }
        edit.finish();
        Ok(())
    }

    fn is_identity(&self, text: &str) -> bool {
        text.is_empty() || self.prepend.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::ByteSpan;

    #[test]
    fn new_characters_take_the_span_of_the_first() -> Result<()> {
        let mut text = AlignedText::new("éa", 0);
        Prepend { prepend: "x▁".to_owned() }.normalize(&mut text)?;
        assert_eq!(text.as_str(), "x▁éa");
        assert_eq!([0, 1, 4].map(|at| text.origin(at..at + 1)), [ByteSpan::new(0, 2); 3]);
        Ok(())
    }

    #[test]
    fn nothing_to_prepend_changes_nothing() -> Result<()> {
        let mut text = AlignedText::new("ab", 0);
        Prepend { prepend: String::new() }.normalize(&mut text)?;
        assert_eq!(text, AlignedText::new("ab", 0));
        let mut text = AlignedText::new("", 0);
        Prepend::default().normalize(&mut text)?;
        assert_eq!(text.as_str(), "");
        Ok(())
    }
}
