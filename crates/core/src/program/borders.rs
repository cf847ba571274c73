//! Finding the places where a text may be cut, from the left.

use super::cuts::Cuts;

/// The places that [`Cuts`] allows, ready to be looked for.
#[derive(Debug)]
pub(super) struct Borders {
    cuts: Cuts,
}

/// What a worker remembers of places between two characters.
#[derive(Debug)]
pub(super) struct PairMemo {
    /// Between ASCII characters: bit `b` of item `a` says whether they have been asked about.
    known: Box<[u128; 128]>,
    /// The same, whether it is a border, or not known.
    maybe: Box<[u128; 128]>,
    /// Between others: direct-mapped, a pair and whether it is a border each.
    others: Vec<u64>,
}

const MEMO: usize = 1 << 12;
/// No pair of characters is this large.
const NOTHING: u64 = u64::MAX;

impl Default for PairMemo {
    fn default() -> Self {
        Self { known: Box::new([0; 128]), maybe: Box::new([u128::MAX; 128]), others: vec![NOTHING; MEMO] }
    }
}

impl Borders {
    /// `None` where hardly anything could be cut: not even before a blank.
    pub(super) fn new(cuts: Cuts) -> Option<Self> {
        ('a'..='z').any(|c| cuts.allows(c, ' ')).then_some(Self { cuts })
    }

    /// Whether the parts of a text are parts of one piece.
    pub(super) fn within_a_piece(&self) -> bool {
        self.cuts.within_a_piece()
    }

    /// Write the ends of chunks from `from` on into `ends` until that is full or the text ends; how many is returned.
    pub(super) fn scan(&self, text: &str, from: usize, ends: &mut [u32], memo: &mut PairMemo) -> usize {
        let bytes = text.as_bytes();
        let mut count = 0;
        let mut at = from;
        while count < ends.len() && at < bytes.len() {
            at = self.next(text, bytes, at, memo);
            ends[count] = at as u32;
            count += 1;
        }
        count
    }

    /// The first place behind `from`, or the end of the text.
    #[inline]
    fn next(&self, text: &str, bytes: &[u8], from: usize, memo: &mut PairMemo) -> usize {
        let mut at = from + 1;
        let mut before = bytes[from];
        while let Some(&byte) = bytes.get(at) {
            if (before | byte) < 0x80 {
                if memo.maybe[before as usize] >> byte & 1 == 1 && self.is_ascii_border(before, byte, memo) {
                    return at;
                }
            } else if text.is_char_boundary(at) && self.is_border(text, at, memo) {
                return at;
            }
            before = byte;
            at += 1;
        }
        bytes.len()
    }

    /// The first time that two characters are met they are asked about; borders are asked about each time, which is cheap.
    #[inline]
    fn is_ascii_border(&self, a: u8, b: u8, memo: &mut PairMemo) -> bool {
        memo.known[a as usize] >> b & 1 == 1 || self.learn(a, b, memo)
    }

    #[cold]
    fn learn(&self, a: u8, b: u8, memo: &mut PairMemo) -> bool {
        memo.known[a as usize] |= 1 << b;
        let allowed = self.cuts.allows(a.into(), b.into());
        if !allowed {
            memo.maybe[a as usize] &= !(1 << b);
        }
        allowed
    }

    fn is_border(&self, text: &str, at: usize, memo: &mut PairMemo) -> bool {
        let (Some(a), Some(b)) = (text[..at].chars().next_back(), text[at..].chars().next()) else { return false };
        let pair = u64::from(u32::from(a)) << 22 | u64::from(u32::from(b)) << 1;
        let slot = &mut memo.others[(pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize % MEMO];
        if *slot & !1 != pair {
            *slot = pair | u64::from(self.cuts.allows(a, b));
        }
        *slot & 1 == 1
    }

    /// The first place from `at` on.
    pub(super) fn sync_point(&self, text: &str, at: usize) -> Option<usize> {
        let start = (1..=at).rev().find(|i| text.is_char_boundary(*i - 1)).map_or(0, |i| i - 1);
        let found = self.next(text, text.as_bytes(), start, &mut PairMemo::default());
        (found < text.len()).then_some(found)
    }
}
