//! Cut at one character.

use super::PreTokenizer;
use crate::error::Result;
use crate::text::Pretokens;
use serde::{Deserialize, Serialize};

/// Keeps what stands between the delimiters.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CharDelimiterSplit {
    /// Where to cut; it is dropped.
    pub delimiter: char,
}

impl PreTokenizer for CharDelimiterSplit {
    fn pre_tokenize(&self, pretokens: &mut Pretokens) -> Result<()> {
        pretokens.cut(|text, cuts| {
            let mut start = 0;
            for (at, found) in text.match_indices(self.delimiter) {
                cuts.keep(start..at);
                start = at + found.len();
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

    #[test]
    fn delimiters_are_dropped() -> Result<()> {
        let pieces = pieces_of(&CharDelimiterSplit { delimiter: 'é' }, "éaéébc")?;
        assert_eq!(pieces, ["a 2..3", "bc 7..9"]);
        Ok(())
    }
}
