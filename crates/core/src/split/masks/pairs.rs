//! Places between two characters of ASCII, told by the classes of both, 64 bytes at a time.

use super::{Kind, Tier, portable};
use crate::steps;

/// Most classes: the bits of a byte.
const MAX_CLASSES: usize = 8;

/// A relation between ASCII characters that is evaluated for all neighbours in a window at once.
#[derive(Clone, Debug)]
pub struct AsciiPairs {
    /// The class of each character, a bit.
    classes: [u8; 128],
    /// For each class, the classes that it may be cut off from behind it.
    behind: Vec<(u8, u8)>,
    /// Classes of white space.
    space: u8,
    kind: Kind,
}

/// Places of a window: bit `i` is the place in front of its byte `i`; bit 0 is never set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Between ASCII characters of which the relation holds.
    pub sure: u64,
    /// Next to other characters: to be asked about.
    pub maybe: u64,
}

/// How far apart windows are: of 64 bytes, the last of one is the first of the next.
pub const WINDOW_STEP: usize = 63;

impl AsciiPairs {
    /// `None` where the characters have too many classes.
    ///
    /// White space goes with what follows it: of a run of it the last character, otherwise all before that. So the relation
    /// is not looked at behind white space, except in front of the last of a run.
    pub fn new(relation: impl Fn(u8, u8) -> bool) -> Option<Self> {
        let row = |a: u8| (0..128u8).fold(0u128, |bits, b| bits | u128::from(relation(a, b)) << b);
        let rows: Vec<u128> = (0..128u8).map(row).collect();
        let column = |b: u8| rows.iter().enumerate().fold(0u128, |bits, (a, row)| bits | (row >> b & 1) << a);
        let mut names: Vec<(u128, u128, bool)> = Vec::new();
        let mut classes = [0; 128];
        for c in 0..128u8 {
            let name = (rows[c as usize], column(c), c.is_ascii_whitespace());
            let class = names.iter().position(|known| *known == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            });
            if class == MAX_CLASSES {
                return None;
            }
            classes[c as usize] = 1 << class;
        }
        let bits =
            |holds: &dyn Fn(u8) -> bool| (0..128u8).filter(|c| holds(*c)).fold(0, |bits, c| bits | classes[c as usize]);
        let behind = names.iter().enumerate().map(|(i, (row, ..))| (1 << i, bits(&|b| row >> b & 1 == 1)));
        let behind = behind.filter(|(_, others)| *others != 0).collect();
        let space = bits(&|c| c.is_ascii_whitespace());
        let kind = Kind::available().pop().unwrap_or(Kind::Portable);
        Some(Self { classes, behind, space, kind })
    }

    /// The places of windows from `at` on, [`WINDOW_STEP`] apart, until `out` is full or the text ends; how many is returned.
    pub fn windows(&self, bytes: &[u8], at: usize, out: &mut [Places]) -> usize {
        match self.kind {
            Kind::Portable => windows(portable::Portable, self, bytes, at, out),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => super::x86::windows_avx2(self, bytes, at, out),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => super::x86::windows_avx512(self, bytes, at, out),
        }
    }
}

/// The loop over windows; it becomes part of a function for each tier.
#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled anew with the abilities of each tier")]
pub(super) fn windows<T: Tier>(tier: T, pairs: &AsciiPairs, bytes: &[u8], at: usize, out: &mut [Places]) -> usize {
    let mut at = at;
    for (count, places) in out.iter_mut().enumerate() {
        if at >= bytes.len() {
            return count;
        }
        *places = window(tier, pairs, bytes, at);
        at += WINDOW_STEP;
    }
    out.len()
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "part of the loop")]
fn window<T: Tier>(tier: T, pairs: &AsciiPairs, bytes: &[u8], at: usize) -> Places {
    steps::count(super::WINDOW);
    let raw = tier.load(bytes, at);
    let left = bytes.len() - at;
    let valid = if left < 64 { (1 << left) - 1 } else { u64::MAX };
    let high = tier.high(raw);
    let ascii = valid & !high;
    let classes = tier.look_up(raw, &pairs.classes);
    let mut sure = 0;
    for (class, others) in &pairs.behind {
        sure |= tier.having(classes, *class) << 1 & tier.having(classes, *others);
    }
    let space = tier.having(classes, pairs.space) & ascii;
    // Behind white space only in front of the last of its run.
    let joined = space << 1 & !(space & !(space >> 1));
    sure &= ascii & ascii << 1 & !joined;
    let maybe = if high == 0 {
        0
    } else {
        let inside = high & !tier.having(raw, 0x40);
        (high | high << 1) & !inside & !(space << 1) & valid & !1
    };
    Places { sure, maybe }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn differ(a: u8, b: u8) -> bool {
        let class = |c: u8| (c.is_ascii_alphabetic(), c.is_ascii_digit(), c.is_ascii_whitespace());
        c_ok(a) && c_ok(b) && class(a) != class(b)
    }

    fn c_ok(c: u8) -> bool {
        !c.is_ascii_control() || c.is_ascii_whitespace()
    }

    proptest! {
        #[test]
        fn windows_are_what_pairs_are(text in "[a-c1 \\n.é中\\x01]{0,200}", at: prop::sample::Index) {
            let mut pairs = AsciiPairs::new(differ).unwrap();
            let bytes = text.as_bytes();
            let at = at.index(bytes.len() + 1);
            for kind in Kind::available() {
                pairs.kind = kind;
                let mut out = [Places::default(); 8];
                let n = pairs.windows(bytes, at, &mut out);
                for (w, places) in out[..n].iter().enumerate() {
                    let base = at + w * WINDOW_STEP;
                    for i in 1..64 {
                        let Some(&b) = bytes.get(base + i) else { prop_assert_eq!((places.sure | places.maybe) >> i, 0); break };
                        let a = bytes[base + i - 1];
                        let space = |at: Option<&u8>| at.is_some_and(u8::is_ascii_whitespace);
                        let next = (i < 63).then(|| bytes.get(base + i + 1)).flatten();
                        let joined = space(Some(&a)) && (space(next) || !space(Some(&b)));
                        let sure = a.is_ascii() && b.is_ascii() && differ(a, b) && !joined;
                        prop_assert_eq!(places.sure >> i & 1 == 1, sure, "{:?} byte {}", kind, base + i);
                        let maybe = !(a.is_ascii() && b.is_ascii()) && text.is_char_boundary(base + i) && !space(Some(&a));
                        prop_assert_eq!(places.maybe >> i & 1 == 1, maybe, "{:?} byte {}", kind, base + i);
                    }
                }
            }
        }
    }

    #[test]
    fn too_many_classes_are_refused() {
        assert!(AsciiPairs::new(|a, b| a < b).is_none());
        assert!(AsciiPairs::new(|_, _| false).is_some_and(|pairs| pairs.behind.is_empty()));
    }
}
