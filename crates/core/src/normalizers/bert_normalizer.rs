//! The cleaning up that BERT does before it cuts a text.

use super::Normalizer;
use super::lowercase::Lowercase;
use crate::error::Result;
use crate::steps;
use crate::text::AlignedText;
use crate::text::unicode::{is_bert_control, is_cleaned_by_bert, is_ideograph, is_nonspacing_mark, is_white_space};
use crate::text::unicode_forms::Form;
use serde::{Deserialize, Serialize};

/// Drops controls, evens out white space, sets ideographs apart, strips accents and lowers, in this order.
///
/// Source: Devlin et al. 2018, `tokenization.py` of BERT, on the tables of Unicode 8.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BertNormalizer {
    /// Drop controls and turn each white space into a blank.
    pub clean_text: bool,
    /// Put a blank on both sides of each ideograph.
    pub handle_chinese_chars: bool,
    /// Decompose, then drop nonspacing marks. `None`: as `lowercase`.
    #[serde(default)]
    pub strip_accents: Option<bool>,
    /// Lower-case mapping of each character by itself.
    pub lowercase: bool,
}

impl Default for BertNormalizer {
    fn default() -> Self {
        Self { clean_text: true, handle_chinese_chars: true, strip_accents: None, lowercase: true }
    }
}

impl BertNormalizer {
    fn strips_accents(&self) -> bool {
        self.strip_accents.unwrap_or(self.lowercase)
    }

    /// Whether cleaning up or setting apart touches a character.
    fn touches(&self, c: char) -> bool {
        is_cleaned_by_bert(c) && self.changes(c)
    }

    fn changes(&self, c: char) -> bool {
        self.clean_text && c != ' ' && (is_bert_control(c) || is_white_space(c))
            || self.handle_chinese_chars && is_ideograph(c)
    }

    fn clean(&self, text: &mut AlignedText) {
        let mut edit = text.edit();
        loop {
            let kept = edit.rest().find(|c| self.touches(c)).unwrap_or(edit.rest().len());
            steps::count(kept);
            edit.keep(kept);
            let Some(c) = edit.peek() else { break };
            let len = c.len_utf8();
            if self.clean_text && is_bert_control(c) {
                edit.skip(len);
            } else if self.clean_text && is_white_space(c) {
                edit.replace(len, " ");
            } else {
                let span = edit.span_ahead(len);
                edit.push(" ", span);
                edit.keep(len);
                edit.push(" ", span);
            }
        }
        edit.finish();
    }
}

impl Normalizer for BertNormalizer {
    fn normalize(&self, text: &mut AlignedText) -> Result<()> {
        if self.clean_text || self.handle_chinese_chars {
            self.clean(text);
        }
        if self.strips_accents() && !text.as_str().is_ascii() {
            Form::Nfd.normalize(text);
            text.remove(is_nonspacing_mark);
        }
        if self.lowercase {
            Lowercase {}.normalize(text)?;
        }
        Ok(())
    }

    fn is_identity(&self, text: &str) -> bool {
        (!self.lowercase || Lowercase {}.is_identity(text))
            && !text.contains(|c| self.touches(c))
            && (!self.strips_accents() || !text.contains(is_nonspacing_mark) && Form::Nfd.is_normalized(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::ByteSpan;

    fn normalized(bert: &BertNormalizer, text: &str) -> Result<String> {
        let mut aligned = AlignedText::new(text, 0);
        bert.normalize(&mut aligned)?;
        assert_eq!(bert.is_identity(text), aligned.as_str() == text);
        Ok(aligned.into_string())
    }

    #[test]
    fn every_step() -> Result<()> {
        let bert = BertNormalizer::default();
        assert_eq!(normalized(&bert, "Hé\u{7f}llo\t\u{a0}Wörld\u{85}")?, "hello  world");
        assert_eq!(normalized(&bert, "你好")?, " 你  好 ");
        assert_eq!(normalized(&bert, "plain text")?, "plain text");
        let bert = BertNormalizer { strip_accents: None, lowercase: false, ..bert };
        assert_eq!(normalized(&bert, "É")?, "É");
        let bert = BertNormalizer { strip_accents: Some(true), clean_text: false, handle_chinese_chars: false, ..bert };
        assert_eq!(normalized(&bert, "É\t你")?, "E\t你");
        Ok(())
    }

    #[test]
    fn blanks_take_the_span_of_their_ideograph() -> Result<()> {
        let mut text = AlignedText::new("a你", 0);
        BertNormalizer::default().normalize(&mut text)?;
        assert_eq!(text.as_str(), "a 你 ");
        assert_eq!([1, 2, 5].map(|at| text.origin(at..at + 1)), [ByteSpan::new(1, 4); 3]);
        Ok(())
    }
}
