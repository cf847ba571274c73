//! Cut where the script changes.

use super::PreTokenizer;
use crate::error::Result;
use crate::text::Pretokens;
use crate::text::unicode_scripts::Script;
use serde::{Deserialize, Serialize};

/// Cuts in front of a character whose script differs from the last script seen, as SentencePiece does.
///
/// Kana counts as Han. Blanks and characters without a script belong to what precedes them, whatever it is; those in front of
/// all others are dropped, as in the reference.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct UnicodeScripts {}

/// The script that counts; [`Script::NONE`] goes with any.
fn counted(c: char) -> Script {
    match Script::of(c) {
        _ if c == ' ' => Script::NONE,
        // U+30FC is of script Common.
        script if c == '\u{30fc}' || script == Script::of('あ') || script == Script::of('ア') => Script::of('中'),
        script => script,
    }
}

impl PreTokenizer for UnicodeScripts {
    fn pre_tokenize(&self, pretokens: &mut Pretokens) -> Result<()> {
        pretokens.cut(|text, cuts| {
            let mut last = Script::NONE;
            let mut start = None;
            for (at, c) in text.char_indices() {
                let script = counted(c);
                if script != Script::NONE && script != last {
                    if let Some(start) = start {
                        cuts.keep(start..at);
                    }
                    (start, last) = (Some(at), script);
                }
            }
            if let Some(start) = start {
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
    fn scripts_and_blanks() -> Result<()> {
        let pieces = pieces_of(&UnicodeScripts {}, "  どこ ー中 ok. x")?;
        assert_eq!(pieces, ["どこ ー中  2..16", "ok 16..18", ".  18..20", "x 20..21"]);
        assert_eq!(pieces_of(&UnicodeScripts {}, "  ")?, [""; 0]);
        Ok(())
    }
}
