//! Finding the places where a text may be cut, from the left.

use super::cuts::Cuts;
use crate::split::{AsciiPairs, Places, WINDOW_STEP};
use crate::steps;
use std::sync::OnceLock;

/// The places that [`Cuts`] allows, ready to be looked for.
#[derive(Debug)]
pub(super) struct Borders {
    cuts: Cuts,
    /// The same between ASCII characters, many at once; made when the first long text comes, as it asks about all pairs.
    ascii: OnceLock<Option<Box<AsciiPairs>>>,
}

/// From so many bytes on a text is worth it.
const LONG: usize = 1 << 10;
/// Windows looked at together.
const WINDOWS: usize = 4;

/// What a worker remembers of places between two characters.
#[derive(Debug)]
pub(super) struct PairMemo {
    /// Between ASCII characters: bit `b` of item `a` says whether they have been asked about.
    known: Box<[u128; 128]>,
    /// The same, whether it is a border, or not known.
    maybe: Box<[u128; 128]>,
    /// Between others: direct-mapped, a pair and whether it is a border each.
    others: Vec<u64>,
    /// How often there was another pair in its place since the table was made.
    misses: usize,
}

/// Entries of a new table of pairs, and of the largest one (2 MiB): a text in many scripts has some 100,000 pairs.
const FIRST_PAIRS: usize = 1 << 10;
const MOST_PAIRS: usize = 1 << 18;
/// No pair of characters is this large.
const NOTHING: u64 = u64::MAX;

impl Default for PairMemo {
    fn default() -> Self {
        Self {
            known: Box::new([0; 128]),
            maybe: Box::new([u128::MAX; 128]),
            others: vec![NOTHING; FIRST_PAIRS],
            misses: 0,
        }
    }
}

impl Borders {
    /// `None` where hardly anything could be cut: not even before a blank.
    pub(super) fn new(cuts: Cuts) -> Option<Self> {
        ('a'..='z').any(|c| cuts.allows(c, ' ')).then_some(Self { cuts, ascii: OnceLock::new() })
    }

    /// Whether the parts of a text are parts of one piece.
    pub(super) fn within_a_piece(&self) -> bool {
        self.cuts.within_a_piece()
    }

    /// Write the ends of chunks from `from` on into `ends` until that is full or the text ends; how many is returned.
    pub(super) fn scan(&self, text: &str, from: usize, ends: &mut [u32], memo: &mut PairMemo) -> usize {
        let ascii = self.ascii.get();
        let ascii = if ascii.is_none() && text.len() >= LONG {
            Some(self.ascii.get_or_init(|| AsciiPairs::new(|a, b| self.cuts.allows(a.into(), b.into())).map(Box::new)))
        } else {
            ascii
        };
        match ascii {
            Some(Some(pairs)) => self.scan_windows(pairs, text, from, ends, memo),
            _ => self.scan_pairs(text, from, ends, memo),
        }
    }

    fn scan_windows(
        &self,
        pairs: &AsciiPairs,
        text: &str,
        from: usize,
        ends: &mut [u32],
        memo: &mut PairMemo,
    ) -> usize {
        let mut windows = [Places::default(); WINDOWS];
        let (mut count, mut at) = (0, from);
        loop {
            let found = pairs.windows(text.as_bytes(), at, &mut windows);
            for Places { sure, maybe } in &windows[..found] {
                let (mut cuts, mut rest) = (*sure, *maybe);
                while rest != 0 {
                    let place = rest.trailing_zeros();
                    cuts |= u64::from(self.is_border(text, at + place as usize, memo)) << place;
                    rest &= rest - 1;
                }
                while cuts != 0 {
                    let Some(end) = ends.get_mut(count) else { return count };
                    *end = at as u32 + cuts.trailing_zeros();
                    count += 1;
                    cuts &= cuts - 1;
                }
                at += WINDOW_STEP;
            }
            if at >= text.len() {
                break;
            }
        }
        if from < text.len()
            && let Some(end) = ends.get_mut(count)
        {
            *end = text.len() as u32;
            count += 1;
        }
        count
    }

    /// The same, place by place.
    fn scan_pairs(&self, text: &str, from: usize, ends: &mut [u32], memo: &mut PairMemo) -> usize {
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
            steps::count(1);
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
        let place = |size: usize| (pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (size - 1);
        let known = memo.others[place(memo.others.len())];
        if known & !1 == pair {
            return known & 1 == 1;
        }
        memo.misses += 1;
        if memo.misses > memo.others.len() && memo.others.len() < MOST_PAIRS {
            memo.others = vec![NOTHING; memo.others.len() * 4];
            memo.misses = 0;
        }
        let allowed = self.cuts.allows(a, b);
        let size = memo.others.len();
        memo.others[place(size)] = pair | u64::from(allowed);
        allowed
    }

    /// The first place from `at` on where [`Self::scan`] cuts wherever it begins: behind white space it leaves places out, as its
    /// windows lie.
    pub(super) fn sync_point(&self, text: &str, at: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut memo = PairMemo::default();
        let mut found = (1..=at).rev().find(|i| text.is_char_boundary(*i - 1)).map_or(0, |i| i - 1);
        while found < bytes.len() {
            found = self.next(text, bytes, found, &mut memo);
            if found < bytes.len() && !bytes[found - 1].is_ascii_whitespace() {
                return Some(found);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::AnyModel;
    use crate::pre_tokenizers::AnyPreTokenizer;
    use serde_json::json;

    #[test]
    fn threads_part_a_text_where_it_is_cut_from_wherever() {
        let stages = [AnyPreTokenizer::parse(json!({"type": "BertPreTokenizer"})).unwrap()];
        let model = r#"{"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}"#;
        let model = AnyModel::parse(serde_json::from_str(model).unwrap()).unwrap();
        let borders = Borders::new(Cuts::new(None, &stages, &model).unwrap()).unwrap();
        for unit in ["a    b ", "é \n 中 ", "a.  \u{a0}  b", "a b"] {
            let text = unit.repeat(2 * LONG / unit.len());
            for at in 1..100 {
                let Some(point) = borders.sync_point(&text, at) else { continue };
                assert!(point >= at);
                for from in (0..at).filter_map(|at| borders.sync_point(&text, at)).filter(|from| *from < point) {
                    let mut ends = [0; 128];
                    let count = borders.scan(&text, from, &mut ends, &mut PairMemo::default());
                    assert!(ends[..count].contains(&(point as u32)), "{unit:?} at {at} from {from}");
                }
            }
        }
    }
}
