//! The classes of a pattern: characters that no set of the pattern tells apart are one symbol.

use hashbrown::HashMap;
use regex_syntax::hir::ClassUnicode;

/// Most classes of one pattern; the symbols of an automaton, with the end of text, fit the bits of a `u64`.
pub(super) const MAX_CLASSES: usize = 63;

/// A partition of all characters.
#[derive(Clone, Debug)]
pub(super) struct Alphabet {
    /// For each set asked for, in order, the classes that make it up, a bit each.
    pub(super) members: Vec<u64>,
    /// First code point and class of each stretch, in order, up to the last code point.
    stretches: Vec<(u32, u8)>,
    count: usize,
}

impl Alphabet {
    /// The coarsest partition in which each set is a union of classes; `None` if that has too many classes.
    pub(super) fn new(sets: &[ClassUnicode]) -> Option<Self> {
        if sets.len() > 128 {
            return None;
        }
        // Where membership changes: (code point, bit of the set), toggled.
        let mut edges: Vec<(u32, u128)> = vec![(0, 0)];
        for (i, set) in sets.iter().enumerate() {
            for range in set.ranges() {
                edges.push((u32::from(range.start()), 1 << i));
                // Surrogates lie between two characters that follow each other.
                let next = u32::from(range.end()) + 1;
                edges.push((if next == 0xD800 { 0xE000 } else { next }, 1 << i));
            }
        }
        edges.sort_unstable();
        let mut classes: HashMap<u128, u8> = HashMap::new();
        let mut stretches: Vec<(u32, u8)> = Vec::new();
        let mut members = vec![0u64; sets.len()];
        let mut signature = 0u128;
        let mut edges = edges.into_iter().peekable();
        while let Some((at, bit)) = edges.next() {
            signature ^= bit;
            if at > u32::from(char::MAX) || edges.peek().is_some_and(|(next, _)| *next == at) {
                continue;
            }
            let fresh = classes.len();
            let class = *classes.entry(signature).or_insert(fresh as u8);
            if fresh >= MAX_CLASSES && usize::from(class) == fresh {
                return None;
            }
            for (i, members) in members.iter_mut().enumerate() {
                if signature >> i & 1 == 1 {
                    *members |= 1 << class;
                }
            }
            if stretches.last().is_none_or(|(_, last)| *last != class) {
                stretches.push((at, class));
            }
        }
        Some(Self { members, stretches, count: classes.len() })
    }

    /// The number of classes; they are numbered from 0.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The table from characters to classes.
    pub(super) fn table(&self) -> ClassTable {
        self.table_of(|class| class)
    }

    /// A table from characters to what `value` makes of their classes.
    pub(super) fn table_of(&self, value: impl Fn(u8) -> u8) -> ClassTable {
        let mut stretches: Vec<(u32, u8)> = self.stretches.iter().map(|(at, class)| (*at, value(*class))).collect();
        stretches.dedup_by_key(|(_, value)| *value);
        ClassTable::new(&stretches)
    }
}

/// Code points whose UTF-8 differs only in the last byte share a block.
const BLOCK: usize = 64;

/// From a character to its class in two steps.
#[derive(Clone)]
pub(super) struct ClassTable {
    ascii: [u8; 128],
    /// For each block of code points, where its classes stand in `blocks`.
    top: Box<[u16]>,
    blocks: Box<[[u8; BLOCK]]>,
}

impl ClassTable {
    fn new(stretches: &[(u32, u8)]) -> Self {
        let mut blocks: Vec<[u8; BLOCK]> = Vec::new();
        let mut known: HashMap<[u8; BLOCK], u16> = HashMap::new();
        let mut stretch = 0;
        let mut uniform: Option<(u8, u16)> = None;
        let class_at = |stretch: usize| stretches.get(stretch).map_or(0, |(_, class)| *class);
        let next_at = |stretch: usize| stretches.get(stretch + 1).map_or(u32::MAX, |(at, _)| *at);
        let top = (0..=u32::from(char::MAX))
            .step_by(BLOCK)
            .map(|first| {
                while next_at(stretch) <= first {
                    stretch += 1;
                }
                let whole = next_at(stretch) >= first + BLOCK as u32;
                if let Some((class, index)) = uniform.filter(|(class, _)| whole && *class == class_at(stretch)) {
                    debug_assert_eq!(class, class_at(stretch));
                    return index;
                }
                let mut block = [0; BLOCK];
                for (i, class) in block.iter_mut().enumerate() {
                    while next_at(stretch) <= first + i as u32 {
                        stretch += 1;
                    }
                    *class = class_at(stretch);
                }
                let index = *known.entry(block).or_insert_with(|| {
                    blocks.push(block);
                    (blocks.len() - 1) as u16
                });
                if whole {
                    uniform = Some((block[0], index));
                }
                index
            })
            .collect();
        let mut table = Self { ascii: [0; 128], top, blocks: blocks.into() };
        for c in 0..128 {
            table.ascii[c] = table.of_code_point(c);
        }
        table
    }

    fn of_code_point(&self, code_point: usize) -> u8 {
        self.blocks[usize::from(self.top[code_point / BLOCK])][code_point % BLOCK]
    }

    /// The classes of the ASCII characters.
    pub(super) fn ascii(&self) -> &[u8; 128] {
        &self.ascii
    }

    /// The class and length of the character at `at`, which must be its first byte in valid UTF-8.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of loops that are compiled for several kinds of processor")]
    pub(super) fn at(&self, bytes: &[u8], at: usize) -> (u8, usize) {
        let first = bytes[at];
        if first < 0x80 {
            return (self.ascii[usize::from(first)], 1);
        }
        let low = |i: usize| usize::from(bytes[at + i] & 0x3F);
        let first = usize::from(first);
        let (block, len) = match first {
            0..0xE0 => (first & 0x1F, 2),
            0xE0..0xF0 => ((first & 0x0F) << 6 | low(1), 3),
            _ => ((first & 0x07) << 12 | low(1) << 6 | low(2), 4),
        };
        (self.blocks[usize::from(self.top[block])][low(len - 1)], len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::properties;

    #[test]
    fn table_and_sets_agree_on_every_character() {
        let sets: Vec<ClassUnicode> = ["L", "N", "Lu", "White_Space", "Han"]
            .iter()
            .map(|name| properties::property(name, false).unwrap())
            .collect();
        let alphabet = Alphabet::new(&sets).unwrap();
        let table = alphabet.table();
        let mut seen = 0u64;
        for (set, members) in sets.iter().zip(&alphabet.members) {
            let mut holds = vec![false; 0x11_0000];
            for range in set.ranges() {
                for c in range.start()..=range.end() {
                    holds[c as usize] = true;
                }
            }
            for c in '\0'..=char::MAX {
                let class = table.of_code_point(c as usize);
                seen |= 1 << class;
                assert_eq!(members >> class & 1 == 1, holds[c as usize], "{c:?}");
                let mut buffer = [0; 4];
                let text = c.encode_utf8(&mut buffer);
                assert_eq!(table.at(text.as_bytes(), 0), (class, text.len()));
            }
        }
        // The surrogates, which are no characters, make no class of their own.
        assert_eq!(seen.count_ones() as usize, alphabet.len());
    }
}
