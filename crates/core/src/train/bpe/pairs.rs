//! Pairs of neighbouring symbols: their counts, and where each was seen.

/// A pair of ids as one number that sorts as the pair does.
pub(in crate::train) type Key = u64;

/// The number of a pair.
pub(in crate::train) type PairIndex = u32;

/// Number of an entry of the queue.
pub(super) type EntryIndex = u32;

/// A pair that never had an entry.
pub(super) const NO_ENTRY: EntryIndex = u32::MAX;

pub(in crate::train) fn key(left: u32, right: u32) -> Key {
    u64::from(left) << 32 | u64::from(right)
}

/// Every pair ever seen, numbered in order of appearance.
pub(super) struct Pairs {
    /// Open addressing: number of a pair + 1, 0 is free.
    slots: Vec<u32>,
    records: Vec<Pair>,
}

/// What is known of a pair.
pub(super) struct Pair {
    pub(super) key: Key,
    /// Sum of the counts of the words for every addition, minus those for every removal. Merging a pair does not change its
    /// own count, as in the reference.
    pub(super) count: i64,
    /// Entries of this pair that wait in the queue.
    pub(super) waiting: u32,
    /// The youngest entry of this pair, or [`NO_ENTRY`].
    pub(super) latest: EntryIndex,
}

impl Pairs {
    pub(super) fn new() -> Self {
        Self { slots: vec![0; 1 << 10], records: Vec::new() }
    }

    pub(super) fn get(&self, index: PairIndex) -> &Pair {
        &self.records[index as usize]
    }

    pub(super) fn get_mut(&mut self, index: PairIndex) -> &mut Pair {
        &mut self.records[index as usize]
    }

    fn slot(&self, key: Key) -> usize {
        // Fibonacci hashing: the upper bits of the product depend on all bits of both ids.
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - self.slots.len().trailing_zeros())) as usize
    }

    /// The number of a pair, a new one with count 0 if it was not seen yet.
    #[inline]
    pub(super) fn intern(&mut self, key: Key) -> PairIndex {
        let mut at = self.slot(key);
        loop {
            match self.slots[at] {
                0 => break,
                number if self.records[number as usize - 1].key == key => return number - 1,
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
        assert!(self.records.len() < NO_ENTRY as usize, "2^32 pairs take 100 GB: memory ends before");
        self.records.push(Pair { key, count: 0, waiting: 0, latest: NO_ENTRY });
        self.slots[at] = self.records.len() as u32;
        if self.records.len() > self.slots.len() / 2 {
            self.grow();
        }
        self.records.len() as u32 - 1
    }

    #[cold]
    fn grow(&mut self) {
        self.slots = vec![0; self.slots.len() * 2];
        for number in 0..self.records.len() {
            let mut at = self.slot(self.records[number].key);
            while self.slots[at] != 0 {
                at = (at + 1) & (self.slots.len() - 1);
            }
            self.slots[at] = number as u32 + 1;
        }
    }
}
