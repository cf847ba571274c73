//! A double-array trie as Darts-clone lays it out.

use crate::steps;
use std::collections::HashSet;

/// The trie, read only. Source: Yata, Darts-clone 0.32, `DoubleArrayUnit`.
pub(super) struct DoubleArray {
    units: Vec<u32>,
}

impl DoubleArray {
    /// Units of 32 bits, little endian; a rest of less than four bytes is dropped.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        Self { units: bytes.as_chunks().0.iter().map(|unit| u32::from_le_bytes(*unit)).collect() }
    }

    /// Length and value of the longest prefix of `key` in the trie. Nothing that the units hold makes this panic.
    pub(super) fn longest_prefix(&self, key: &[u8]) -> Option<(usize, u32)> {
        let mut longest = None;
        let mut at = offset(*self.units.first()?);
        for (len, byte) in (1..).zip(key) {
            steps::count(1);
            at ^= u32::from(*byte);
            let Some(unit) = self.units.get(at as usize).filter(|unit| label(**unit) == u32::from(*byte)) else {
                break;
            };
            at ^= offset(*unit);
            if has_leaf(*unit)
                && let Some(leaf) = self.units.get(at as usize)
            {
                longest = Some((len, value(*leaf)));
            }
        }
        longest
    }
}

/// Longest key that is followed; no rule of a character map comes near.
const LONGEST_KEY: usize = 64;
/// Most nodes that are looked at. Keys with the same end share its units (the map of T5 has 225,000 keys in 44,000 units), so
/// units that run in circles are told by their number alone; the largest known map has half a million.
const MOST_NODES: usize = 1 << 22;

impl DoubleArray {
    /// Whether some key is longer than `prefix` and begins with it.
    pub(super) fn has_longer(&self, prefix: &[u8]) -> bool {
        let Some(root) = self.units.first() else { return false };
        let end = prefix.iter().try_fold(offset(*root), |at, byte| self.child(at, *byte));
        end.is_some_and(|at| (1..=255).any(|byte| self.child(at, byte).is_some()))
    }

    /// Where the children of the child by `byte` are, of the node whose children are at `at`.
    fn child(&self, at: u32, byte: u8) -> Option<u32> {
        let at = at ^ u32::from(byte);
        let unit = self.units.get(at as usize).filter(|unit| label(**unit) == u32::from(byte))?;
        Some(at ^ offset(*unit))
    }

    /// The characters that occur in keys but not as the first of them; `None` if the units run in circles.
    pub(super) fn continuing_characters(&self) -> Option<HashSet<char>> {
        let mut found = HashSet::new();
        let mut left = MOST_NODES;
        let mut todo = Vec::new();
        self.characters(offset(*self.units.first()?), &mut left, &mut |_, behind| todo.push(behind))?;
        let mut seen: HashSet<u32> = todo.iter().copied().collect();
        while let Some(at) = todo.pop() {
            self.characters(at, &mut left, &mut |c, behind| {
                found.insert(c);
                if seen.insert(behind) {
                    todo.push(behind);
                }
            })?;
        }
        Some(found)
    }

    /// Give each character that may follow, and where the children behind it are, to `visit`. `None` when `left` nodes were
    /// looked at.
    fn characters(&self, at: u32, left: &mut usize, visit: &mut impl FnMut(char, u32)) -> Option<()> {
        for lead in (1..=0x7f).chain(0xc2..=0xf4u8) {
            let Some(behind) = self.child(at, lead) else { continue };
            let (more, bits) = match lead {
                0..=0x7f => (0, lead),
                0x80..=0xdf => (1, lead & 0x1f),
                0xe0..=0xef => (2, lead & 0xf),
                _ => (3, lead & 7),
            };
            self.rest_of_character(behind, more, u32::from(bits), left, visit)?;
        }
        Some(())
    }

    fn rest_of_character(
        &self,
        at: u32,
        more: u32,
        bits: u32,
        left: &mut usize,
        visit: &mut impl FnMut(char, u32),
    ) -> Option<()> {
        *left = left.checked_sub(1)?;
        if more == 0 {
            if let Some(c) = char::from_u32(bits) {
                visit(c, at);
            }
            return Some(());
        }
        (0x80..=0xbf).filter_map(|byte| Some((byte, self.child(at, byte)?))).try_for_each(|(byte, behind)| {
            self.rest_of_character(behind, more - 1, bits << 6 | u32::from(byte & 0x3f), left, visit)
        })
    }

    /// Give every key to `visit`. `None` where `visit` gives it, or the units run in circles.
    pub(super) fn keys<T: Default>(&self, visit: &mut impl FnMut(&[u8], &mut T) -> Option<()>) -> Option<T> {
        let mut result = T::default();
        let mut key = Vec::new();
        // One entry a level: where the children of the node are, and the next byte to try.
        let mut levels = vec![(offset(*self.units.first()?), 1u32)];
        let mut nodes = 0;
        while let Some((at, byte)) = levels.last_mut() {
            if *byte > 255 {
                levels.pop();
                key.pop();
                continue;
            }
            let (child, label_byte) = (*at ^ *byte, *byte);
            *byte += 1;
            let Some(unit) = self.units.get(child as usize).filter(|unit| label(**unit) == label_byte) else {
                continue;
            };
            key.push(label_byte as u8);
            nodes += 1;
            if key.len() > LONGEST_KEY || nodes > MOST_NODES {
                return None;
            }
            if has_leaf(*unit) {
                visit(&key, &mut result)?;
            }
            levels.push((child ^ offset(*unit), 1));
        }
        Some(result)
    }
}

/// The byte that leads to a unit. A leaf holds a value and has no byte: bit 31 sees to it.
fn label(unit: u32) -> u32 {
    unit & (1 << 31 | 0xff)
}

fn has_leaf(unit: u32) -> bool {
    unit >> 8 & 1 == 1
}

fn value(unit: u32) -> u32 {
    unit & !(1 << 31)
}

/// What the position of a unit is combined with to reach its children; bit 9 says that it counts in steps of 256.
fn offset(unit: u32) -> u32 {
    (unit >> 10) << ((unit & 1 << 9) >> 6)
}
