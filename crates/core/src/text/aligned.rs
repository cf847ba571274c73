//! Text on its way through the pipeline, each byte with the span of the original text that it came from.

#[cfg(test)]
mod tests;

use super::ByteSpan;
use crate::steps;
use std::ops::Range;

/// Where the bytes of an [`AlignedText`] came from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Origins {
    /// Nobody asked: all that is known is how many leading bytes came from the first character of the original text.
    Untracked { head: usize },
    /// Nothing has changed: byte `i` stands at `start + i` of the original.
    Identity,
    /// One span of original bytes for each byte of the text.
    Mapped(Vec<ByteSpan>),
}

/// The span that stands for every place of an untracked text but the first character of the original.
const ELSEWHERE: ByteSpan = ByteSpan::new(1, 1);

/// A text and, when asked for, the original span of each of its bytes.
///
/// Every byte of one character has the same span: that of all the original characters it was made of. Spans are in bytes
/// of the whole original text, so pieces cut from one text need no further bookkeeping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlignedText {
    text: String,
    start: u32,
    origins: Origins,
}

impl AlignedText {
    /// A stretch of the original text, unchanged, that starts at byte `start` of it.
    pub fn new(text: &str, start: u32) -> Self {
        Self { text: text.to_owned(), start, origins: Origins::Identity }
    }

    /// The same without spans: [`origin`](Self::origin) gives empty ones, and edits cost no bookkeeping.
    pub fn untracked(text: &str, start: u32) -> Self {
        let head = if start == 0 { text.chars().next().map_or(0, char::len_utf8) } else { 0 };
        Self { text: text.to_owned(), start, origins: Origins::Untracked { head } }
    }

    /// A text that was rewritten elsewhere, with one original span for each of its bytes. `start` is where the stretch of the
    /// original text begins that it stands for. `None` if the lengths differ.
    pub fn mapped(text: String, start: u32, spans: Vec<ByteSpan>) -> Option<Self> {
        (text.len() == spans.len()).then_some(Self { text, start, origins: Origins::Mapped(spans) })
    }

    /// The text as it is now.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text as it is now, without its spans.
    pub fn into_string(self) -> String {
        self.text
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
        !matches!(self.origins, Origins::Untracked { .. })
    }

    /// Byte of the original text at which the stretch begins that this text stands for, dropped characters included. Of an
    /// untracked text only whether it is 0 means something.
    pub fn start(&self) -> u32 {
        self.start
    }

    /// The original span of a range of bytes of the text as it is now: from the start of what its first byte was made of to
    /// the end of what its last byte was made of. An empty range, or an untracked text, gives an empty span.
    pub fn origin(&self, range: Range<usize>) -> ByteSpan {
        match &self.origins {
            Origins::Untracked { head } => {
                if range.start < *head {
                    ByteSpan::default()
                } else {
                    ELSEWHERE
                }
            }
            Origins::Identity => ByteSpan::new(self.start + range.start as u32, self.start + range.end as u32),
            Origins::Mapped(spans) => {
                if range.is_empty() {
                    let at = match spans.get(range.start) {
                        Some(next) => next.start,
                        None => spans.last().map_or(self.start, |last| last.end),
                    };
                    ByteSpan::new(at, at)
                } else {
                    ByteSpan::new(spans[range.start].start, spans[range.end - 1].end)
                }
            }
        }
    }

    /// The original span of every byte, in order; all empty for an untracked text.
    pub fn byte_origins(&self) -> Vec<ByteSpan> {
        match &self.origins {
            Origins::Untracked { .. } => vec![ByteSpan::default(); self.text.len()],
            Origins::Identity => {
                let mut spans = Vec::with_capacity(self.text.len());
                push_identity(&mut spans, &self.text, self.start);
                spans
            }
            Origins::Mapped(spans) => spans.clone(),
        }
    }

    /// The same text where its origins are places in `before`, which has origins of its own: those of both steps together. `start` is
    /// where the stretch of the original text begins that it stands for.
    #[must_use]
    pub fn behind(&self, before: &Self, start: u32) -> Self {
        steps::count(self.text.len());
        let places = self.byte_origins();
        let origins = match before.origins {
            Origins::Untracked { head } => {
                Origins::Untracked { head: places.iter().take_while(|span| (span.start as usize) < head).count() }
            }
            _ => Origins::Mapped(places.iter().map(|span| before.origin(span.range())).collect()),
        };
        Self { text: self.text.clone(), start, origins }
    }

    /// A part of the text with its spans. `range` must lie on character borders.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        steps::count(range.len());
        let start = self.origin(range.clone()).start;
        let origins = match &self.origins {
            Origins::Untracked { head } => {
                Origins::Untracked { head: (*head).min(range.end).saturating_sub(range.start) }
            }
            Origins::Identity => Origins::Identity,
            Origins::Mapped(spans) => Origins::Mapped(spans[range.clone()].to_vec()),
        };
        Self { text: self.text[range].to_owned(), start, origins }
    }

    /// Put another character in the place of each, where `map` gives one of the same length in bytes for every character, so that
    /// all spans stay. False, and nothing changed, where it does not.
    pub fn map_in_place(&mut self, map: impl Fn(char) -> Option<char>) -> bool {
        let mut text = String::with_capacity(self.text.len());
        for c in self.text.chars() {
            steps::count(1);
            match map(c) {
                Some(new) if new.len_utf8() == c.len_utf8() => text.push(new),
                _ => return false,
            }
        }
        self.text = text;
        true
    }

    /// The ASCII letters in lower case; all spans stay.
    pub fn make_ascii_lowercase(&mut self) {
        steps::count(self.text.len());
        self.text.make_ascii_lowercase();
    }

    /// Drop the characters that `drop` names: they belong to nobody from now on.
    pub fn remove(&mut self, drop: impl Fn(char) -> bool) {
        let mut edit = self.edit();
        loop {
            let kept = edit.rest().find(&drop).unwrap_or(edit.rest().len());
            steps::count(kept);
            edit.keep(kept);
            let Some(c) = edit.peek() else { break };
            edit.skip(c.len_utf8());
        }
        edit.finish();
    }

    /// The same text, with another [`start`](Self::start).
    #[must_use]
    pub(crate) fn with_start(self, start: u32) -> Self {
        Self { start, ..self }
    }

    /// Put another text behind this one, each byte with its own origin.
    pub(crate) fn append(&mut self, other: &Self) {
        if let Origins::Identity = self.origins {
            self.origins = Origins::Mapped(self.byte_origins());
        }
        match (&mut self.origins, &other.origins) {
            (Origins::Untracked { head }, Origins::Untracked { head: more }) if *head == self.text.len() => {
                *head += more;
            }
            (Origins::Mapped(spans), _) => spans.extend(other.byte_origins()),
            _ => {}
        }
        self.text.push_str(&other.text);
    }

    /// Start a rewrite from left to right. Nothing changes until [`Editor::finish`], and nothing is copied until the first
    /// difference.
    pub fn edit(&mut self) -> Editor<'_> {
        Editor { source: self, at: 0, new: None }
    }
}

/// One span for each byte of unchanged text that starts at byte `start` of the original.
fn push_identity(spans: &mut Vec<ByteSpan>, text: &str, start: u32) {
    spans.reserve(text.len());
    if text.is_ascii() {
        spans.extend((start..start + text.len() as u32).map(|at| ByteSpan::new(at, at + 1)));
        return;
    }
    let mut at = start;
    for c in text.chars() {
        let span = ByteSpan::new(at, at + c.len_utf8() as u32);
        for _ in 0..c.len_utf8() {
            spans.push(span);
        }
        at = span.end;
    }
}

/// What an [`Editor`] has written since the first difference.
#[derive(Debug)]
struct Written {
    text: String,
    /// Only of a tracked text.
    spans: Vec<ByteSpan>,
    /// Only of an untracked text: the leading bytes that came from the first character of the original.
    head: usize,
}

impl Written {
    /// The first `at` bytes of a text, kept as they are.
    #[cold]
    fn start(source: &AlignedText, at: usize) -> Self {
        steps::count(at);
        // Marks and blanks are what is added most often: an eighth of the text is room for them.
        let capacity = source.text.len() + source.text.len() / 8 + 8;
        let mut text = String::with_capacity(capacity);
        text.push_str(&source.text[..at]);
        let mut spans = Vec::with_capacity(if source.is_tracked() { capacity } else { 0 });
        let mut head = 0;
        match &source.origins {
            Origins::Untracked { head: old } => head = (*old).min(at),
            Origins::Identity => push_identity(&mut spans, &text, source.start),
            Origins::Mapped(old) => spans.extend_from_slice(&old[..at]),
        }
        Self { text, spans, head }
    }
}

/// A rewrite of an [`AlignedText`] from left to right. Every method moves over the old text or adds new text.
#[derive(Debug)]
pub struct Editor<'a> {
    source: &'a mut AlignedText,
    at: usize,
    /// `None` as long as all the old text before `at` was kept.
    new: Option<Written>,
}

impl Editor<'_> {
    /// The old text that has not been read yet.
    pub fn rest(&self) -> &str {
        &self.source.text[self.at..]
    }

    /// The next character of the old text.
    #[inline]
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Byte position in the old text.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Length in bytes of the new text so far.
    pub fn written(&self) -> usize {
        self.new.as_ref().map_or(self.at, |new| new.text.len())
    }

    /// The original span of the next `len` bytes of old text.
    pub fn span_ahead(&self, len: usize) -> ByteSpan {
        self.source.origin(self.at..self.at + len)
    }

    /// The original span of a range of the old text.
    pub fn span_of(&self, range: Range<usize>) -> ByteSpan {
        self.source.origin(range)
    }

    /// The original span of the last character of old text that was passed, which inserted text takes; empty at the start.
    pub fn span_behind(&self) -> ByteSpan {
        match self.source.text[..self.at].chars().next_back() {
            Some(c) => self.source.origin(self.at - c.len_utf8()..self.at),
            None => ByteSpan::new(self.source.start, self.source.start),
        }
    }

    /// Copy `len` bytes of old text (whole characters) with their spans.
    #[inline]
    pub fn keep(&mut self, len: usize) {
        if self.new.is_some() && len > 0 {
            self.copy(self.at..self.at + len);
        }
        self.at += len;
    }

    fn copy(&mut self, range: Range<usize>) {
        let Some(new) = &mut self.new else { return };
        steps::count(range.len());
        let kept = &self.source.text[range.clone()];
        match &self.source.origins {
            Origins::Untracked { head } => {
                if new.head == new.text.len() {
                    new.head += (*head).min(range.end).saturating_sub(range.start);
                }
            }
            Origins::Identity => push_identity(&mut new.spans, kept, self.source.start + range.start as u32),
            Origins::Mapped(old) => new.spans.extend_from_slice(&old[range]),
        }
        new.text.push_str(kept);
    }

    /// Pass over `len` bytes of old text: they belong to nobody from now on.
    pub fn skip(&mut self, len: usize) {
        if len > 0 {
            self.differ();
            self.at += len;
        }
    }

    /// Write new text, all of it made from `span` of the original.
    pub fn push(&mut self, text: &str, span: ByteSpan) {
        if !text.is_empty() {
            self.note(text.len(), span).push_str(text);
        }
    }

    /// Write one new character made from `span` of the original.
    #[inline]
    pub fn push_char(&mut self, c: char, span: ByteSpan) {
        self.note(c.len_utf8(), span).push(c);
    }

    /// Note where the next `len` bytes of new text come from, and give the text that they go to.
    #[inline]
    fn note(&mut self, len: usize, span: ByteSpan) -> &mut String {
        steps::count(len);
        let tracked = self.source.is_tracked();
        let new = self.differ();
        if tracked {
            for _ in 0..len {
                new.spans.push(span);
            }
        } else if span.start == 0 && new.head == new.text.len() {
            new.head += len;
        }
        &mut new.text
    }

    /// Pass over the next `len` bytes of old text and write `text` in their place, made from all of them.
    pub fn replace(&mut self, len: usize, text: &str) {
        let span = self.span_ahead(len);
        self.skip(len);
        self.push(text, span);
    }

    /// Start to copy: from here on the new text differs from the old.
    #[inline]
    fn differ(&mut self) -> &mut Written {
        let Self { source, at, new } = self;
        new.get_or_insert_with(|| Written::start(source, *at))
    }

    /// Keep the rest and put the new text in place of the old.
    pub fn finish(mut self) {
        self.keep(self.source.text.len() - self.at);
        let Some(new) = self.new else { return };
        self.source.text = new.text;
        self.source.origins = match self.source.origins {
            Origins::Untracked { .. } => Origins::Untracked { head: new.head },
            _ => Origins::Mapped(new.spans),
        };
    }
}
