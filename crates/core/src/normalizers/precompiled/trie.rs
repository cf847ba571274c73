//! A double-array trie as Darts-clone lays it out.

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
            at ^= u32::from(*byte);
            let Some(unit) = self.units.get(at as usize).filter(|unit| label(**unit) == u32::from(*byte)) else { break };
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

impl DoubleArray {
    /// Whether some key is longer than `prefix` and begins with it.
    pub(super) fn has_longer(&self, prefix: &[u8]) -> bool {
        let child = |at: u32, byte: u8| {
            let at = at ^ u32::from(byte);
            let unit = self.units.get(at as usize).filter(|unit| label(**unit) == u32::from(byte))?;
            Some(at ^ offset(*unit))
        };
        let Some(root) = self.units.first() else { return false };
        let end = prefix.iter().try_fold(offset(*root), |at, byte| child(at, *byte));
        end.is_some_and(|at| (1..=255).any(|byte| child(at, byte).is_some()))
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
            let Some(unit) = self.units.get(child as usize).filter(|unit| label(**unit) == label_byte) else { continue };
            key.push(label_byte as u8);
            // In a trie each unit is reached once; units that run in circles or meet are no trie.
            nodes += 1;
            if key.len() > LONGEST_KEY || nodes > self.units.len() {
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
