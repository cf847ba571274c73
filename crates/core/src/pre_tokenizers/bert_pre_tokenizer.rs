//! Words and punctuation, as BERT cuts them.

use super::PreTokenizer;
use crate::error::Result;
use crate::text::Pretokens;
use crate::text::unicode::{is_punctuation, is_white_space};
use serde::{Deserialize, Serialize};

/// Cuts at white space, which is dropped, and around each punctuation character.
///
/// Source: Devlin et al. 2018, `tokenization.py` of BERT, on the tables of Unicode 8.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BertPreTokenizer {}

impl PreTokenizer for BertPreTokenizer {
    fn pre_tokenize(&self, pretokens: &mut Pretokens) -> Result<()> {
        pretokens.cut(|text, cuts| {
            let mut start = 0;
            for (at, c) in text.char_indices() {
                let (is_space, is_mark) = (is_white_space(c), is_punctuation(c));
                if is_space || is_mark {
                    cuts.keep(start..at);
                    start = at + c.len_utf8();
                    if is_mark {
                        cuts.keep(at..start);
                    }
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
    fn punctuation_stands_alone() -> Result<()> {
        let pieces = pieces_of(&BertPreTokenizer {}, "Hey friend!  How$?\u{2e43}x")?;
        assert_eq!(
            pieces,
            ["Hey 0..3", "friend 4..10", "! 10..11", "How 13..16", "$ 16..17", "? 17..18", "\u{2e43}x 18..22"]
        );
        Ok(())
    }
}
