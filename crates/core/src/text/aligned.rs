//! Text on its way through the pipeline, each byte with the span of the original text that it came from.

use super::ByteSpan;
use std::ops::Range;

/// Where the bytes of an [`AlignedText`] came from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Origins {
    /// Nobody asked: no bookkeeping at all.
    Untracked,
    /// Nothing has changed: byte `i` stands at `start + i` of the original.
    Identity { start: u32 },
    /// One span of original bytes for each byte of the text.
    Mapped(Vec<ByteSpan>),
}

/// A text and, when asked for, the original span of each of its bytes.
///
/// Every byte of one character has the same span: that of all the original characters it was made of. Spans are in bytes
/// of the whole original text, so pieces cut from one text need no further bookkeeping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlignedText {
    text: String,
    origins: Origins,
}

impl AlignedText {
    /// A stretch of the original text, unchanged, that starts at byte `start` of it.
    pub fn new(text: &str, start: u32) -> Self {
        Self { text: text.to_owned(), origins: Origins::Identity { start } }
    }

    /// The same without spans: [`origin`](Self::origin) will give empty ones, and edits cost no bookkeeping.
    pub fn untracked(text: &str) -> Self {
        Self { text: text.to_owned(), origins: Origins::Untracked }
    }

    /// The text as it is now.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Whether spans are kept.
    pub fn is_tracked(&self) -> bool {
        self.origins != Origins::Untracked
    }

    /// The original span of the character that starts at byte `at` and is `len` bytes long.
    fn origin_of_char(&self, at: usize, len: usize) -> ByteSpan {
        match &self.origins {
            Origins::Untracked => ByteSpan::default(),
            Origins::Identity { start } => ByteSpan::new(start + at as u32, start + (at + len) as u32),
            Origins::Mapped(spans) => spans[at],
        }
    }

    /// The original span of a range of bytes of the text as it is now: from the start of what its first byte was made of to
    /// the end of what its last byte was made of. An empty range, or an untracked text, gives an empty span.
    pub fn origin(&self, range: Range<usize>) -> ByteSpan {
        match &self.origins {
            Origins::Untracked => ByteSpan::default(),
            Origins::Identity { start } => ByteSpan::new(start + range.start as u32, start + range.end as u32),
            Origins::Mapped(spans) => {
                if range.is_empty() {
                    let at = spans.get(range.start).map_or_else(|| spans.last().map_or(0, |s| s.end), |s| s.start);
                    ByteSpan::new(at, at)
                } else {
                    ByteSpan::new(spans[range.start].start, spans[range.end - 1].end)
                }
            }
        }
    }

    /// A part of the text with its spans. `range` must lie on character borders.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        let origins = match &self.origins {
            Origins::Untracked => Origins::Untracked,
            Origins::Identity { start } => Origins::Identity { start: start + range.start as u32 },
            Origins::Mapped(spans) => Origins::Mapped(spans[range.clone()].to_vec()),
        };
        Self { text: self.text[range].to_owned(), origins }
    }

    /// Start a rewrite from left to right. Nothing changes until [`Editor::finish`].
    pub fn edit(&mut self) -> Editor<'_> {
        let spans = self.is_tracked().then(|| Vec::with_capacity(self.text.len()));
        Editor { text: String::with_capacity(self.text.len() + 8), spans, at: 0, source: self }
    }
}

/// A rewrite of an [`AlignedText`] from left to right. Every method moves over the old text or adds new text.
#[derive(Debug)]
pub struct Editor<'a> {
    source: &'a mut AlignedText,
    at: usize,
    text: String,
    spans: Option<Vec<ByteSpan>>,
}

impl Editor<'_> {
    /// The old text that has not been read yet.
    pub fn rest(&self) -> &str {
        &self.source.text[self.at..]
    }

    /// Byte position in the old text.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The original span of the next `len` bytes of old text.
    pub fn span_ahead(&self, len: usize) -> ByteSpan {
        self.source.origin(self.at..self.at + len)
    }

    /// The original span of a range of the old text.
    pub fn span_of(&self, range: Range<usize>) -> ByteSpan {
        self.source.origin(range)
    }

    /// The original span of the last character written, which an insertion takes; empty at the very start.
    pub fn span_behind(&self) -> ByteSpan {
        self.spans.as_ref().and_then(|s| s.last().copied()).unwrap_or_default()
    }

    /// Copy `len` bytes of old text (whole characters) with their spans.
    pub fn keep(&mut self, len: usize) {
        let range = self.at..self.at + len;
        self.at = range.end;
        let kept = &self.source.text[range.clone()];
        self.text.push_str(kept);
        let Some(spans) = &mut self.spans else { return };
        if let Origins::Mapped(old) = &self.source.origins {
            spans.extend_from_slice(&old[range]);
        } else {
            for (i, c) in kept.char_indices() {
                let span = self.source.origin_of_char(range.start + i, c.len_utf8());
                spans.extend(std::iter::repeat_n(span, c.len_utf8()));
            }
        }
    }

    /// Pass over `len` bytes of old text: they belong to nobody from now on.
    pub fn skip(&mut self, len: usize) {
        self.at += len;
    }

    /// Write new text, all of it made from `span` of the original.
    pub fn push(&mut self, text: &str, span: ByteSpan) {
        self.text.push_str(text);
        if let Some(spans) = &mut self.spans {
            spans.extend(std::iter::repeat_n(span, text.len()));
        }
    }

    /// Write one new character made from `span` of the original.
    pub fn push_char(&mut self, c: char, span: ByteSpan) {
        self.text.push(c);
        if let Some(spans) = &mut self.spans {
            spans.extend(std::iter::repeat_n(span, c.len_utf8()));
        }
    }

    /// Keep the rest and put the new text in place of the old.
    pub fn finish(mut self) {
        let rest = self.source.text.len() - self.at;
        self.keep(rest);
        self.source.text = self.text;
        if let Some(spans) = self.spans {
            self.source.origins = Origins::Mapped(spans);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_keep_the_span_of_what_they_replace() {
        let mut text = AlignedText::new("aéb", 10);
        let mut edit = text.edit();
        edit.keep(1);
        let span = edit.span_ahead(2);
        edit.skip(2);
        edit.push("ee", span);
        edit.finish();
        assert_eq!(text.as_str(), "aeeb");
        assert_eq!(text.origin(1..2), ByteSpan::new(11, 13));
        assert_eq!(text.origin(0..4), ByteSpan::new(10, 14));
        assert_eq!(text.slice(2..4).origin(0..2), ByteSpan::new(11, 14));
    }
}
