//! What a worker remembers of places between characters.

use super::cuts::{Cuts, Description, Neighbour, Side};
use super::plan::Flags;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Characters that are looked up together.
const PAGE: usize = 64;
/// Pages of all characters.
const PAGES: usize = (char::MAX as usize + 1) / PAGE;
/// Neighbours at either side whose answers are remembered; about the others the stages are asked each time. Only vocabularies that
/// join thousands of characters, as Chinese ones do, have more.
const REMEMBERED: usize = 1 << 10;
/// The number of a character that something may always reach across from.
const NEVER: u16 = 0;

/// The numbers of a character as a neighbour, before a place and behind one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    before: u16,
    behind: u16,
}

/// Of a character that has not been met.
const UNMET: Numbers = Numbers { before: u16::MAX, behind: u16::MAX };

/// See the module. It belongs to one set of stages.
#[derive(Debug)]
pub(super) struct BorderMemo {
    /// Which of the pages that have been met is the one of a character; page 0 is that of all others.
    pages: Vec<u16>,
    numbers: Vec<[Numbers; PAGE]>,
    before: Numbered,
    behind: Numbered,
    /// Whether there is a border between two neighbours, by [before][behind].
    answers: Vec<[Answer; REMEMBERED]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Unknown,
    No,
    Yes,
}

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
        let Some(number) = u16::try_from(self.neighbours.len()).ok().filter(|n| *n != UNMET.before) else {
            return NEVER;
        };
        self.numbers.insert(neighbour.description.clone(), number);
        self.neighbours.push(Some(neighbour));
        number
    }
}

impl Default for BorderMemo {
    fn default() -> Self {
        Self {
            pages: vec![0; PAGES],
            numbers: vec![[UNMET; PAGE]],
            before: Numbered::default(),
            behind: Numbered::default(),
            answers: Vec::new(),
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
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop over characters")]
    pub(super) fn numbers(&mut self, c: u32, cuts: &Cuts) -> Numbers {
        let page = self.pages[c as usize / PAGE];
        let numbers = self.numbers[usize::from(page)][c as usize % PAGE];
        if numbers == UNMET { self.meet(c, cuts) } else { numbers }
    }

    #[cold]
    fn meet(&mut self, c: u32, cuts: &Cuts) -> Numbers {
        let Some(c) = char::from_u32(c) else { return Numbers { before: NEVER, behind: NEVER } };
        let numbers = Numbers {
            before: self.before.number(cuts.neighbour(c, Side::Before)),
            behind: self.behind.number(cuts.neighbour(c, Side::Behind)),
        };
        let at = c as usize / PAGE;
        if self.pages[at] == 0 {
            self.pages[at] = self.numbers.len() as u16;
            self.numbers.push([UNMET; PAGE]);
        }
        self.numbers[usize::from(self.pages[at])][c as usize % PAGE] = numbers;
        numbers
    }

    /// Whether there is a border between two characters with these numbers.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop over characters")]
    pub(super) fn is_border(&mut self, before: Numbers, behind: Numbers, cuts: &Cuts) -> bool {
        let (before, behind) = (usize::from(before.before), usize::from(behind.behind));
        match self.answers.get(before).and_then(|row| row.get(behind)) {
            Some(Answer::Yes) => true,
            Some(Answer::No) => false,
            _ => self.ask(before, behind, cuts),
        }
    }

    #[cold]
    fn ask(&mut self, before: usize, behind: usize, cuts: &Cuts) -> bool {
        let is_border = match (&self.before.neighbours[before], &self.behind.neighbours[behind]) {
            (Some(before), Some(behind)) => cuts.allows(before, behind),
            _ => false,
        };
        if before < REMEMBERED && behind < REMEMBERED {
            if self.answers.len() <= before {
                self.answers.resize(before + 1, [Answer::Unknown; REMEMBERED]);
            }
            self.answers[before][behind] = if is_border { Answer::Yes } else { Answer::No };
        }
        is_border
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
        assert!(memo.answers.len() <= REMEMBERED);
    }
}
