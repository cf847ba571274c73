//! Drop marks.

use super::Normalizer;
use crate::error::Result;
use crate::text::AlignedText;
use crate::text::unicode::is_mark;
use serde::{Deserialize, Serialize};

/// Drops all marks (Mn, Mc and Me of Unicode 9). It does not decompose: `é` stays unless `NFD` comes first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StripAccents {}

impl Normalizer for StripAccents {
    fn normalize(&self, text: &mut AlignedText) -> Result<()> {
        text.remove(is_mark);
        Ok(())
    }

    fn is_identity(&self, text: &str) -> bool {
        text.is_ascii() || !text.contains(is_mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::ByteSpan;

    #[test]
    fn marks_belong_to_nobody() -> Result<()> {
        let mut text = AlignedText::new("\u{301}\u{20dd}aé\u{301}b", 0);
        StripAccents {}.normalize(&mut text)?;
        assert_eq!(text.as_str(), "aéb");
        assert_eq!(text.byte_origins()[0], ByteSpan::new(5, 6));
        assert_eq!(text.origin(1..4), ByteSpan::new(6, 11));
        Ok(())
    }
}
