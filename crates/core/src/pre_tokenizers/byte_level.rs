//! Words as GPT-2 cuts them, spelled in the byte alphabet.

use super::PreTokenizer;
use crate::error::Result;
use crate::split::Scanner;
use crate::text::Pretokens;
use crate::text::byte_alphabet::{BYTE_TO_CHAR, stands_for_itself};
use crate::text::byte_level::ByteLevelSettings;
use serde::{Deserialize, Serialize};

/// Puts a blank in front of a piece that has none, cuts it as GPT-2 does, and spells it in the byte alphabet.
///
/// Source: Radford et al. 2019, `encoder.py` of GPT-2.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ByteLevel(pub ByteLevelSettings);

impl PreTokenizer for ByteLevel {
    fn pre_tokenize(&self, pretokens: &mut Pretokens) -> Result<()> {
        if self.0.add_prefix_space {
            pretokens.rewrite(|edit, len, _| {
                match edit.peek() {
                    Some(c) if c != ' ' => edit.push(" ", edit.span_ahead(c.len_utf8())),
                    _ => {}
                }
                edit.keep(len);
            });
        }
        if self.0.use_regex {
            let scanner = Scanner::gpt2();
            let mut ends = [0; 64];
            pretokens.cut(|text, cuts| {
                let mut start = 0;
                while start < text.len() {
                    let count = scanner.scan(text, start, &mut ends);
                    for end in &ends[..count] {
                        cuts.keep(start..*end as usize);
                        start = *end as usize;
                    }
                }
                Ok(())
            })?;
        }
        let mut bytes = [0; 4];
        pretokens.rewrite(|edit, len, _| {
            let end = edit.position() + len;
            loop {
                let rest = &edit.rest()[..end - edit.position()];
                edit.keep(rest.bytes().position(|b| !b.is_ascii() || !stands_for_itself(b)).unwrap_or(rest.len()));
                if edit.position() == end {
                    break;
                }
                let Some(c) = edit.peek() else { break };
                let span = edit.span_ahead(c.len_utf8());
                edit.skip(c.len_utf8());
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    edit.push_char(BYTE_TO_CHAR[byte as usize], span);
                }
            }
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::pieces_of;
    use super::*;

    #[test]
    fn pieces_and_spans_of_the_documented_examples() -> Result<()> {
        let level = ByteLevel::default();
        assert_eq!(pieces_of(&level, "  Hello")?, ["Ġ 0..1", "ĠHello 1..7"]);
        assert_eq!(pieces_of(&level, "é\n\nx")?, ["ĠÃ© 0..2", "Ċ 2..3", "Ċ 3..4", "x 4..5"]);
        let whole = ByteLevel(ByteLevelSettings { use_regex: false, add_prefix_space: false, ..level.0 });
        assert_eq!(pieces_of(&whole, "a b")?, ["aĠb 0..3"]);
        assert_eq!(pieces_of(&ByteLevel::default(), "")?, [""; 0]);
        Ok(())
    }
}
