//! Scanners against the general engine, on texts made to trip them.

use super::*;
use crate::text::ByteSpan;
use crate::text::classes::{self, CharSet};
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::HashMap;

/// Patterns of published tokenizers and spellings of the same rules, each of which has a scanner.
pub(super) const SCANNED: &[&str] = &[
    // GPT-2; r50k with possessives.
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    // cl100k: as published, with possessives, one digit a piece, two, other orders of the members.
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\p{N}\n\p{L}\r]?\p{L}+|\p{N}{1,2}|[ ]?[^\p{N}\s\p{L}]+[\n\r]*|\s*[\n\r]+|\s+(?!\S)|\s+",
    // o200k: contractions as endings, words by case.
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    // Tekken: words by case without contractions, single digits.
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    // DeepSeek, the third stage; the chess notation; CLIP; three digits of Falcon; stages of deepseek-coder.
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
    r" ?\d+\.|\. ?| ?[-\w]+|[#+]\s+",
    r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    r"[0-9][0-9][0-9]",
    r"\s?\p{L}+",
    r"\s?\p{P}+",
    r"[一-龥ࠀ-一가-퟿]+",
    r"\w+|[^\w\s]+",
];

/// Text that makes rules meet: apostrophes, white space of all kinds, breaks, digits, marks, case, scripts, unassigned.
pub(super) fn tricky() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => prop::sample::select(vec!["'s", "'S", "'ſ", "'re", "'RE", "'ll", "'lL", "'v", "'", "''", "’s", "'t", "'d ", "'m"]),
        4 => prop::sample::select(vec![" ", "  ", "   ", "\t", "\u{a0}", "\u{85}", "\u{3000}", "\u{2028}", "\u{b}", "\u{200b}", "\u{1680}"]),
        3 => prop::sample::select(vec!["\n", "\r", "\r\n", "\n\n", " \n", "\n ", "\n\n  ", "  \n  \n"]),
        4 => prop::sample::select(vec!["a", "ab", "The", "s", "r", "e", "CamelCase", "HTTPServer", "ß", "é", "e\u{301}", "ſ", "K", "ǅ", "ʰ", "ª", "z"]),
        3 => prop::sample::select(vec!["1", "12", "123", "1234567", "٣", "²", "½", "Ⅷ", "一", "3.14"]),
        3 => prop::sample::select(vec!["!", "...", "((", "/", "//", "_", "-", "$", "+", "#", "…", "“", "<|endoftext|>", "\u{0}", "\u{ad}"]),
        3 => prop::sample::select(vec!["中文", "日本語", "ひらがな", "한국어", "ไทย", "हिन्दी", "العربية", "שלום", "\u{300}", "\u{20dd}", "\u{93f}", "カ\u{3099}", "・", "゛ー"]),
        2 => prop::sample::select(vec!["😀", "👩\u{200d}👧", "🇩🇪", "\u{378}", "\u{e0100}", "\u{10fffd}", "\u{1e030}", "𝒜", "\u{ffff}"]),
        1 => any::<char>().prop_map(|c| Box::leak(c.to_string().into_boxed_str()) as &str),
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

/// The general engine for `pattern`, compiled once a thread.
fn general(pattern: &str) -> Matcher {
    thread_local!(static KNOWN: RefCell<HashMap<String, Matcher>> = RefCell::default());
    KNOWN.with_borrow_mut(|known| {
        known.entry(pattern.to_owned()).or_insert_with(|| Matcher::general(pattern).unwrap()).clone()
    })
}

pub(super) fn general_pieces(pattern: &str, text: &str) -> Vec<u32> {
    let mut matches = Vec::new();
    general(pattern).matches(text, &mut matches).unwrap();
    let mut out = Vec::new();
    pieces(text, &matches, Behavior::Isolated, false, &mut out);
    out.into_iter().map(|(span, _)| span.end).collect()
}

fn matcher(pattern: &str) -> Matcher {
    thread_local!(static KNOWN: RefCell<HashMap<String, Matcher>> = RefCell::default());
    KNOWN.with_borrow_mut(|known| {
        let build = || Matcher::new(&Pattern::Regex(pattern.to_owned())).unwrap();
        known.entry(pattern.to_owned()).or_insert_with(build).clone()
    })
}

fn scanner(pattern: &str) -> Scanner {
    matcher(pattern).scanner().unwrap_or_else(|| panic!("{pattern}"))
}

/// All ends from `from`, a few at a time.
fn ends(scanner: &Scanner, text: &str, from: usize, room: usize) -> Vec<u32> {
    let mut out = Vec::new();
    let mut at = from;
    let mut buffer = vec![0; room];
    loop {
        let count = scanner.scan(text, at, &mut buffer);
        if count == 0 {
            return out;
        }
        out.extend_from_slice(&buffer[..count]);
        at = buffer[count - 1] as usize;
    }
}

#[test]
fn patterns_of_published_tokenizers_have_scanners() {
    for pattern in SCANNED {
        scanner(pattern);
    }
    assert!(Scanner::gpt2().has_no_gaps());
    assert!(!scanner(r"\s?\p{L}+").has_no_gaps());
}

#[test]
fn patterns_beyond_the_form_have_none() {
    for pattern in [r"(?<=a)b", r"(a)\1", r"a*", r"\bfoo", r"a(?=bc)", r"x\s+y", r"^a", r"(?>ab|a)b"] {
        assert!(Matcher::new(&Pattern::Regex(pattern.to_owned())).unwrap().scanner().is_none(), "{pattern}");
    }
}

proptest! {
    #[test]
    fn scanners_cut_like_the_general_engine(text in tricky(), which in 0..SCANNED.len(), room in 1usize..40) {
        let pattern = SCANNED[which];
        let scanner = scanner(pattern);
        let expected = general_pieces(pattern, &text);
        prop_assert_eq!(ends(&scanner, &text, 0, room), &expected[..], "{}", pattern);
        for (i, start) in expected.iter().enumerate() {
            prop_assert_eq!(ends(&scanner, &text, *start as usize, room), &expected[i + 1..], "{} from {}", pattern, start);
        }
    }

    #[test]
    fn matches_are_those_of_the_general_engine(text in tricky(), which in 0..SCANNED.len()) {
        let pattern = SCANNED[which];
        let (mut fast, mut general) = (Vec::new(), Vec::new());
        matcher(pattern).matches(&text, &mut fast).unwrap();
        super::tests::general(pattern).matches(&text, &mut general).unwrap();
        prop_assert_eq!(fast, general);
    }

    #[test]
    fn sync_points_are_starts_of_pieces(text in tricky(), which in 0..SCANNED.len(), at in 0usize..60) {
        let scanner = scanner(SCANNED[which]);
        let at = at.min(text.len());
        if let Some(point) = scanner.sync_point(&text, at) {
            prop_assert!(point >= at && point < text.len());
            prop_assert!(point == 0 || general_pieces(SCANNED[which], &text).contains(&(point as u32)));
        }
    }
}

/// Characters and stretches as delimiters, and patterns of which a part is dropped, in every way.
#[test]
fn behaviours_have_scanners() {
    for (set, pattern) in
        [(classes::white_space(), r"\s"), (classes::punctuation(), r"\p{P}"), (&CharSet::single('▁'), "▁")]
    {
        for (behavior, invert) in BEHAVIORS.into_iter().flat_map(|b| [(b, false), (b, true)]) {
            assert!(Scanner::delimited(set, behavior, invert).is_some(), "{behavior:?}");
            assert!(matcher(pattern).scanner_for(behavior, invert).is_some(), "{pattern} {behavior:?}");
        }
    }
    assert!(!Scanner::digits(true).has_no_gaps());
    // Whether `\s` is part of a match does not show in the character.
    assert!(matcher(r"\s?\p{L}+").scanner_for(Behavior::Removed, false).is_none());
    assert!(matcher(r"\p{L}+").scanner_for(Behavior::MergedWithNext, false).is_none());
}

const BEHAVIORS: [Behavior; 5] = [
    Behavior::Removed,
    Behavior::Isolated,
    Behavior::MergedWithPrevious,
    Behavior::MergedWithNext,
    Behavior::Contiguous,
];

proptest! {
    #[test]
    fn scanners_follow_the_behaviours(text in tricky(), pattern in prop::sample::select(vec![r"\s", "[eln']", SCANNED[10], SCANNED[2], r"\w+|[^\w\s]+"]), which in 0usize..5, invert: bool) {
        let behavior = BEHAVIORS[which];
        if let Some(scanner) = matcher(pattern).scanner_for(behavior, invert) {
            let mut start = 0;
            let mut found = Vec::new();
            for end in ends(&scanner, &text, 0, 7) {
                if !scanner.is_dropped(&text, start) {
                    found.push(ByteSpan::new(start as u32, end));
                }
                start = end as usize;
            }
            let (mut matches, mut expected) = (Vec::new(), Vec::new());
            general(pattern).matches(&text, &mut matches).unwrap();
            pieces(&text, &matches, behavior, invert, &mut expected);
            prop_assert_eq!(found, expected.into_iter().map(|(span, _)| span).collect::<Vec<_>>(), "{:?} {}", behavior, invert);
        } else {
            prop_assert!(pattern.contains('+'), "{pattern} {:?} {}", behavior, invert);
        }
    }
}

/// Stages as published: of `DeepSeek`, of its coder, of Falcon.
const DEEPSEEK: &[&str] = &[r"\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+", SCANNED[8]];
const CODER: &[&str] = &["[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-퟿]+", r"\p{N}"];
const FALCON: &[&str] = &[r"[\p{P}$+<=>^`|~]+", SCANNED[0], r"\p{N}+", "[0-9][0-9][0-9]"];

/// Scanners that have masks, by name.
fn masked() -> Vec<(String, Scanner)> {
    let mut all: Vec<(String, Scanner)> = Vec::new();
    for pattern in SCANNED[..8].iter().chain(&SCANNED[10..11]).chain(&SCANNED[12..15]).chain([&r"[\w]+|[^\w\s]+"]) {
        all.push(((*pattern).to_owned(), scanner(pattern)));
    }
    all.push(("DeepSeek".to_owned(), staged(DEEPSEEK).unwrap()));
    all.push(("its coder".to_owned(), staged(CODER).unwrap()));
    all.push(("runs before GPT-2".to_owned(), staged(&[DEEPSEEK[1], SCANNED[0]]).unwrap()));
    all.push(("others before GPT-2".to_owned(), staged(&[r"[^\s\p{L}\p{N}]+", SCANNED[0]]).unwrap()));
    all.push(("Falcon".to_owned(), staged(FALCON).unwrap()));
    let punctuation = Scanner::delimited(classes::punctuation(), Behavior::Contiguous, false).unwrap();
    all.push(("punctuation before GPT-2".to_owned(), Scanner::sequence(&[punctuation, Scanner::gpt2()]).unwrap()));
    for (behavior, invert) in BEHAVIORS.into_iter().flat_map(|behavior| [(behavior, false), (behavior, true)]) {
        let scanner = Scanner::delimited(classes::white_space(), behavior, invert).unwrap();
        all.push((format!("{behavior:?} {invert}"), scanner));
    }
    let bert = [(classes::white_space(), Behavior::Removed), (classes::punctuation(), Behavior::Isolated)];
    let bert = bert.map(|(set, behavior)| Scanner::delimited(set, behavior, false).unwrap());
    all.push(("Whitespace".to_owned(), Scanner::whitespace()));
    all.push(("BERT".to_owned(), Scanner::sequence(&bert).unwrap()));
    all
}

#[test]
fn the_commonest_patterns_have_masks() {
    for (name, scanner) in masked() {
        assert!(scanner.with_masks(None).is_some(), "{name}");
    }
    // `²` is in both sets.
    assert!(scanner(SCANNED[15]).with_masks(None).is_none());
}

proptest! {
    #[test]
    fn masks_cut_like_automata(text in tricky(), plain in "[a-zA-Z' .\\n0-9]{0,200}", which: prop::sample::Index, room in 1usize..200) {
        thread_local!(static MASKED: Vec<(String, Scanner)> = masked());
        let (name, scanner) = MASKED.with(|all| which.get(all).clone());
        let automaton = scanner.with_masks(None).unwrap();
        for text in [plain.clone() + &text + &plain, text] {
            let expected = ends(&automaton, &text, 0, 64);
            for kind in masks::Kind::available() {
                let masked = scanner.with_masks(Some(kind)).unwrap();
                prop_assert_eq!(ends(&masked, &text, 0, room), &expected[..], "{} {:?}", name, kind);
            }
        }
    }
}

fn staged(patterns: &[&str]) -> Option<Scanner> {
    let stages: Vec<Scanner> = patterns.iter().map(|pattern| scanner(pattern)).collect();
    Scanner::sequence(&stages)
}

fn staged_pieces(patterns: &[&str], text: &str) -> Vec<u32> {
    let mut cut = vec![ByteSpan::new(0, text.len() as u32)];
    for pattern in patterns {
        cut = cut
            .iter()
            .flat_map(|span| {
                let mut start = span.start;
                general_pieces(pattern, &text[span.range()])
                    .into_iter()
                    .map(|end| {
                        let piece = ByteSpan::new(start, span.start + end);
                        start = piece.end;
                        piece
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
    }
    cut.into_iter().map(|span| span.end).collect()
}

#[test]
fn stages_that_cannot_be_restarted_have_no_scanner() {
    // Three characters at a time, then letters alone: behind a letter cut out, threes would be counted anew.
    assert!(staged(&["[^x][^x][^x]", r"\p{L}"]).is_none());
    assert!(staged(&["[^x][^x][^x]"]).is_some());
}

proptest! {
    #[test]
    fn stages_cut_like_the_general_engine(text in tricky(), which in 0usize..3, room in 1usize..40) {
        let patterns = [DEEPSEEK, CODER, FALCON][which];
        let scanner = staged(patterns).unwrap();
        let expected = staged_pieces(patterns, &text);
        prop_assert_eq!(ends(&scanner, &text, 0, room), &expected[..]);
        for (i, start) in expected.iter().enumerate() {
            prop_assert_eq!(ends(&scanner, &text, *start as usize, room), &expected[i + 1..], "from {}", start);
        }
        if let Some(point) = scanner.sync_point(&text, text.len() / 2) {
            prop_assert!(point == 0 || expected.contains(&(point as u32)));
        }
    }

    #[test]
    fn windows_do_not_show(parts in prop::collection::vec("[a-c ]{1,90}|[0-9]{1,9}|中{1,90}|\\(\\( ", 1..30)) {
        let text = parts.concat();
        for patterns in [DEEPSEEK, CODER, FALCON] {
            prop_assert_eq!(ends(&staged(patterns).unwrap(), &text, 0, 3), staged_pieces(patterns, &text));
        }
    }
}
