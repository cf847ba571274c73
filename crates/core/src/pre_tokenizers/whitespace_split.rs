//! Cut at white space.

use super::PreTokenizer;
use crate::error::Result;
use crate::text::Pretokens;
use crate::text::unicode::is_white_space;
use serde::{Deserialize, Serialize};

/// Keeps what stands between white space.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct WhitespaceSplit {}

impl PreTokenizer for WhitespaceSplit {
    fn pre_tokenize(&self, pretokens: &mut Pretokens) -> Result<()> {
        pretokens.cut(|text, cuts| {
            let mut start = 0;
            for (at, c) in text.char_indices() {
                if is_white_space(c) {
                    cuts.keep(start..at);
                    start = at + c.len_utf8();
                }
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
    fn every_white_space_cuts() -> Result<()> {
        let pieces = pieces_of(&WhitespaceSplit {}, " a,b\u{85}\u{3000}c\u{200b}d\t")?;
        assert_eq!(pieces, ["a,b 1..4", "c\u{200b}d 9..14"]);
        Ok(())
    }
}
