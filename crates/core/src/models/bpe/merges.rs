//! The merges of a BPE model: which pairs of ids join, in which order, to what.

/// What a pair of adjacent symbols merges to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merge {
    /// Order of the merge: the lowest is done first.
    pub rank: u32,
    /// Id of the joined token.
    pub id: u32,
}

const EMPTY: u64 = u64::MAX;

/// From a pair of ids to its [`Merge`]: an open-addressing table, at most half full, one probe in nearly every case.
#[derive(Clone, Debug)]
pub struct MergeTable {
    slots: Vec<(u64, Merge)>,
    shift: u32,
    len: usize,
}

const fn key(left: u32, right: u32) -> u64 {
    (left as u64) << 32 | right as u64
}

impl MergeTable {
    /// An empty table with room for `n` merges.
    pub fn with_capacity(n: usize) -> Self {
        let size = (n * 2).next_power_of_two().max(16);
        Self { slots: vec![(EMPTY, Merge { rank: 0, id: 0 }); size], shift: 64 - size.trailing_zeros(), len: 0 }
    }

    fn slot(&self, key: u64) -> usize {
        // Fibonacci hashing, with the halves mixed first: the ids of both sides are small numbers.
        ((key ^ key >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    /// Add a merge; of equal pairs the last one counts.
    pub fn insert(&mut self, left: u32, right: u32, merge: Merge) {
        if (self.len + 1) * 2 > self.slots.len() {
            let mut larger = Self::with_capacity(self.slots.len());
            for &(k, m) in self.slots.iter().filter(|(k, _)| *k != EMPTY) {
                larger.insert((k >> 32) as u32, k as u32, m);
            }
            *self = larger;
        }
        let key = key(left, right);
        let mut at = self.slot(key);
        while self.slots[at].0 != EMPTY && self.slots[at].0 != key {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.len += usize::from(self.slots[at].0 == EMPTY);
        self.slots[at] = (key, merge);
    }

    /// The merge of a pair, if it has one.
    #[inline]
    pub fn get(&self, left: u32, right: u32) -> Option<Merge> {
        let key = key(left, right);
        let mut at = self.slot(key);
        loop {
            let (k, merge) = self.slots[at];
            if k == key {
                return Some(merge);
            }
            if k == EMPTY {
                return None;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Number of distinct pairs.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no merge.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}
