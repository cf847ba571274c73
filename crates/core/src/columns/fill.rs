//! Rows filled up to one length.

use super::assemble::finish_row;
use super::{Columns, Direction, NO_WORD, Padding, Row, TokenText, fill_default};
use crate::error::Result;
use crate::steps;
use crate::text::CharSpan;

/// What all columns take for a token.
const BYTES: usize = size_of::<(u32, CharSpan, u32, u32)>() + 2;

impl Columns {
    /// Fill every row up to the target of `padding`, which is taken over the first rows of the inputs. `text` is what the padding
    /// token is shown with, where that is not the text of its id.
    ///
    /// # Errors
    /// `Error::Setting` where there is no memory for that.
    pub fn padded(self, padding: &Padding, text: Option<&TokenText>) -> Result<Self> {
        let longest = self.first_rows().into_iter().map(|r| self.row(r).len()).max().unwrap_or(0);
        let target = padding.target(longest);
        if (0..self.len()).all(|r| self.row(r).len() >= target) {
            return Ok(self);
        }
        Padding::check_room(self.len(), target, BYTES)?;
        let mut out = Self::default();
        for row in 0..self.len() {
            let range = self.row(row);
            let missing = target.saturating_sub(range.len());
            let shift = if padding.direction == Direction::Left { missing as u32 } else { 0 };
            if padding.direction == Direction::Left {
                out.push_padding(missing, padding, text, !self.spans.is_empty() || self.ids.is_empty());
            }
            out.push_tokens(&self, range);
            if padding.direction == Direction::Right {
                out.push_padding(missing, padding, text, !self.spans.is_empty() || self.ids.is_empty());
            }
            let sequences = self.rows[row].sequences.map(|s| s.map(|(a, b)| (a + shift, b + shift)));
            finish_row(Row { sequences, ..self.rows[row].clone() }, &mut out);
        }
        Ok(out)
    }

    fn push_padding(&mut self, n: usize, padding: &Padding, text: Option<&TokenText>, spans: bool) {
        let (at, end) = (self.ids.len(), self.ids.len() + n);
        steps::count(n);
        if let Some(text) = text {
            self.texts.extend((at..end).map(|t| (t, text.clone())));
        }
        self.ids.resize(end, padding.pad_id);
        fill_default(&mut self.type_ids, at, padding.pad_type_id, n, 0);
        fill_default(&mut self.special, at, 1, n, 0);
        fill_default(&mut self.attention, at, 0, n, 1);
        if spans {
            self.spans.resize(end, CharSpan::default());
            self.words.resize(end, NO_WORD);
        }
    }
}
