//! The layout of a double-array trie over bytes, to which the models attach what they need.
//!
//! Node `n` has its child by byte `b` at `base[n] ^ b`, if `check` there is `n`. All children of a node lie in one block of 256.
//! Source: Aoe 1989, "An Efficient Digital Search Algorithm by Using a Double-Array Structure"; the XOR in place of the sum is
//! that of Yata 2008 (Darts-clone).

/// A slot without an owner.
pub const FREE: u32 = u32::MAX;
/// The root.
pub const ROOT: u32 = 0;

const BLOCK: usize = 256;
/// So many places are tried for a node with several children before a new block is opened for it.
const TRIES: usize = 24;
/// So many slots behind its parent a node may be, before it is put where the newest free slots are.
const NEAR: usize = 64;

/// One slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Where the children are.
    pub base: u32,
    /// The parent; [`FREE`] where there is no node.
    pub check: u32,
}

/// A trie over entries that are known all at once.
#[derive(Debug)]
pub struct Layout {
    /// A multiple of 256 slots, so that `base ^ byte` is always one of them.
    pub slots: Vec<Slot>,
    /// The nodes at which an entry ends, with its index.
    pub ends: Vec<(u32, u32)>,
}

/// Nodes whose children are still to be placed: the keys `from..to` share their first `depth` bytes, which lead to `node`.
struct Pending {
    node: u32,
    from: u32,
    to: u32,
    depth: u32,
}

struct Builder {
    slots: Vec<Slot>,
    /// Neighbours in the ring of free slots; slot 0 is the root and serves as the ring's head.
    next: Vec<u32>,
    previous: Vec<u32>,
}

impl Builder {
    fn is_free(&self, slot: u32) -> bool {
        slot != ROOT && self.slots[slot as usize].check == FREE
    }

    fn open_block(&mut self) -> u32 {
        let first = self.slots.len() as u32;
        self.slots.extend([Slot { base: 0, check: FREE }; BLOCK]);
        self.next.extend(first + 1..=first + BLOCK as u32);
        self.previous.extend((first..first + BLOCK as u32).map(|i| i.wrapping_sub(1)));
        let last = first + BLOCK as u32 - 1;
        let begin = first.max(1); // slot 0 is the root
        let tail = if first == 0 { ROOT } else { self.previous[ROOT as usize] };
        self.next[tail as usize] = begin;
        self.previous[begin as usize] = tail;
        self.next[last as usize] = ROOT;
        self.previous[ROOT as usize] = last;
        first
    }

    fn take(&mut self, slot: u32, parent: u32) {
        let (before, after) = (self.previous[slot as usize], self.next[slot as usize]);
        self.next[before as usize] = after;
        self.previous[after as usize] = before;
        self.slots[slot as usize].check = parent;
    }

    /// A base under which the slots of all labels are free; the labels are in rising order. Slots behind the parent come
    /// first, so that a walk down stays within few cache lines and pages.
    fn find_base(&mut self, parent: u32, labels: &[u8]) -> u32 {
        let end = (parent as usize + NEAR).min(self.slots.len()) as u32;
        let near = (parent + 1..end).filter(|&slot| self.is_free(slot));
        if let Some(base) = self.first_fit(labels, near) {
            return base;
        }
        let mut slot = self.previous[ROOT as usize];
        let newest = std::iter::from_fn(|| {
            let this = slot;
            slot = self.previous[slot as usize];
            (this != ROOT).then_some(this)
        });
        match self.first_fit(labels, newest.take(TRIES)) {
            Some(base) => base,
            None => self.open_block(),
        }
    }

    /// The first of the free slots that can be that of the first label.
    fn first_fit(&self, labels: &[u8], mut free: impl Iterator<Item = u32>) -> Option<u32> {
        free.find_map(|slot| {
            let base = slot ^ u32::from(labels[0]);
            labels[1..].iter().all(|&l| self.is_free(base ^ u32::from(l))).then_some(base)
        })
    }
}

impl Layout {
    /// Lay out keys that are sorted by their bytes, without repeats and without an empty one; each subtree as a whole, so that
    /// it lies close together.
    fn of_sorted(keys: &[&[u8]]) -> Self {
        let mut builder = Builder { slots: Vec::new(), next: Vec::new(), previous: Vec::new() };
        let mut ends = Vec::with_capacity(keys.len());
        builder.open_block();
        let mut pending = vec![Pending { node: ROOT, from: 0, to: keys.len() as u32, depth: 0 }];
        let mut labels: Vec<u8> = Vec::new();
        let mut starts: Vec<u32> = Vec::new();
        while let Some(Pending { node, mut from, to, depth }) = pending.pop() {
            if from < to && keys[from as usize].len() == depth as usize {
                ends.push((node, from));
                from += 1;
            }
            if from == to {
                continue;
            }
            labels.clear();
            starts.clear();
            let mut i = from;
            while i < to {
                let label = keys[i as usize][depth as usize];
                labels.push(label);
                starts.push(i);
                let rest = &keys[i as usize..to as usize];
                i += rest.partition_point(|k| k[depth as usize] == label) as u32;
            }
            starts.push(to);
            let base = builder.find_base(node, &labels);
            builder.slots[node as usize].base = base;
            for &label in &labels {
                builder.take(base ^ u32::from(label), node);
            }
            for (i, &label) in labels.iter().enumerate().rev() {
                let node = base ^ u32::from(label);
                pending.push(Pending { node, from: starts[i], to: starts[i + 1], depth: depth + 1 });
            }
        }
        Self { slots: builder.slots, ends }
    }

    /// Lay out entries, in any order; of equal ones the last counts, empty ones have no node.
    pub fn new(entries: &[&str]) -> Self {
        let mut order: Vec<(u64, u32)> = entries
            .iter()
            .enumerate()
            .filter(|(_, e)| !e.is_empty())
            .map(|(i, e)| (first_bytes(e.as_bytes()), i as u32))
            .collect();
        order.sort_unstable_by(|a, b| {
            let rest = || entries[a.1 as usize].as_bytes().cmp(entries[b.1 as usize].as_bytes());
            a.0.cmp(&b.0).then_with(rest).then(b.1.cmp(&a.1))
        });
        order.dedup_by(|later, kept| entries[later.1 as usize] == entries[kept.1 as usize]);
        let keys: Vec<&[u8]> = order.iter().map(|&(_, i)| entries[i as usize].as_bytes()).collect();
        let mut layout = Self::of_sorted(&keys);
        for (_, key) in &mut layout.ends {
            *key = order[*key as usize].1;
        }
        layout
    }
}

/// The first eight bytes as a number that orders like them.
fn first_bytes(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let n = key.len().min(8);
    bytes[..n].copy_from_slice(&key[..n]);
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn find(layout: &Layout, text: &[u8]) -> Option<u32> {
        let mut node = ROOT;
        for &b in text {
            let next = layout.slots[node as usize].base ^ u32::from(b);
            if layout.slots[next as usize].check != node {
                return None;
            }
            node = next;
        }
        Some(node)
    }

    proptest! {
        #[test]
        fn finds_what_it_holds_and_nothing_else(
            keys in proptest::collection::vec("[abé▁\u{0}]{0,5}", 0..60),
            others in proptest::collection::vec("[abcé▁\u{0}]{1,6}", 0..60),
        ) {
            let entries: Vec<&str> = keys.iter().map(String::as_str).collect();
            let layout = Layout::new(&entries);
            let ends: BTreeMap<u32, u32> = layout.ends.iter().copied().collect();
            prop_assert_eq!(ends.len(), layout.ends.len());
            for text in keys.iter().chain(&others).filter(|t| !t.is_empty()) {
                let expected = keys.iter().rposition(|k| k == text).map(|i| i as u32);
                let node = find(&layout, text.as_bytes());
                prop_assert_eq!(node.and_then(|n| ends.get(&n).copied()), expected);
                let is_prefix = keys.iter().any(|k| k.starts_with(text.as_str()));
                prop_assert_eq!(node.is_some(), is_prefix);
            }
        }
    }

    #[test]
    fn full_and_empty() {
        let all: Vec<[u8; 2]> = (0..=u16::MAX).map(u16::to_be_bytes).collect();
        let keys: Vec<&[u8]> = all.iter().map(<[u8; 2]>::as_slice).collect();
        let layout = Layout::of_sorted(&keys);
        assert!(keys.iter().all(|k| find(&layout, k).is_some()));
        let empty = Layout::new(&[""]);
        assert_eq!(empty.ends, []);
        assert!((0..=255u8).all(|b| find(&empty, &[b]).is_none()));
    }
}
