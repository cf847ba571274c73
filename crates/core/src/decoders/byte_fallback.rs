//! Byte pieces back to text.

use super::{DecodeToken, Decoder};
use crate::error::Result;
use crate::steps;
use serde::{Deserialize, Serialize};

/// Joins runs of byte pieces (`<0x41>`) to text. Every byte of a run that belongs to no character becomes a U+FFFD of its own;
/// the good ones stay. Source: Kudo and Richardson 2018, SentencePiece, `Decode`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ByteFallback {}

/// The byte that a piece stands for: two hexadecimal digits of either case, or one behind a plus, in `<0x` and `>`.
pub(crate) fn byte_of(token: &str) -> Option<u8> {
    let digits = token.strip_prefix("<0x")?.strip_suffix('>')?;
    if digits.len() == 2 { u8::from_str_radix(digits, 16).ok() } else { None }
}

impl Decoder for ByteFallback {
    fn decode_tokens<'a>(&self, tokens: Vec<DecodeToken<'a>>) -> Result<Vec<DecodeToken<'a>>> {
        let mut texts = Vec::with_capacity(tokens.len());
        let mut run = Vec::new();
        for token in tokens {
            steps::count(1);
            if let Some(byte) = byte_of(&token.text) {
                run.push(byte);
            } else {
                finish(&mut run, &mut texts);
                texts.push(token);
            }
        }
        finish(&mut run, &mut texts);
        Ok(texts)
    }
}

/// Write a run of bytes: a text for each good stretch, a U+FFFD for each bad byte.
fn finish(run: &mut Vec<u8>, texts: &mut Vec<DecodeToken<'_>>) {
    for chunk in run.utf8_chunks() {
        if !chunk.valid().is_empty() {
            texts.push(DecodeToken::ordinary(chunk.valid().to_owned()));
        }
        texts.extend(chunk.invalid().iter().map(|_| DecodeToken::ordinary("\u{fffd}")));
    }
    run.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(tokens: &[&str]) -> Result<Vec<String>> {
        ByteFallback {}.decode_chain(tokens.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn bytes_make_characters() -> Result<()> {
        assert_eq!(decode(&["▁a", "<0xE5>", "<0x8f>", "<0xAB>", "b"])?, ["▁a", "叫", "b"]);
        assert_eq!(decode(&["<0x+1>"])?, ["\u{1}"]);
        for token in ["<0xg1>", "<0x6>", "<0x061>", "<0x", "<0xé>", "<0X61>", ""] {
            assert_eq!(decode(&[token])?, [token]);
        }
        Ok(())
    }

    #[test]
    fn good_bytes_stay_beside_bad_ones() -> Result<()> {
        assert_eq!(decode(&["<0x41>", "<0xFF>", "b"])?.concat(), "A\u{fffd}b");
        assert_eq!(decode(&["<0xC3>", "<0xC3>", "<0xA9>"])?.concat(), "\u{fffd}é");
        assert_eq!(decode(&["<0xE5>", "<0x8F>"])?, ["\u{fffd}", "\u{fffd}"]);
        Ok(())
    }
}
