//! A hash table that counts words.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

/// Words up to this many bytes are kept inside their entry.
const INLINE: usize = 15;
/// Top byte of the key of a longer word; an inline key has the length there.
const LONG: u128 = 0xff;
/// Slots of a new table, a power of two.
const INITIAL_SLOTS_LOG2: u32 = 10;

/// Counts words (any bytes) and remembers in which order, and in which unit of work, each was seen first.
///
/// Open addressing with linear probing; a slot holds 32 bits of the hash and the number of an entry, so growing needs no
/// word to be hashed again. Entries stay in the order of first sight, which keeps frequent words close together.
pub struct WordCounter {
    /// Hash in the upper half, entry number + 1 in the lower; 0 is free. The first slot to try is the upper bits of the hash.
    slots: Vec<u64>,
    slots_log2: u32,
    entries: Vec<Entry>,
    /// Bytes of the words that are not inline.
    long: Vec<u8>,
    seeds: [u64; 2],
    hasher: RandomState,
}

struct Entry {
    /// Inline: the bytes, then the length in the top byte. Long: start in `long` (64 bits), length (56 bits), [`LONG`].
    key: u128,
    count: i64,
    unit: u32,
}

impl Default for WordCounter {
    fn default() -> Self {
        let hasher = RandomState::default();
        Self {
            slots: vec![0; 1 << INITIAL_SLOTS_LOG2],
            slots_log2: INITIAL_SLOTS_LOG2,
            entries: Vec::new(),
            long: Vec::new(),
            seeds: [hasher.hash_one(0_u64), hasher.hash_one(1_u64)],
            hasher,
        }
    }
}

impl WordCounter {
    /// No words.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many distinct words were counted.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Bytes of the tables.
    pub fn memory(&self) -> u64 {
        let (slots, entries) = (self.slots.len() * size_of::<u64>(), self.entries.capacity() * size_of::<Entry>());
        (slots + entries + self.long.capacity()) as u64
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Count `word` `n` more times; `unit` is kept if the word is new.
    ///
    /// # Panics
    /// If there are more than 2^32 - 1 distinct words.
    #[inline]
    pub fn add(&mut self, word: &[u8], n: i64, unit: u32) {
        if word.len() > INLINE {
            return self.add_long(word, n, unit);
        }
        let key = inline_key(word);
        // A folded multiplication: the halves of the product mix every bit of the word into the upper bits.
        let product = u128::from(key as u64 ^ self.seeds[0]) * u128::from((key >> 64) as u64 ^ self.seeds[1]);
        let hash = ((product as u64) ^ (product >> 64) as u64) >> 32;
        let mut at = self.first_slot(hash);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return self.insert(at, hash, Entry { key, count: n, unit });
            }
            if slot >> 32 == hash {
                let entry = &mut self.entries[(slot as u32 - 1) as usize];
                if entry.key == key {
                    entry.count = entry.count.saturating_add(n);
                    return;
                }
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    #[cold]
    fn add_long(&mut self, word: &[u8], n: i64, unit: u32) {
        let hash = self.hasher.hash_one(word) >> 32;
        let mut at = self.first_slot(hash);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                let key = LONG << 120 | (word.len() as u128) << 64 | self.long.len() as u128;
                self.long.extend_from_slice(word);
                return self.insert(at, hash, Entry { key, count: n, unit });
            }
            if slot >> 32 == hash {
                let entry = &mut self.entries[(slot as u32 - 1) as usize];
                if long_range(entry.key).is_some_and(|range| &self.long[range] == word) {
                    entry.count = entry.count.saturating_add(n);
                    return;
                }
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    fn first_slot(&self, hash: u64) -> usize {
        (hash >> (32 - self.slots_log2)) as usize
    }

    #[cold]
    fn insert(&mut self, at: usize, hash: u64, entry: Entry) {
        assert!(self.entries.len() < u32::MAX as usize, "more than 2^32 - 1 distinct words");
        self.entries.push(entry);
        self.slots[at] = hash << 32 | self.entries.len() as u64;
        // At most 5/8 full: runs stay short. 32 bits of hash address 2^32 slots, more than there can be entries.
        if self.entries.len() > self.slots.len() / 8 * 5 && self.slots_log2 < 32 {
            self.grow();
        }
    }

    fn grow(&mut self) {
        self.slots_log2 += 1;
        let old = std::mem::replace(&mut self.slots, vec![0; 1 << self.slots_log2]);
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            let mut at = self.first_slot(slot >> 32);
            while self.slots[at] != 0 {
                at = (at + 1) & (self.slots.len() - 1);
            }
            self.slots[at] = slot;
        }
    }

    /// The words, without what only counting needs.
    pub fn finish(self) -> CountedWords {
        CountedWords { entries: self.entries, long: self.long }
    }
}

/// What a [`WordCounter`] counted, in the order in which it met the words first.
pub struct CountedWords {
    entries: Vec<Entry>,
    long: Vec<u8>,
}

impl CountedWords {
    /// How many distinct words there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The unit in which the word at `index` was met first; `None` behind the last.
    pub fn unit(&self, index: usize) -> Option<u32> {
        self.entries.get(index).map(|entry| entry.unit)
    }

    /// The word at `index`.
    ///
    /// # Panics
    /// If `index` is not below [`Self::len`].
    pub fn bytes(&self, index: usize) -> Word<'_> {
        let key = self.entries[index].key;
        match long_range(key) {
            Some(range) => Word::Long(&self.long[range]),
            None => Word::Inline(key.to_le_bytes(), (key >> 120) as usize),
        }
    }

    /// The count of the word at `index`.
    ///
    /// # Panics
    /// If `index` is not below [`Self::len`].
    pub fn count(&self, index: usize) -> i64 {
        self.entries[index].count
    }
}

/// The bytes of a word.
#[derive(Debug, Clone, Copy)]
pub enum Word<'a> {
    /// A short word: its bytes in front, and how many.
    Inline([u8; 16], usize),
    /// A longer one.
    Long(&'a [u8]),
}

impl PartialEq for Word<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Word<'_> {}

impl Ord for Word<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (**self).cmp(other)
    }
}

impl PartialOrd for Word<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl std::ops::Deref for Word<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Inline(bytes, len) => &bytes[..*len],
            Self::Long(bytes) => bytes,
        }
    }
}

fn long_range(key: u128) -> Option<std::ops::Range<usize>> {
    if key >> 120 != LONG {
        return None;
    }
    let start = key as u64 as usize;
    Some(start..start + ((key >> 64) as u64 & ((1 << 56) - 1)) as usize)
}

/// The bytes of a word of at most 15 bytes in the lower 120 bits, its length above.
#[inline]
fn inline_key(word: &[u8]) -> u128 {
    let n = word.len();
    let at = |i: usize| u64::from(word[i]);
    // Two loads that may overlap give the same bytes twice to the same place.
    let (low, high) = if let (Some(first), Some(last)) = (word.first_chunk::<8>(), word.last_chunk::<8>()) {
        // The upper n - 8 bytes of `last`; a shift by 64 would not be defined, so it is done in two steps.
        (u64::from_le_bytes(*first), (u64::from_le_bytes(*last) >> 8) >> (8 * (15 - n)))
    } else if let (Some(first), Some(last)) = (word.first_chunk::<4>(), word.last_chunk::<4>()) {
        (u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << (8 * (n - 4)), 0)
    } else if n > 0 {
        (at(0) | at(n / 2) << (8 * (n / 2)) | at(n - 1) << (8 * (n - 1)), 0)
    } else {
        (0, 0)
    };
    u128::from(low) | u128::from(high) << 64 | (n as u128) << 120
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_inline_key_holds_the_bytes_and_the_length() {
        let bytes: Vec<u8> = (1..=15).collect();
        for n in 0..=15 {
            let key = inline_key(&bytes[..n]).to_le_bytes();
            assert_eq!(&key[..n], &bytes[..n]);
            assert!(key[n..15].iter().all(|&b| b == 0));
            assert_eq!(key[15] as usize, n);
        }
    }

    proptest! {
        #[test]
        fn counts_as_a_map_does(words in prop::collection::vec(prop::collection::vec(0_u8..3, 0..20), 0..3000)) {
            let mut counter = WordCounter::new();
            let mut expected: HashMap<&[u8], (usize, i64, u32)> = HashMap::new();
            for (unit, word) in (0_u32..).zip(&words) {
                let n = i64::from(unit);
                counter.add(word, n, unit);
                let order = expected.len();
                expected.entry(word).or_insert((order, 0, unit)).1 += n;
            }
            prop_assert_eq!(counter.len(), expected.len());
            let words = counter.finish();
            prop_assert_eq!(words.len(), expected.len());
            for i in 0..words.len() {
                let unit = words.unit(i).unwrap();
                assert_eq!(expected[&*words.bytes(i)], (i, words.count(i), unit));
            }
            prop_assert_eq!(words.unit(words.len()), None);
        }
    }
}
