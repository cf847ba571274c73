//! Cut at punctuation.

use super::PreTokenizer;
use super::split::Delimited;
use crate::error::Result;
use crate::split::Behavior;
use crate::text::unicode::is_punctuation;
use crate::text::{ByteSpan, Pretokens};
use serde::{Deserialize, Serialize};

/// Cuts at punctuation characters: all that prints in ASCII but letters and digits, and the categories P of Unicode 8.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Punctuation {
    /// What becomes of them.
    #[serde(default = "isolated")]
    pub behavior: Behavior,
}

fn isolated() -> Behavior {
    Behavior::Isolated
}

impl Default for Punctuation {
    fn default() -> Self {
        Self { behavior: Behavior::Isolated }
    }
}

impl PreTokenizer for Punctuation {
    fn pre_tokenize(&self, pretokens: &mut Pretokens) -> Result<()> {
        let mut delimited = Delimited::new(self.behavior, false);
        pretokens.cut(|text, cuts| {
            let marks = text.char_indices().filter(|(_, c)| is_punctuation(*c));
            delimited.matches.clear();
            delimited.matches.extend(marks.map(|(at, c)| ByteSpan::new(at as u32, (at + c.len_utf8()) as u32)));
            delimited.cut(text, cuts);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::pieces_of;
    use super::*;

    #[test]
    fn behaviors() -> Result<()> {
        let pieces = |behavior| pieces_of(&Punctuation { behavior }, "a!?b。");
        assert_eq!(pieces(Behavior::Isolated)?, ["a 0..1", "! 1..2", "? 2..3", "b 3..4", "。 4..7"]);
        assert_eq!(pieces(Behavior::Removed)?, ["a 0..1", "b 3..4"]);
        assert_eq!(pieces(Behavior::Contiguous)?, ["a 0..1", "!? 1..3", "b 3..4", "。 4..7"]);
        assert_eq!(pieces(Behavior::MergedWithPrevious)?, ["a! 0..2", "? 2..3", "b。 3..7"]);
        Ok(())
    }
}
