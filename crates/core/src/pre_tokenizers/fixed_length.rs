//! Pieces of equal length.

use super::PreTokenizer;
use crate::error::Result;
use crate::text::Pretokens;
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;

/// Cuts after every `length` characters; the last piece may be shorter.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FixedLength {
    /// Length of a piece in characters, at least 1.
    #[serde(default = "five")]
    pub length: NonZeroUsize,
}

const fn five() -> NonZeroUsize {
    match NonZeroUsize::new(5) {
        Some(five) => five,
        None => NonZeroUsize::MIN,
    }
}

impl Default for FixedLength {
    fn default() -> Self {
        Self { length: five() }
    }
}

impl PreTokenizer for FixedLength {
    fn pre_tokenize(&self, pretokens: &mut Pretokens) -> Result<()> {
        pretokens.cut(|text, cuts| {
            let mut start = 0;
            for (at, _) in text.char_indices().step_by(self.length.get()).skip(1) {
                cuts.keep(start..at);
                start = at;
            }
            cuts.keep(start..text.len());
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::pieces_of;
    use super::*;
    use serde_json::json;

    #[test]
    fn the_last_piece_may_be_shorter() -> Result<()> {
        assert_eq!(pieces_of(&FixedLength::default(), "abécdefg")?, ["abécd 0..6", "efg 6..9"]);
        let two: FixedLength = serde_json::from_value(json!({ "length": 2 })).unwrap();
        assert_eq!(pieces_of(&two, "abéc")?, ["ab 0..2", "éc 2..5"]);
        Ok(())
    }

    #[test]
    fn length_zero_is_refused() {
        assert!(serde_json::from_value::<FixedLength>(json!({ "length": 0 })).is_err());
    }
}
