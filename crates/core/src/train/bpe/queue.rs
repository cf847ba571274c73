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
pub(super) struct Queue {
    heap: BinaryHeap<Item>,
    /// What the heap begins with.
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
    pub(super) fn new() -> Self {
        Self { heap: BinaryHeap::new(), threshold: u64::MAX, cold: Vec::new() }
    }

    /// Put in an entry with the count that its pair has now.
    pub(super) fn push(&mut self, count: u64, key: Key, entry: EntryIndex) {
        if count >= self.threshold {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The counts of corrected entries are pushed back between two pops, down to 0.
        #[test]
        fn pops_in_the_order_of_a_sorted_list(
            entries in prop::collection::vec((0_u64..40, 0_u64..5), 0..200),
            pushes in prop::collection::vec((0_u64..40, 0_u64..5), 0..200),
        ) {
            let mut queue = Queue::new();
            let mut sorted = std::collections::BTreeSet::new();
            let mut keys = Vec::new();
            let push = |queue: &mut Queue, keys: &mut Vec<Key>, (count, key): (u64, Key)| {
                queue.push(count, key, keys.len() as u32);
                keys.push(key);
                (u64::MAX - count, key, keys.len() as u32 - 1)
            };
            for entry in entries {
                sorted.insert(push(&mut queue, &mut keys, entry));
            }
            let mut pushes = pushes.into_iter();
            while let Some((count, entry)) = queue.pop(|entry| keys[entry as usize]) {
                let (expected, _, first) = sorted.pop_first().unwrap();
                prop_assert_eq!((count, entry), (u64::MAX - expected, first));
                if let Some(more) = pushes.next() {
                    sorted.insert(push(&mut queue, &mut keys, more));
                }
            }
            prop_assert!(sorted.is_empty());
        }
    }
}
