//! A text cut into pieces: what a pre-tokenizer works on.

use super::{AlignedText, ByteSpan, Editor};
use crate::error::Result;
use crate::steps;
use std::ops::Range;

/// One piece of a [`Pretokens`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its bytes in the normalized text.
    pub span: ByteSpan,
    /// Byte of the original text at which it starts. Of an untracked text only whether it is 0 means something.
    pub start: u32,
}

/// A normalized text and the pieces it has been cut into. Text between pieces has been dropped.
///
/// No piece is empty, except that an empty text is one piece until a pre-tokenizer has worked on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pretokens {
    text: AlignedText,
    pieces: Vec<Piece>,
    /// The pieces of the step before: kept for its memory.
    spare: Vec<Piece>,
}

impl Pretokens {
    /// The whole text as one piece.
    pub fn new(text: AlignedText) -> Self {
        let pieces = vec![Piece { span: ByteSpan::new(0, text.len() as u32), start: text.start() }];
        Self { text, pieces, spare: Vec::new() }
    }

    /// The text that the pieces are cut from.
    pub fn text(&self) -> &AlignedText {
        &self.text
    }

    /// The pieces in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// How many pieces there are.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there is no piece.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The texts of the pieces.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().map(|piece| &self.text.as_str()[piece.span.range()])
    }

    /// The original span of a piece.
    pub fn origin(&self, piece: &Piece) -> ByteSpan {
        self.text.origin(piece.span.range())
    }

    /// Cut every piece: `cut` gets its text and says which ranges of it become pieces.
    ///
    /// # Errors
    /// Those of `cut`; the pieces are as before then.
    pub fn cut(&mut self, mut cut: impl FnMut(&str, &mut Cuts<'_>) -> Result<()>) -> Result<()> {
        self.spare.clear();
        for piece in &self.pieces {
            let mut cuts = Cuts { text: &self.text, base: piece.span.start, out: &mut self.spare };
            steps::count(piece.span.range().len());
            cut(&self.text.as_str()[piece.span.range()], &mut cuts)?;
        }
        std::mem::swap(&mut self.pieces, &mut self.spare);
        Ok(())
    }

    /// Rewrite every piece: `rewrite` gets an editor that stands at the start of a piece, the number of bytes it has to pass
    /// over or keep, and the piece. A piece that is rewritten to nothing disappears.
    pub fn rewrite(&mut self, mut rewrite: impl FnMut(&mut Editor<'_>, usize, &Piece)) {
        let mut edit = self.text.edit();
        self.pieces.retain_mut(|piece| {
            steps::count(1);
            edit.keep(piece.span.start as usize - edit.position());
            let start = edit.written() as u32;
            let len = (piece.span.end - piece.span.start) as usize;
            rewrite(&mut edit, len, piece);
            piece.span = ByteSpan::new(start, edit.written() as u32);
            piece.span.start < piece.span.end
        });
        edit.finish();
    }

    /// Every piece as a text of its own, for components outside this crate.
    pub fn to_texts(&self) -> Vec<AlignedText> {
        self.pieces.iter().map(|piece| self.text.slice(piece.span.range()).with_start(piece.start)).collect()
    }

    /// Pieces that were cut and rewritten elsewhere. They must all be tracked, or none.
    pub fn from_texts(texts: Vec<AlignedText>) -> Self {
        let mut pieces = Vec::with_capacity(texts.len());
        let mut whole: Option<AlignedText> = None;
        for text in texts.into_iter().filter(|text| !text.is_empty()) {
            let from = whole.as_ref().map_or(0, AlignedText::len) as u32;
            pieces.push(Piece { span: ByteSpan::new(from, from + text.len() as u32), start: text.start() });
            match &mut whole {
                None => whole = Some(text),
                Some(whole) => whole.append(&text),
            }
        }
        let text = whole.unwrap_or_else(|| AlignedText::new("", 0));
        Self { text, pieces, spare: Vec::new() }
    }
}

/// Where the ranges go that a piece is cut into.
#[derive(Debug)]
pub struct Cuts<'a> {
    text: &'a AlignedText,
    base: u32,
    out: &'a mut Vec<Piece>,
}

impl Cuts<'_> {
    /// A range of the piece, in bytes from its start, becomes a piece. An empty range is ignored.
    pub fn keep(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let span = ByteSpan::new(self.base + range.start as u32, self.base + range.end as u32);
        self.out.push(Piece { span, start: self.text.origin(span.range()).start });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_and_rewrite() -> Result<()> {
        let mut pretokens = Pretokens::new(AlignedText::new("ab-cd", 4));
        pretokens.cut(|text, cuts| {
            for (at, part) in text.match_indices(|c: char| c != '-') {
                cuts.keep(at..at + part.len());
            }
            Ok(())
        })?;
        assert_eq!(pretokens.iter().collect::<Vec<_>>(), ["a", "b", "c", "d"]);
        pretokens.rewrite(|edit, len, piece| {
            if piece.start == 5 {
                edit.skip(len);
            } else {
                edit.push("x", edit.span_ahead(1));
            }
            edit.keep(if piece.start == 5 { 0 } else { len });
        });
        assert_eq!(pretokens.iter().collect::<Vec<_>>(), ["xa", "xc", "xd"]);
        assert_eq!(pretokens.origin(&pretokens.pieces()[1]), ByteSpan::new(7, 8));
        let again = Pretokens::from_texts(pretokens.to_texts());
        assert_eq!(again.iter().collect::<Vec<_>>(), ["xa", "xc", "xd"]);
        assert_eq!(again.origin(&again.pieces()[2]), ByteSpan::new(8, 9));
        assert_eq!(again.pieces()[2].start, 8);
        Ok(())
    }
}
