//! Blanks as word marks.

use super::PreTokenizer;
use crate::error::Result;
use crate::text::Pretokens;
use crate::text::word_mark::{PrependScheme, WordMark};
use serde::{Deserialize, Serialize};

/// Writes a word mark for each blank (U+0020 only), puts one in front of a piece that does not start with one, and cuts before
/// each mark.
///
/// With the scheme `first`, only a piece at the start of the original text gets one: not one behind an added token, nor one in
/// front of which an earlier pre-tokenizer dropped something.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metaspace(pub WordMark);

impl PreTokenizer for Metaspace {
    fn pre_tokenize(&self, pretokens: &mut Pretokens) -> Result<()> {
        let WordMark { replacement, prepend_scheme, split } = self.0;
        let mut mark = [0; 4];
        let mark = &*replacement.encode_utf8(&mut mark);
        pretokens.rewrite(|edit, len, piece| {
            let prepends = match prepend_scheme {
                PrependScheme::Always => true,
                PrependScheme::First => piece.start == 0,
                PrependScheme::Never => false,
            };
            let end = edit.position() + len;
            match edit.peek() {
                Some(c) if prepends && c != ' ' && c != replacement => edit.push(mark, edit.span_ahead(c.len_utf8())),
                _ => {}
            }
            loop {
                let rest = &edit.rest()[..end - edit.position()];
                let Some(at) = memchr::memchr(b' ', rest.as_bytes()) else {
                    edit.keep(rest.len());
                    break;
                };
                edit.keep(at);
                edit.replace(1, mark);
            }
        });
        if split {
            pretokens.cut(|text, cuts| {
                let mut start = 0;
                for (at, _) in text.match_indices(mark) {
                    cuts.keep(start..at);
                    start = at;
                }
                cuts.keep(start..text.len());
                Ok(())
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AnyPreTokenizer, pieces_of};
    use super::*;
    use serde_json::json;

    fn metaspace(prepend_scheme: PrependScheme, split: bool) -> Metaspace {
        Metaspace(WordMark { prepend_scheme, split, ..WordMark::default() })
    }

    #[test]
    fn marks_and_cuts() -> Result<()> {
        let always = metaspace(PrependScheme::Always, true);
        assert_eq!(pieces_of(&always, "Hey  you\t!")?, ["▁Hey 0..3", "▁ 3..4", "▁you\t! 4..10"]);
        assert_eq!(pieces_of(&always, " a")?, ["▁a 0..2"]);
        assert_eq!(pieces_of(&always, "▁a")?, ["▁a 0..4"]);
        assert_eq!(pieces_of(&metaspace(PrependScheme::Never, false), "a b ")?, ["a▁b▁ 0..4"]);
        Ok(())
    }

    #[test]
    fn first_means_the_start_of_the_original_text() -> Result<()> {
        let first = metaspace(PrependScheme::First, true);
        assert_eq!(pieces_of(&first, "a b")?, ["▁a 0..1", "▁b 1..3"]);
        let parts = json!({"type": "Sequence", "pretokenizers": [
            {"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"}]});
        let sequence = AnyPreTokenizer::parse(parts)?;
        assert_eq!(pieces_of(sequence.as_dyn(), "a b")?, ["▁a 0..1", "b 2..3"]);
        assert_eq!(pieces_of(sequence.as_dyn(), " a")?, ["a 1..2"]);
        Ok(())
    }

    #[test]
    fn legacy_keys() {
        let parse = |more: serde_json::Value| {
            let mut fields = json!({"type": "Metaspace", "replacement": "▁", "str_rep": "▁"});
            fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            AnyPreTokenizer::parse(fields).map(|parsed| serde_json::to_string(&parsed).unwrap())
        };
        let written = |scheme: &str| {
            format!(r#"{{"type":"Metaspace","replacement":"▁","prepend_scheme":"{scheme}","split":true}}"#)
        };
        assert_eq!(parse(json!({})).unwrap(), written("always"));
        assert_eq!(parse(json!({"add_prefix_space": true})).unwrap(), written("always"));
        assert_eq!(parse(json!({"add_prefix_space": false, "prepend_scheme": "never"})).unwrap(), written("never"));
        assert!(parse(json!({"add_prefix_space": false})).is_err());
    }
}
