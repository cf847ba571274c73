//! What a worker remembers of places between characters.

use super::cache::{Slot, UNKNOWN as UNKNOWN_SLOT};
use super::cuts::{Cuts, Description, Neighbour, Side};
use super::plan::Flags;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Characters that are looked up together differ in these bits alone: those of the last byte in UTF-8.
pub(super) const LOW_BITS: u32 = 6;
const PAGE: usize = 1 << LOW_BITS;
/// Pages of all that a decoder may give.
const PAGES: usize = (char::MAX as usize + 1).next_power_of_two() / PAGE;
/// Neighbours at either side whose answers are remembered; about the others the stages are asked each time. Only vocabularies that
/// join thousands of characters, as Chinese ones do, have more.
const REMEMBERED: usize = 1 << 10;
/// The number of a character that something may always reach across from.
const NEVER: u16 = 0;
/// The number of a chunk that is not known to be a single character.
pub(super) const NO_SINGLE: u16 = 0;
/// The number of the first character as a chunk that is not ASCII, and of the first that gets none: a table of at most 1 MiB.
const FIRST_SINGLE: u16 = 0x81;
const SINGLES: u16 = 1 << 14;

/// The numbers of a character as a neighbour, before a place and behind one, and as a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Numbers(u64); // 16 bits each, in one word, so that they are read at once

impl Numbers {
    const fn new(before: u16, behind: u16, single: u16) -> Self {
        Self(before as u64 | (behind as u64) << 16 | (single as u64) << 32)
    }

    #[inline]
    fn before(self) -> usize {
        self.0 as usize & 0xffff
    }

    #[inline]
    fn behind(self) -> usize {
        self.0 as usize >> 16 & 0xffff
    }

    #[inline]
    pub(super) fn single(self) -> u16 {
        (self.0 >> 32) as u16
    }
}

/// Of a character that has not been met.
const UNMET: Numbers = Numbers(u64::MAX);

/// The number of an ASCII character as a chunk.
#[inline]
pub(super) fn single_of_ascii(c: u8) -> u16 {
    u16::from(c) + 1
}

/// See the module. It belongs to one set of stages.
#[derive(Debug)]
pub(super) struct BorderMemo {
    /// Which of the pages that have been met is the one of a character; page 0 is that of all others.
    pages: Box<[u16; PAGES]>,
    numbers: Vec<[Numbers; PAGE]>,
    before: Numbered,
    behind: Numbered,
    /// Whether there is a border between two neighbours, by [before][behind]; no memory until it is written.
    answers: Box<[u8; REMEMBERED * REMEMBERED]>,
    /// What characters become that are chunks by themselves, by their numbers: slots of the cache, found without a key. That of
    /// [`NO_SINGLE`] is never known.
    singles: Vec<Slot>,
    /// The number of the next character that is met.
    next_single: u16,
}

/// Nothing is known yet.
const UNKNOWN: u8 = 0;
/// There is no border.
const NO: u8 = 1;
/// There is one.
const YES: u8 = 2;

/// The neighbours at one side.
#[derive(Debug)]
struct Numbered {
    numbers: HashMap<Description, u16, FixedState>,
    neighbours: Vec<Option<Neighbour>>,
}

impl Default for Numbered {
    fn default() -> Self {
        Self { numbers: HashMap::default(), neighbours: vec![None] }
    }
}

impl Numbered {
    fn number(&mut self, neighbour: Option<Neighbour>) -> u16 {
        let Some(neighbour) = neighbour else { return NEVER };
        if let Some(number) = self.numbers.get(&neighbour.description) {
            return *number;
        }
        let Some(number) = u16::try_from(self.neighbours.len()).ok().filter(|n| *n != u16::MAX) else {
            return NEVER;
        };
        self.numbers.insert(neighbour.description.clone(), number);
        self.neighbours.push(Some(neighbour));
        number
    }
}

/// Zeros, which take no memory until they are written.
#[expect(clippy::unnecessary_box_returns, reason = "too large for the stack")]
fn zeros<T: Clone + Default, const N: usize>() -> Box<[T; N]> {
    let zeros = vec![T::default(); N].into_boxed_slice();
    zeros.try_into().unwrap_or_else(|_| unreachable!("there are as many as were asked for"))
}

impl Default for BorderMemo {
    fn default() -> Self {
        Self {
            pages: zeros(),
            numbers: vec![[UNMET; PAGE]],
            before: Numbered::default(),
            behind: Numbered::default(),
            answers: zeros(),
            singles: vec![UNKNOWN_SLOT; usize::from(FIRST_SINGLE)],
            next_single: FIRST_SINGLE,
        }
    }
}

/// One memo for the stages behind the normalizer, and one for all stages.
#[derive(Debug, Default)]
pub(super) struct BorderMemos([BorderMemo; 2]);

impl BorderMemos {
    pub(super) fn of(&mut self, flags: Flags) -> &mut BorderMemo {
        &mut self.0[usize::from(flags.has(Flags::RAW))]
    }
}

impl BorderMemo {
    /// The numbers of a character.
    #[inline]
    pub(super) fn numbers(&mut self, c: u32, cuts: &Cuts) -> Numbers {
        self.known(c >> LOW_BITS, c).unwrap_or_else(|| self.meet(c, cuts))
    }

    /// The numbers of a character that has been met, of which the upper bits and the lower [`LOW_BITS`] are given.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loops over characters")]
    pub(super) fn known(&self, page: u32, low: u32) -> Option<Numbers> {
        let numbers = self.numbers[usize::from(self.pages[page as usize % PAGES])][low as usize % PAGE];
        (numbers != UNMET).then_some(numbers)
    }

    /// Meet the characters of ASCII, if that has not been done.
    pub(super) fn meet_ascii(&mut self, cuts: &Cuts) {
        if self.known(0, 0).is_none() {
            for c in 0..0x80 {
                self.meet(c, cuts);
            }
        }
    }

    #[cold]
    fn meet(&mut self, c: u32, cuts: &Cuts) -> Numbers {
        let Some(c) = char::from_u32(c) else { return Numbers::new(NEVER, NEVER, NO_SINGLE) };
        let numbers = Numbers::new(
            self.before.number(cuts.neighbour(c, Side::Before)),
            self.behind.number(cuts.neighbour(c, Side::Behind)),
            self.number_single(c),
        );
        let at = c as usize / PAGE;
        if self.pages[at] == 0 {
            self.pages[at] = self.numbers.len() as u16;
            self.numbers.push([UNMET; PAGE]);
        }
        self.numbers[usize::from(self.pages[at])][c as usize % PAGE] = numbers;
        numbers
    }

    fn number_single(&mut self, c: char) -> u16 {
        if c.is_ascii() {
            return single_of_ascii(c as u8);
        }
        if self.next_single == SINGLES {
            return NO_SINGLE;
        }
        self.next_single += 1;
        self.next_single - 1
    }

    /// Whether there is a border between two characters with these numbers.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loops over characters")]
    pub(super) fn is_border(&mut self, before: Numbers, behind: Numbers, cuts: &Cuts) -> bool {
        self.answer(before, behind).unwrap_or_else(|| self.ask(before.before(), behind.behind(), cuts))
    }

    /// The same if it is remembered.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loops over characters")]
    pub(super) fn answer(&self, before: Numbers, behind: Numbers) -> Option<bool> {
        let (before, behind) = (before.before(), behind.behind());
        if before | behind >= REMEMBERED {
            return None;
        }
        let answer = self.answers[before * REMEMBERED + behind];
        // Which of the two it is cannot be foreseen, so it must be no branch.
        (answer != UNKNOWN).then_some(answer == YES)
    }

    #[cold]
    fn ask(&mut self, before: usize, behind: usize, cuts: &Cuts) -> bool {
        let is_border = match (&self.before.neighbours[before], &self.behind.neighbours[behind]) {
            (Some(before), Some(behind)) => cuts.allows(before, behind),
            _ => false,
        };
        if before < REMEMBERED && behind < REMEMBERED {
            self.answers[before * REMEMBERED + behind] = if is_border { YES } else { NO };
        }
        is_border
    }

    /// What becomes of characters as chunks, by their numbers; slots that hold no tokens where that is not known.
    pub(super) fn singles(&self) -> &[Slot] {
        &self.singles
    }

    /// Remember what becomes of the character with a number: a slot that holds its tokens itself.
    pub(super) fn remember_single(&mut self, number: u16, slot: Slot) {
        let number = usize::from(number);
        if self.singles.len() <= number {
            self.singles.resize(number + 1, UNKNOWN_SLOT);
        }
        self.singles[number] = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::AnyModel;
    use crate::normalizers::AnyNormalizer;
    use crate::pre_tokenizers::AnyPreTokenizer;
    use proptest::prelude::*;
    use serde_json::value::to_raw_value;
    use serde_json::{Value, json};
    use std::sync::LazyLock;

    fn cuts(normalizer: &Value, stages: &[Value], model: &Value) -> Cuts {
        let normalizer = (!normalizer.is_null()).then(|| AnyNormalizer::parse(normalizer.clone()).unwrap());
        let stages: Vec<_> = stages.iter().map(|stage| AnyPreTokenizer::parse(stage.clone()).unwrap()).collect();
        Cuts::new(normalizer.as_ref(), &stages, &AnyModel::parse(&to_raw_value(model).unwrap()).unwrap()).unwrap()
    }

    fn split(pattern: &str, behavior: &str) -> Value {
        json!({"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": false})
    }

    fn metaspace(scheme: &str, split: bool) -> Value {
        json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": split})
    }

    fn byte_level(use_regex: bool) -> Value {
        json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": use_regex})
    }

    static STAGES: LazyLock<Vec<Cuts>> = LazyLock::new(|| {
        let words = json!({"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"});
        let pairs = json!({
            "type": "BPE", "unk_token": "a",
            "vocab": {"a": 0, "b": 1, "ab": 2, "▁": 3, "▁a": 4, "é": 5, "中": 6, "文": 7, "中文": 8, "\0": 9, "\0é": 10, "x": 11},
            "merges": [["a", "b"], ["▁", "a"], ["中", "文"], ["\0", "é"]],
        });
        let one = |name: &str| json!({"type": name});
        let replace = |from: &str, to: &str| json!({"type": "Replace", "pattern": {"String": from}, "content": to});
        let bert = json!({
            "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true,
        });
        let marks =
            json!({"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, replace(" ", "▁")]});
        let chain = json!({
            "type": "Sequence", "normalizers": [replace("a", "é"), one("NFD"), replace("b", "a"), one("Lowercase"), one("Nmt")],
        });
        let delimiter = json!({"type": "CharDelimiterSplit", "delimiter": "é"});
        vec![
            cuts(&bert, &[one("BertPreTokenizer")], &words),
            cuts(&Value::Null, &[one("Whitespace"), one("Punctuation")], &words),
            cuts(&chain, &[one("WhitespaceSplit"), delimiter, metaspace("always", true)], &words),
            cuts(&one("NFKC"), &[metaspace("first", true), split("[0-9]", "Isolated"), byte_level(true)], &words),
            cuts(
                &json!({"type": "Strip", "strip_left": true, "strip_right": true}),
                &[split(r"\s+", "Removed")],
                &words,
            ),
            cuts(&marks, &[], &pairs),
            cuts(&Value::Null, &[metaspace("never", false), byte_level(false)], &pairs),
        ]
    });

    fn character() -> impl Strategy<Value = char> {
        let odd = prop::sample::select("abxAB \0 1é▁中文.\n\u{301}\u{85}\u{a0}\u{3000}ﬁ½“".chars().collect::<Vec<_>>());
        prop_oneof![4 => odd, 2 => prop::char::range('\0', '\u{3ff}'), 1 => any::<char>()]
    }

    proptest! {
        /// Whoever stands for them.
        #[test]
        fn characters_with_one_number_have_the_same_places(chars in prop::collection::vec(character(), 2..60)) {
            for cuts in STAGES.iter() {
                let mut memo = BorderMemo::default();
                for pair in chars.windows(2) {
                    let [a, b] = [pair[0], pair[1]].map(|c| memo.numbers(u32::from(c), cuts));
                    let alone = cuts.neighbour(pair[0], Side::Before).zip(cuts.neighbour(pair[1], Side::Behind));
                    let expected = alone.is_some_and(|(before, behind)| cuts.allows(&before, &behind));
                    for _ in 0..2 {
                        prop_assert_eq!(memo.is_border(a, b, cuts), expected, "{:?}", pair);
                    }
                }
            }
        }
    }

    #[test]
    fn more_neighbours_than_are_remembered() {
        let chars: Vec<_> = ('一'..).take(2 * REMEMBERED).collect();
        let joined = chars.chunks(2).map(|pair| pair.iter().collect::<String>());
        let vocab: HashMap<_, _> = chars.iter().map(char::to_string).chain(joined).zip(0..).collect();
        let merges: Vec<_> = chars.chunks(2).map(|pair| [pair[0].to_string(), pair[1].to_string()]).collect();
        let vocab: serde_json::Map<_, _> = vocab.into_iter().map(|(token, id)| (token, json!(id))).collect();
        let cuts =
            cuts(&Value::Null, &[], &json!({"type": "BPE", "unk_token": "一", "vocab": vocab, "merges": merges}));
        let mut memo = BorderMemo::default();
        let numbers: Vec<_> = chars.iter().map(|c| memo.numbers(u32::from(*c), &cuts)).collect();
        for (i, pair) in numbers.windows(2).enumerate() {
            assert_eq!(memo.is_border(pair[0], pair[1], &cuts), i % 2 == 1);
        }
    }
}
