//! Which pair comes next.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::pairs::{EntryIndex, Key, PairIndex};

/// A pair with the places where one step saw it: a slice of the pool of positions.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) pair: PairIndex,
    pub(super) len: u32,
    pub(super) start: usize,
}

/// Entries by count descending, then by pair ascending, then by age.
///
/// Only entries from a threshold on are in the heap, which so stays small enough for the cache; the others, nearly all,
/// wait in a list until the heap is empty and the threshold sinks.
#[derive(Default)]
pub(super) struct Queue {
    heap: BinaryHeap<Item>,
    threshold: u64,
    cold: Vec<(u64, EntryIndex)>,
}

#[derive(PartialEq, Eq)]
struct Item {
    count: u64,
    key: Key,
    entry: EntryIndex,
}

impl Ord for Item {
    /// Greater is next: the higher count, then the smaller pair of ids as in the reference, then the older entry.
    fn cmp(&self, other: &Self) -> Ordering {
        self.count.cmp(&other.count).then_with(|| (other.key, other.entry).cmp(&(self.key, self.entry)))
    }
}

impl PartialOrd for Item {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Queue {
    /// `threshold` is where the heap begins.
    pub(super) fn push(&mut self, count: u64, key: Key, entry: EntryIndex) {
        if count >= self.threshold && self.threshold > 0 {
            self.heap.push(Item { count, key, entry });
        } else {
            self.cold.push((count, entry));
        }
    }

    /// The next entry with the count it was put in with; `key` tells the pair of an entry.
    pub(super) fn pop(&mut self, key: impl Fn(EntryIndex) -> Key) -> Option<(u64, EntryIndex)> {
        if self.heap.is_empty() {
            let highest = self.cold.iter().map(|&(count, _)| count).max()?;
            // Halving takes at most 64 looks through the list; at 0 everything left goes in.
            let threshold = if highest <= 1 { highest } else { highest / 2 };
            let warm = self.cold.extract_if(.., |&mut (count, _)| count >= threshold);
            self.heap.extend(warm.map(|(count, entry)| Item { count, key: key(entry), entry }));
            self.threshold = threshold;
        }
        self.heap.pop().map(|item| (item.count, item.entry))
    }
}
