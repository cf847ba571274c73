//! Text to the byte alphabet.

use super::Normalizer;
use crate::error::Result;
use crate::steps;
use crate::text::AlignedText;
use crate::text::byte_alphabet::{BYTE_TO_CHAR, stands_for_itself};
use serde::{Deserialize, Serialize};

/// Writes every byte of the text as its character of the byte alphabet. Nothing is put in front, nothing is cut.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ByteLevel {}

/// Length in bytes of the ASCII text at the start that is its own spelling.
fn unchanged(text: &str) -> usize {
    let len = text.bytes().position(|b| !b.is_ascii() || !stands_for_itself(b)).unwrap_or(text.len());
    steps::count(len);
    len
}

impl Normalizer for ByteLevel {
    fn normalize(&self, text: &mut AlignedText) -> Result<()> {
        let mut edit = text.edit();
        let mut bytes = [0; 4];
        loop {
            edit.keep(unchanged(edit.rest()));
            let Some(c) = edit.peek() else { break };
            let span = edit.span_ahead(c.len_utf8());
            edit.skip(c.len_utf8());
            for byte in c.encode_utf8(&mut bytes).bytes() {
                edit.push_char(BYTE_TO_CHAR[byte as usize], span);
            }
        }
        edit.finish();
        Ok(())
    }

    fn is_identity(&self, text: &str) -> bool {
        unchanged(text) == text.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::ByteSpan;

    #[test]
    fn bytes_share_the_span_of_their_character() -> Result<()> {
        let mut text = AlignedText::new("aé b", 0);
        ByteLevel {}.normalize(&mut text)?;
        assert_eq!(text.as_str(), "aÃ©Ġb");
        assert_eq!([1, 3].map(|at| text.origin(at..at + 2)), [ByteSpan::new(1, 3); 2]);
        assert_eq!(text.origin(5..7), ByteSpan::new(3, 4));
        Ok(())
    }
}
