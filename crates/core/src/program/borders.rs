//! Finding the places where a text may be cut, from the left.

use super::border_memo::{BorderMemo, LOW_BITS, NO_SINGLE, Numbers, single_of_ascii};
use super::cuts::Cuts;
use crate::split::{AsciiPairs, Places, WINDOW_STEP};
use crate::steps;

/// The places that [`Cuts`] allows, ready to be looked for.
#[derive(Debug)]
pub(super) struct Borders {
    cuts: Cuts,
    /// Between ASCII characters, by [before][behind].
    ascii: Box<[[bool; 128]; 128]>,
    /// The same for many places at once, if there are few classes of characters.
    windows: Option<Box<AsciiPairs>>,
}

/// Chunks that were found.
#[derive(Debug)]
pub(super) struct Chunks<const N: usize> {
    /// Where they end, in bytes.
    pub(super) ends: [u32; N],
    /// Of those that are single characters, where they are numbered: what [`BorderMemo::singles`] knows them by.
    pub(super) singles: [u16; N],
}

impl<const N: usize> Chunks<N> {
    #[inline]
    fn set(&mut self, at: usize, end: usize, single: u16) {
        self.ends[at] = end as u32;
        self.singles[at] = single;
    }
}

impl<const N: usize> Default for Chunks<N> {
    fn default() -> Self {
        Self { ends: [0; N], singles: [NO_SINGLE; N] }
    }
}

/// Windows looked at together.
const WINDOWS: usize = 4;

impl Borders {
    /// `None` where hardly anything could be cut: not even before a blank.
    pub(super) fn new(cuts: Cuts) -> Option<Self> {
        let mut memo = BorderMemo::default();
        let mut ascii = Box::new([[false; 128]; 128]);
        for (a, row) in (0..).zip(ascii.iter_mut()) {
            let before = memo.numbers(a, &cuts);
            for (b, is_border) in (0..).zip(row) {
                let behind = memo.numbers(b, &cuts);
                *is_border = memo.is_border(before, behind, &cuts);
            }
        }
        if !(b'a'..=b'z').any(|c| ascii[usize::from(c)][usize::from(b' ')]) {
            return None;
        }
        let windows = AsciiPairs::new(|a, b| ascii[usize::from(a)][usize::from(b)]).map(Box::new);
        Some(Self { cuts, ascii, windows })
    }

    /// Whether the parts of a text are parts of one piece.
    pub(super) fn within_a_piece(&self) -> bool {
        self.cuts.within_a_piece()
    }

    /// Whether [`Self::scan`] says which chunks are single characters.
    pub(super) fn numbers_singles(&self) -> bool {
        self.windows.is_none()
    }

    /// Write the ends of chunks from `from` on until there is no more room or the text ends; how many is returned.
    pub(super) fn scan<const N: usize>(
        &self,
        text: &str,
        from: usize,
        chunks: &mut Chunks<N>,
        memo: &mut BorderMemo,
    ) -> usize {
        match &self.windows {
            Some(pairs) => self.scan_windows(pairs, text, from, chunks, memo),
            None => self.scan_pairs(text, from, chunks, memo),
        }
    }

    fn scan_windows<const N: usize>(
        &self,
        pairs: &AsciiPairs,
        text: &str,
        from: usize,
        chunks: &mut Chunks<N>,
        memo: &mut BorderMemo,
    ) -> usize {
        let mut windows = [Places::default(); WINDOWS];
        let (mut count, mut at) = (0, from);
        // The character that ends at a place.
        let mut last = (usize::MAX, Numbers::default());
        loop {
            let found = pairs.windows(text.as_bytes(), at, &mut windows);
            for Places { sure, maybe } in &windows[..found] {
                let (mut cuts, mut rest) = (*sure, *maybe);
                while rest != 0 {
                    let place = at + rest.trailing_zeros() as usize;
                    let before = if last.0 == place { last.1 } else { self.numbers_before(text, place, memo) };
                    let (behind, end) = self.numbers_at(text, place, memo);
                    cuts |= u64::from(memo.is_border(before, behind, &self.cuts)) << (place - at);
                    last = (end, behind);
                    rest &= rest - 1;
                }
                while cuts != 0 {
                    let Some(end) = chunks.ends.get_mut(count) else { return count };
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
            && let Some(end) = chunks.ends.get_mut(count)
        {
            *end = text.len() as u32;
            count += 1;
        }
        count
    }

    /// The same, place by place, with the numbers of chunks that are single characters.
    fn scan_pairs<const N: usize>(
        &self,
        text: &str,
        from: usize,
        chunks: &mut Chunks<N>,
        memo: &mut BorderMemo,
    ) -> usize {
        if from >= text.len() {
            return 0;
        }
        memo.meet_ascii(&self.cuts);
        let (before, at) = self.numbers_at(text, from, memo);
        let mut walk = Walk { at, before, begins: true, count: 0 };
        loop {
            self.walk_known(text.as_bytes(), &mut walk, chunks, memo);
            if walk.count == N {
                return N;
            }
            walk.note(chunks);
            if walk.at == text.len() {
                return walk.count + 1;
            }
            let (behind, end) = self.numbers_at(text, walk.at, memo);
            walk.step(behind, end, memo.is_border(walk.before, behind, &self.cuts));
        }
    }

    /// Go on as long as the memo knows all that is asked and the text does not end: nearly always, so that nothing is called here.
    fn walk_known<const N: usize>(&self, bytes: &[u8], walk: &mut Walk, chunks: &mut Chunks<N>, memo: &BorderMemo) {
        let mut w = *walk;
        while w.count < N
            && let Some(word) = bytes[w.at..].first_chunk()
        {
            w.note(chunks);
            let (page, low, len) = decode(*word);
            let Some(behind) = memo.known(page, low) else { break };
            let Some(is_border) = memo.answer(w.before, behind) else { break };
            w.step(behind, w.at + len, is_border);
            // A lone blank is nothing special; that would be a branch which cannot be foreseen.
            let mut last = word[0];
            if (last | word[1]) >= 0x80 {
                continue;
            }
            let mut single = single_of_ascii(last);
            while w.count < N
                && let Some(&byte) = bytes.get(w.at)
            {
                steps::count(1);
                chunks.set(w.count, w.at, if w.begins { single } else { NO_SINGLE });
                if byte >= 0x80 {
                    break;
                }
                w.begins = self.ascii[usize::from(last & 0x7f)][usize::from(byte & 0x7f)];
                w.count += usize::from(w.begins);
                w.at += 1;
                (last, single) = (byte, single_of_ascii(byte));
            }
            w.before = memo.known(u32::from(last) >> LOW_BITS, u32::from(last)).unwrap_or_default();
        }
        *walk = w;
    }

    /// The numbers of the character at a place, and where it ends.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop over windows")]
    fn numbers_at(&self, text: &str, at: usize, memo: &mut BorderMemo) -> (Numbers, usize) {
        let rest = &text.as_bytes()[at..];
        let word = rest.first_chunk().copied().unwrap_or_else(|| {
            let mut word = [0; 4];
            word[..rest.len()].copy_from_slice(rest);
            word
        });
        let (page, low, len) = decode(word);
        let numbers = memo.known(page, low).unwrap_or_else(|| memo.numbers(page << LOW_BITS | low, &self.cuts));
        (numbers, at + len)
    }

    fn numbers_before(&self, text: &str, at: usize, memo: &mut BorderMemo) -> Numbers {
        let c = text[..at].chars().next_back().unwrap_or_default();
        memo.numbers(u32::from(c), &self.cuts)
    }

    /// The first place from `at` on where [`Self::scan`] cuts wherever it begins: behind white space it leaves places out, as its
    /// windows lie.
    pub(super) fn sync_point(&self, text: &str, at: usize, memo: &mut BorderMemo) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut found = (1..=at).rev().find(|i| text.is_char_boundary(*i - 1)).map_or(0, |i| i - 1);
        while found < bytes.len() {
            let mut chunks = Chunks::<1>::default();
            self.scan_pairs(text, found, &mut chunks, memo);
            found = chunks.ends[0] as usize;
            if found < bytes.len() && !bytes[found - 1].is_ascii_whitespace() {
                return Some(found);
            }
        }
        None
    }
}

/// How far places have been looked at.
#[derive(Clone, Copy)]
struct Walk {
    /// The next place.
    at: usize,
    /// The character before it.
    before: Numbers,
    /// Whether a chunk begins with that.
    begins: bool,
    /// The chunks found so far.
    count: usize,
}

impl Walk {
    /// The chunk that would end here.
    #[inline]
    fn note<const N: usize>(&self, chunks: &mut Chunks<N>) {
        steps::count(1);
        chunks.set(self.count, self.at, if self.begins { self.before.single() } else { NO_SINGLE });
    }

    /// Go behind the next character.
    #[inline]
    fn step(&mut self, behind: Numbers, end: usize, is_border: bool) {
        let count = self.count + usize::from(is_border);
        *self = Self { at: end, before: behind, begins: is_border, count };
    }
}

/// The character that begins with four bytes: its upper bits, the lower [`LOW_BITS`], and its length in bytes.
#[inline]
fn decode(bytes: [u8; 4]) -> (u32, u32, usize) {
    let word = u32::from_le_bytes(bytes);
    let first = word & 0xff;
    let low = |byte: u32| word >> (8 * byte) & 0x3f;
    match first {
        0..0x80 => (first >> LOW_BITS, first & 0x3f, 1),
        0x80..0xe0 => (first & 0x1f, low(1), 2),
        0xe0..0xf0 => ((first & 0xf) << 6 | low(1), low(2), 3),
        _ => ((first & 7) << 12 | low(1) << 6 | low(2), low(3), 4),
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
            let text = unit.repeat(2048 / unit.len());
            let mut memo = BorderMemo::default();
            let mut sync_point = |at| borders.sync_point(&text, at, &mut memo);
            for at in 1..100 {
                let Some(point) = sync_point(at) else { continue };
                assert!(point >= at);
                for from in (0..at).filter_map(&mut sync_point).filter(|from| *from < point) {
                    let mut chunks = Chunks::<128>::default();
                    let count = borders.scan(&text, from, &mut chunks, &mut BorderMemo::default());
                    assert!(chunks.ends[..count].contains(&(point as u32)), "{unit:?} at {at} from {from}");
                }
            }
        }
    }
}
