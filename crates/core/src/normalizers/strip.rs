//! Drop white space at the ends.

use super::Normalizer;
use crate::error::Result;
use crate::steps;
use crate::text::AlignedText;
use crate::text::unicode::is_white_space;
use serde::{Deserialize, Serialize};

/// Drops white space at the ends of the text.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Strip {
    /// Drop it at the start.
    pub strip_left: bool,
    /// Drop it at the end.
    pub strip_right: bool,
}

impl Default for Strip {
    fn default() -> Self {
        Self { strip_left: true, strip_right: true }
    }
}

impl Normalizer for Strip {
    fn normalize(&self, text: &mut AlignedText) -> Result<()> {
        steps::count(text.len());
        let mut edit = text.edit();
        if self.strip_left {
            edit.skip(edit.rest().len() - edit.rest().trim_start_matches(is_white_space).len());
        }
        if self.strip_right {
            edit.keep(edit.rest().trim_end_matches(is_white_space).len());
            edit.skip(edit.rest().len());
        }
        edit.finish();
        Ok(())
    }

    fn is_identity(&self, text: &str) -> bool {
        !(self.strip_left && text.starts_with(is_white_space) || self.strip_right && text.ends_with(is_white_space))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::ByteSpan;

    #[test]
    fn each_end_by_itself() -> Result<()> {
        for (strip_left, strip_right, expected) in
            [(true, true, "ab"), (true, false, "ab \u{3000}"), (false, true, "\n ab"), (false, false, "\n ab \u{3000}")]
        {
            let mut text = AlignedText::new("\n ab \u{3000}", 0);
            Strip { strip_left, strip_right }.normalize(&mut text)?;
            assert_eq!(text.as_str(), expected);
            let at = expected.find('a').unwrap();
            assert_eq!(text.origin(at..at + 2), ByteSpan::new(2, 4));
        }
        let mut text = AlignedText::new(" \t", 0);
        Strip::default().normalize(&mut text)?;
        assert_eq!(text.as_str(), "");
        Ok(())
    }
}
