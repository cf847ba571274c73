//! Words and runs of symbols.

use super::PreTokenizer;
use crate::error::Result;
use crate::text::Pretokens;
use crate::text::unicode::{is_white_space, is_word};
use serde::{Deserialize, Serialize};

/// Keeps runs of word characters (`\w` of Unicode 16, joiners included) and runs of what is neither word nor white space.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Whitespace {}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Word,
    Symbol,
    Space,
}

impl PreTokenizer for Whitespace {
    fn pre_tokenize(&self, pretokens: &mut Pretokens) -> Result<()> {
        pretokens.cut(|text, cuts| {
            let mut start = 0;
            let mut kind = Kind::Space;
            for (at, c) in text.char_indices() {
                let next = match c {
                    _ if is_word(c) => Kind::Word,
                    _ if is_white_space(c) => Kind::Space,
                    _ => Kind::Symbol,
                };
                if next != kind {
                    if kind != Kind::Space {
                        cuts.keep(start..at);
                    }
                    (start, kind) = (at, next);
                }
            }
            if kind != Kind::Space {
                cuts.keep(start..text.len());
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::pieces_of;
    use super::*;

    #[test]
    fn words_and_symbols() -> Result<()> {
        let pieces = pieces_of(&Whitespace {}, " Hey, you_2!?\u{3000}né\u{200d} ")?;
        assert_eq!(pieces, ["Hey 1..4", ", 4..5", "you_2 6..11", "!? 11..13", "né\u{200d} 16..22"]);
        Ok(())
    }
}
