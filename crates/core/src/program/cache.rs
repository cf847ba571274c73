//! What a worker remembers of chunks that it has encoded: their tokens, with spans and word numbers relative to the chunk.
//!
//! Chunks of up to 15 bytes live in a table of slots, one cache line each, so that a hit costs one memory access and gives a full
//! encoding. A slot has room for [`INLINE`] tokens; of chunks with more it says where their record is. Longer chunks have a table of
//! their own, which leads to records too. All are bounded; what is evicted is encoded again when it comes back, so the cache never
//! changes a result.

use super::long_chunks::LongTable;
use super::records::{Place, Record, Records};
use crate::columns::TokenText;
use crate::memory::{prefer_large_pages, prefetch};
use crate::text::ByteSpan;

/// Longest chunk that a slot holds, in bytes.
pub(super) const SHORT: usize = 15;
/// Most tokens that a slot holds.
pub(super) const INLINE: usize = 6;
/// The count of a slot whose tokens are elsewhere.
const ELSEWHERE: u8 = u8::MAX;
/// Slots of a new table, and of the largest one (32 MiB).
const FIRST_SLOTS: usize = 1 << 13;
const MOST_SLOTS: usize = 1 << 19;
/// Slots looked at before one is evicted.
const PROBES: usize = 8;

/// A token of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChunkToken {
    /// Id.
    pub(super) id: u32,
    /// Bytes of the chunk.
    pub(super) span: ByteSpan,
    /// Word, counted from the first of the chunk.
    pub(super) word: u32,
    /// What is shown for it where that is not the text of its id.
    pub(super) text: Option<TokenText>,
}

/// A chunk of up to 15 bytes as a number: the bytes, zeros, and the length in the last byte, so 0 is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    low: u64,
    high: u64,
}

const MASKS: [u128; 16] = {
    let mut masks = [0; 16];
    let mut n = 0;
    while n < 16 {
        masks[n] = (1u128 << (8 * n)) - 1;
        n += 1;
    }
    masks
};

impl Key {
    /// The key of `text[start..end]`, which is 1 to 15 bytes long, with flags that leave the lower half of the byte free.
    #[inline]
    pub(super) fn new(text: &[u8], start: usize, end: usize, flags: u8) -> Self {
        let length = end - start;
        let word = if let Some(bytes) = text.get(start..start + 16).and_then(|b| <[u8; 16]>::try_from(b).ok()) {
            u128::from_le_bytes(bytes) & MASKS[length & 15]
        } else {
            let mut bytes = [0; 16];
            bytes[..length].copy_from_slice(&text[start..end]);
            u128::from_le_bytes(bytes)
        };
        Self { low: word as u64, high: (word >> 64) as u64 | (length as u64 | u64::from(flags)) << 56 }
    }

    /// A folded multiply: both halves reach every bit of the result.
    #[inline]
    pub(super) fn hash(self) -> u64 {
        let product = u128::from(self.low ^ 0x9e37_79b9_7f4a_7c15) * u128::from(self.high ^ 0xd6e8_feb8_6659_fd93);
        (product >> 64) as u64 ^ product as u64
    }
}

/// One cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Slot {
    key: Key,
    /// Ids of the tokens; what is behind `count` means nothing.
    pub(super) ids: [u32; INLINE],
    /// Start and end of each token in the chunk, in bytes.
    pub(super) spans: [[u8; 2]; INLINE],
    /// Word of each token, counted from the first of the chunk.
    pub(super) words: [u8; INLINE],
    /// Number of tokens.
    pub(super) count: u8,
    /// Number of words that the chunk completes.
    pub(super) completed: u8,
}

const EMPTY: Slot = Slot {
    key: Key { low: 0, high: 0 },
    ids: [0; INLINE],
    spans: [[0; 2]; INLINE],
    words: [0; INLINE],
    count: 0,
    completed: 0,
};

/// A slot whose tokens are not here.
pub(super) const UNKNOWN: Slot = Slot { count: ELSEWHERE, ..EMPTY };

impl Slot {
    /// Whether the tokens are in the slot itself.
    #[inline]
    pub(super) fn is_inline(&self) -> bool {
        self.count != ELSEWHERE
    }

    fn place(&self) -> Place {
        Place::from_words([self.ids[0], self.ids[1]])
    }
}

/// See the module.
#[derive(Debug)]
pub(super) struct Cache {
    slots: Vec<Slot>,
    used: usize,
    long: LongTable,
    records: Records,
}

impl Cache {
    pub(super) fn new() -> Self {
        let slots = vec![EMPTY; FIRST_SLOTS];
        Self { slots, used: 0, long: LongTable::new(), records: Records::default() }
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    /// Ask for the cache line that a short chunk would be in.
    #[inline]
    pub(super) fn prefetch(&self, hash: u64) {
        prefetch(&self.slots[self.home(hash)..]);
    }

    /// What is known of a short chunk.
    #[inline]
    pub(super) fn get(&self, key: Key, hash: u64) -> Option<&Slot> {
        let home = self.home(hash);
        let slot = &self.slots[home];
        if slot.key == key {
            return Some(slot);
        }
        if slot.key == EMPTY.key {
            return None;
        }
        (1..PROBES).map(|i| &self.slots[(home + i) & (self.slots.len() - 1)]).find(|s| s.key == key)
    }

    /// The tokens of a slot that does not hold them itself.
    #[inline]
    pub(super) fn elsewhere(&self, slot: &Slot) -> Option<Record<'_>> {
        if slot.is_inline() { None } else { self.records.get(slot.place(), b"") }
    }

    /// The tokens of a record that are shown with a text of their own: (token, text).
    pub(super) fn named(&self, record: &Record<'_>) -> &[(usize, TokenText)] {
        self.records.named(record)
    }

    /// Remember a short chunk.
    pub(super) fn insert(&mut self, key: Key, hash: u64, tokens: &[ChunkToken], completed: u32) {
        let mut slot = Slot { key, count: tokens.len() as u8, completed: completed as u8, ..EMPTY };
        if tokens.len() > INLINE || completed > 255 || tokens.iter().any(|t| t.text.is_some()) {
            let Some(place) = self.records.push(b"", tokens, completed) else { return };
            slot.count = ELSEWHERE;
            [slot.ids[0], slot.ids[1]] = place.to_words();
        } else {
            for (i, token) in tokens.iter().enumerate() {
                slot.ids[i] = token.id;
                slot.spans[i] = [token.span.start as u8, token.span.end as u8];
                slot.words[i] = token.word as u8;
            }
        }
        if self.used * 2 >= self.slots.len() && self.slots.len() < MOST_SLOTS {
            let mut larger = Vec::with_capacity(self.slots.len() * 4);
            prefer_large_pages(&mut larger);
            larger.resize(self.slots.len() * 4, EMPTY);
            let old = std::mem::replace(&mut self.slots, larger);
            self.used = 0;
            for slot in old.into_iter().filter(|s| s.key != EMPTY.key) {
                self.place(slot, slot.key.hash());
            }
        }
        self.place(slot, hash);
    }

    fn place(&mut self, slot: Slot, hash: u64) {
        let home = self.home(hash);
        let mask = self.slots.len() - 1;
        // A slot of the same chunk is there where its record was forgotten.
        let free = (0..PROBES)
            .map(|i| (home + i) & mask)
            .find(|&at| self.slots[at].key == slot.key || self.slots[at].key == EMPTY.key);
        // Where all are taken a slot goes that the hash picks: as good as any, and repeatable.
        let at = free.unwrap_or((home + (hash >> 60) as usize % PROBES) & mask);
        self.used += usize::from(self.slots[at].key == EMPTY.key);
        self.slots[at] = slot;
    }

    /// Ask for the cache line that leads to a long chunk, by its hash.
    #[inline]
    pub(super) fn prefetch_long(&self, hash: u32) {
        self.long.prefetch(hash);
    }

    /// Ask for the record of a long chunk, by its hash.
    #[inline]
    pub(super) fn prefetch_record(&self, hash: u32) {
        self.long.prefetch_record(hash, &self.records);
    }

    /// What is known of a long chunk.
    pub(super) fn get_long(&self, flags: u8, chunk: &[u8], hash: u32) -> Option<Record<'_>> {
        self.long.get(flags, chunk, hash, &self.records)
    }

    /// Remember a long chunk.
    pub(super) fn insert_long(&mut self, flags: u8, chunk: &[u8], hash: u32, tokens: &[ChunkToken], completed: u32) {
        self.long.insert(flags, chunk, hash, tokens, completed, &mut self.records);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_one_cache_line() {
        assert_eq!(size_of::<Slot>(), 64);
    }

    #[test]
    fn keys_tell_lengths_apart_at_the_end_of_a_text() {
        let text = b"ab\0\0 a longer text behind it";
        assert_ne!(Key::new(text, 0, 2, 0), Key::new(text, 0, 3, 0));
        assert_eq!(Key::new(text, 0, 2, 0), Key::new(b"ab", 0, 2, 0));
    }

    #[test]
    fn what_was_put_in_comes_out_until_it_is_evicted() {
        let mut cache = Cache::new();
        let token = |n: u32| ChunkToken { id: n, span: ByteSpan::new(0, 4), word: 0, text: None };
        for n in 0..900_000u32 {
            let key = Key::new(&n.to_le_bytes(), 0, 4, 0);
            cache.insert(key, key.hash(), &[token(n)], 1);
            assert_eq!(cache.get(key, key.hash()).map(|s| s.ids[0]), Some(n));
        }
        let kept = (0..900_000u32).filter(|n| {
            let key = Key::new(&n.to_le_bytes(), 0, 4, 0);
            cache.get(key, key.hash()).is_some_and(|s| s.ids[0] == *n)
        });
        assert!(kept.count() > 400_000);
        assert_eq!(cache.slots.len(), MOST_SLOTS);
    }
}
