//! The tokens of chunks that fit no slot of the cache, in one block of memory, so that remembering a chunk allocates nothing and
//! reading it back touches neighbouring lines.
//!
//! A record is two words of head, the ids, the spans, and, where the chunk is of several words, the word numbers. When the block
//! is full all records are forgotten at once; a [`Place`] then no longer leads anywhere.

use super::cache::ChunkToken;
use crate::columns::TokenText;
use crate::memory::{prefer_large_pages, prefetch};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Most 32-bit words of records (32 MiB).
const MOST_WORDS: usize = 8 << 20;
/// Set in the first word of a record of which some tokens are shown with a text of their own.
const NAMED: u32 = 1 << 31;
/// Set in the first word of a record that has word numbers.
const WORDY: u32 = 1 << 30;
/// Words of the head.
const HEAD: usize = 2;

/// Where a record is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    at: u32,
    generation: u32,
}

impl Place {
    /// As two numbers.
    pub(super) fn to_words(self) -> [u32; 2] {
        [self.at, self.generation]
    }

    /// From what [`to_words`](Self::to_words) gave.
    pub(super) fn from_words([at, generation]: [u32; 2]) -> Self {
        Self { at, generation }
    }
}

/// The texts of tokens that are not shown with that of their id: (token, text).
type Named = Vec<(usize, TokenText)>;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Records {
    words: Vec<u32>,
    named: HashMap<u32, Named, FixedState>,
    generation: u32,
}

/// What is known of a chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    pub(super) ids: &'a [u32],
    /// Bytes of the chunk, see [`unpack`].
    pub(super) spans: &'a [u32],
    /// Word of each token, counted from the first of the chunk; empty where all are of the first.
    pub(super) words: &'a [u32],
    /// Where the texts of tokens that are not shown with that of their id are, if there are any.
    named: Option<u32>,
    /// Number of words that the chunk completes.
    pub(super) completed: u32,
}

/// Start and end of a packed span.
#[inline]
pub(super) fn unpack(span: u32) -> [u32; 2] {
    [span & 0xffff, span >> 16]
}

impl Records {
    /// Store the tokens of a chunk with some bytes in front of them. `None` if there is too much of them to be worth it.
    pub(super) fn push(&mut self, bytes: &[u8], tokens: &[ChunkToken], completed: u32) -> Option<Place> {
        let fits = |n: u32| u16::try_from(n).is_ok();
        if bytes.len().max(tokens.len()) > u16::MAX as usize || tokens.iter().any(|t| !fits(t.span.end)) {
            return None;
        }
        let wordy = tokens.iter().any(|t| t.word != 0);
        let keys = bytes.len().div_ceil(4);
        let length = keys + HEAD + tokens.len() * if wordy { 3 } else { 2 };
        if self.words.len() + length > MOST_WORDS {
            self.words.clear();
            self.named.clear();
            self.generation = self.generation.wrapping_add(1);
        }
        let place = Place { at: self.words.len() as u32, generation: self.generation };
        self.make_room(length);
        self.words.extend(bytes.chunks(4).map(|b| {
            let mut word = [0; 4];
            word[..b.len()].copy_from_slice(b);
            u32::from_ne_bytes(word)
        }));
        let head = self.words.len() as u32;
        let named: Named = tokens.iter().enumerate().filter_map(|(i, t)| Some((i, t.text.clone()?))).collect();
        let flags = if named.is_empty() { 0 } else { NAMED } | if wordy { WORDY } else { 0 };
        self.words.extend([tokens.len() as u32 | flags, completed]);
        self.words.extend(tokens.iter().map(|t| t.id));
        self.words.extend(tokens.iter().map(|t| t.span.start | t.span.end << 16));
        if wordy {
            self.words.extend(tokens.iter().map(|t| t.word));
        }
        if !named.is_empty() {
            self.named.insert(head, named);
        }
        Some(place)
    }

    fn make_room(&mut self, more: usize) {
        let needed = self.words.len() + more;
        if needed > self.words.capacity() {
            let mut larger = Vec::with_capacity(needed.next_power_of_two());
            prefer_large_pages(&mut larger);
            larger.extend_from_slice(&self.words);
            self.words = larger;
        }
    }

    /// The record at a place, with `length` bytes in front of it that must be `bytes` (which may be left out with the length).
    #[inline]
    pub(super) fn get(&self, place: Place, bytes: &[u8]) -> Option<Record<'_>> {
        if !self.holds(place) {
            return None;
        }
        let rest = &self.words[place.at as usize..];
        let keys = bytes.len().div_ceil(4);
        if !bytes.is_empty() && bytemuck::cast_slice::<u32, u8>(&rest[..keys])[..bytes.len()] != *bytes {
            return None;
        }
        let [first, completed] = *rest[keys..].first_chunk::<HEAD>()?;
        let count = (first & !NAMED & !WORDY) as usize;
        let (ids, rest) = rest[keys + HEAD..].split_at(count);
        let (spans, rest) = rest.split_at(count);
        let words = if first & WORDY != 0 { &rest[..count] } else { &[] };
        let named = (first & NAMED != 0).then_some(place.at + keys as u32);
        Some(Record { ids, spans, words, named, completed })
    }

    /// The tokens of a record that are shown with a text of their own: (token, text).
    pub(super) fn named(&self, record: &Record<'_>) -> &[(usize, TokenText)] {
        record.named.and_then(|head| self.named.get(&head)).map_or(&[], Vec::as_slice)
    }

    /// Whether a place still leads to its record.
    pub(super) fn holds(&self, place: Place) -> bool {
        place.generation == self.generation
    }

    /// Ask for the first cache line of a record.
    #[inline]
    pub(super) fn prefetch(&self, place: Place) {
        prefetch(self.words.get(place.at as usize..).unwrap_or_default());
    }
}
