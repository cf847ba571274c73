//! The tokens of one sequence while it is encoded.

use super::cache::{Cache, ChunkToken, INLINE, Slot};
use super::records::{Record, unpack};
use crate::columns::{Columns, Source, Spans, TokenText};
use crate::steps;
use crate::text::{ByteSpan, CharIndex, CharSpan};

/// Tokens with spans in bytes; the columns behind them are longer than `len`, so that writing does not have to grow them.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    columns: Columns,
    bytes: Vec<ByteSpan>,
    len: usize,
    spans: bool,
    texts: bool,
    unit: Unit,
    chars: CharIndex,
}

/// Chunks whose slots are known by numbers.
pub(super) struct Run<'a> {
    pub(super) numbers: &'a [u16],
    /// Where the first begins and where each ends, in bytes of the stretch.
    pub(super) start: u32,
    pub(super) ends: &'a [u32],
    /// What is added to these.
    pub(super) offset: u32,
    /// The word of the first, and how many words further a completed one leads.
    pub(super) word: u32,
    pub(super) step: u32,
}

/// What the spans are counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Unit {
    /// Bytes of a text of ASCII characters.
    #[default]
    Ascii,
    /// Bytes of a text that `chars` is the index of.
    Bytes,
    /// Code points of a text for each token.
    Chars,
}

impl Tokens {
    /// Forget all tokens; `spans` says whether spans and words are wanted of the next ones, `texts` whether that is what tokens
    /// are shown with where it is not the text of their id.
    pub(super) fn clear(&mut self, spans: bool, texts: bool) {
        self.len = 0;
        self.spans = spans;
        self.texts = texts;
        self.columns.texts.clear();
    }

    /// Whether it is wanted what tokens are shown with.
    pub(super) fn texts(&self) -> bool {
        self.texts
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Forget the tokens from `len` on.
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = len;
        self.columns.texts.retain(|t| t.0 < len);
    }

    /// Make room for `more` tokens.
    pub(super) fn reserve(&mut self, more: usize) {
        let needed = self.len + more;
        if self.columns.ids.len() < needed {
            self.columns.ids.resize(needed * 2, 0);
        }
        if self.spans && self.bytes.len() < needed {
            self.bytes.resize(needed * 2, ByteSpan::default());
            self.columns.words.resize(needed * 2, 0);
        }
    }

    /// Add one token.
    pub(super) fn push(&mut self, id: u32, span: ByteSpan, word: u32, text: Option<TokenText>) {
        self.reserve(1);
        self.columns.ids[self.len] = id;
        if self.spans {
            self.bytes[self.len] = span;
            self.columns.words[self.len] = word;
        }
        if self.texts {
            self.columns.texts.extend(text.map(|t| (self.len, t)));
        }
        self.len += 1;
    }

    /// Add the tokens of a chunk that starts at byte `at`. There must be room for [`INLINE`] tokens.
    #[inline]
    pub(super) fn push_slot<const SPANS: bool>(&mut self, slot: &Slot, at: u32, word: u32) {
        let n = self.len;
        self.len = n + slot.count as usize;
        // All are written whether they are there or not: what is behind the last one is written over by the next chunk.
        let Some(ids) = self.columns.ids[n..].first_chunk_mut::<INLINE>() else { return };
        *ids = slot.ids;
        if !SPANS {
            return;
        }
        let (Some(spans), Some(words)) =
            (self.bytes[n..].first_chunk_mut::<INLINE>(), self.columns.words[n..].first_chunk_mut::<INLINE>())
        else {
            return;
        };
        // Loops over what is there, as these become vector instructions; `map` over an array does not.
        for (to, [start, end]) in spans.iter_mut().zip(&slot.spans) {
            *to = ByteSpan::new(at.wrapping_add(u32::from(*start)), at.wrapping_add(u32::from(*end)));
        }
        for (to, from) in words.iter_mut().zip(&slot.words) {
            *to = word.wrapping_add(u32::from(*from));
        }
    }

    /// The same where what is wanted is not known at compile time.
    pub(super) fn push_any_slot(&mut self, slot: &Slot, at: u32, word: u32) {
        if self.spans {
            self.push_slot::<true>(slot, at, word);
        } else {
            self.push_slot::<false>(slot, at, word);
        }
    }

    /// Add the tokens of chunks, as long as their numbers lead to slots that hold tokens: how many do, and the number of words that
    /// these complete. There must be room for [`INLINE`] tokens of each.
    pub(super) fn push_slots<const SPANS: bool>(&mut self, run: &Run<'_>, slots: &[Slot]) -> (usize, u32) {
        let (mut start, mut count, mut words) = (run.start, 0, 0);
        for (&number, &end) in run.numbers.iter().zip(run.ends) {
            let Some(slot) = slots.get(usize::from(number)).filter(|slot| slot.is_inline()) else { break };
            self.push_slot::<SPANS>(slot, run.offset.wrapping_add(start), run.word + words * run.step);
            words += u32::from(slot.completed);
            (start, count) = (end, count + 1);
        }
        (count, words)
    }

    /// Add the tokens of a chunk that starts at byte `at`.
    pub(super) fn push_chunk(&mut self, tokens: &[ChunkToken], at: u32, word: u32) {
        steps::count(tokens.len());
        self.reserve(tokens.len());
        let range = self.len..self.len + tokens.len();
        for (to, token) in self.columns.ids[range.clone()].iter_mut().zip(tokens) {
            *to = token.id;
        }
        if self.spans {
            for (to, token) in self.bytes[range.clone()].iter_mut().zip(tokens) {
                *to = ByteSpan::new(at.wrapping_add(token.span.start), at.wrapping_add(token.span.end));
            }
            for (to, token) in self.columns.words[range.clone()].iter_mut().zip(tokens) {
                *to = word.wrapping_add(token.word);
            }
        }
        if self.texts {
            let named = (self.len..).zip(tokens).filter_map(|(i, t)| Some((i, t.text.clone()?)));
            self.columns.texts.extend(named);
        }
        self.len = range.end;
    }

    /// Add the tokens of a remembered chunk that starts at byte `at`.
    pub(super) fn push_record(&mut self, record: &Record<'_>, cache: &Cache, at: u32, word: u32) {
        let n = record.ids.len();
        steps::count(n);
        self.reserve(n);
        let range = self.len..self.len + n;
        self.columns.ids[range.clone()].copy_from_slice(record.ids);
        if self.spans {
            for (to, span) in self.bytes[range.clone()].iter_mut().zip(record.spans) {
                let [start, end] = unpack(*span);
                *to = ByteSpan::new(at.wrapping_add(start), at.wrapping_add(end));
            }
            self.columns.words[range.clone()].fill(word);
            for (to, from) in self.columns.words[range.clone()].iter_mut().zip(record.words) {
                *to = word.wrapping_add(*from);
            }
        }
        if self.texts {
            let named = cache.named(record).iter();
            self.columns.texts.extend(named.map(|(i, text)| (self.len + i, text.clone())));
        }
        self.len = range.end;
    }

    /// Add the tokens of a later part of the same text, whose words are counted on from `word`.
    pub(super) fn append(&mut self, other: &Self, word: u32) {
        self.reserve(other.len);
        let range = self.len..self.len + other.len;
        self.columns.ids[range.clone()].copy_from_slice(other.ids());
        if self.spans {
            self.bytes[range.clone()].copy_from_slice(&other.bytes[..other.len]);
            for (to, from) in self.columns.words[range].iter_mut().zip(&other.columns.words) {
                *to = from.wrapping_add(word);
            }
        }
        self.columns.texts.extend(other.columns.texts.iter().map(|(t, s)| (t + self.len, s.clone())));
        self.len += other.len;
    }

    /// Change the spans of the tokens from `from` on.
    pub(super) fn map_spans(&mut self, from: usize, map: impl Fn(ByteSpan) -> ByteSpan) {
        if self.spans {
            for span in &mut self.bytes[from..self.len] {
                *span = map(*span);
            }
        }
    }

    /// Give the tokens from `from` on this word.
    pub(super) fn set_word(&mut self, from: usize, word: u32) {
        if self.spans {
            self.columns.words[from..self.len].fill(word);
        }
    }

    /// Say that the spans of all tokens are bytes of `text`.
    pub(super) fn spans_of(&mut self, text: &str) {
        if !self.spans {
            return;
        }
        self.unit = Unit::Ascii;
        if !text.is_ascii() {
            self.unit = Unit::Bytes;
            self.chars.renew(text);
        }
    }

    /// Turn the spans of the tokens from `from` on, which are bytes of `text`, into code points.
    pub(super) fn count_chars(&mut self, from: usize, text: &str) {
        self.unit = Unit::Chars;
        if !self.spans {
            return;
        }
        self.chars.renew(text);
        self.columns.spans.resize(self.bytes.len(), CharSpan::default());
        let chars = self.chars.chars();
        for (to, span) in self.columns.spans[from..self.len].iter_mut().zip(&self.bytes[from..self.len]) {
            *to = chars(span);
        }
    }

    /// The tokens as the source of rows, in which this is their type id.
    pub(super) fn source(&self, type_id: u32) -> Source<'_> {
        let spans = match self.unit {
            Unit::Ascii => Spans::Ascii(&self.bytes),
            Unit::Bytes => Spans::Bytes(&self.bytes, &self.chars),
            Unit::Chars => Spans::Chars(&self.columns.spans),
        };
        Source { columns: &self.columns, spans, type_id, sequences: [None; 2], len: self.len }
    }

    /// The ids.
    pub(super) fn ids(&self) -> &[u32] {
        &self.columns.ids[..self.len]
    }
}
