//! Classes of characters that components ask for, each in the version of Unicode that published vocabularies were made with.
//!
//! A class of an older version is the class of today less the characters that came later (their age), and less the few whose
//! category has changed since, which stand here one by one. The tests count each class.

use super::classes::CharSet;
use super::unicode_table::LazyTable;
use std::sync::LazyLock;

/// White space: the 25 characters of `White_Space`, a set that no longer changes.
const WHITE_SPACE: u8 = 1;
/// Punctuation of BERT: all that prints in ASCII but is no letter or digit, and the categories P of Unicode 8.
const PUNCTUATION: u8 = 1 << 1;
/// What BERT drops: the categories Cc, Cf and Co of Unicode 8 but for tab and line ends, U+0000 and U+FFFD.
const CONTROL: u8 = 1 << 2;
/// Category Mn of Unicode 8.
const NONSPACING_MARK: u8 = 1 << 3;
/// Categories Mn, Mc and Me of Unicode 9.
const MARK: u8 = 1 << 4;
/// Ideographs that BERT sets apart.
const IDEOGRAPH: u8 = 1 << 5;
/// `\w` of Unicode 16: Alphabetic, M, Nd, Pc and the two joiners.
const WORD: u8 = 1 << 6;

static CLASSES: LazyTable = LazyTable::new(|c| {
    let mut class = 0;
    let mut add = |is_in: bool, bit: u8| class |= if is_in { bit } else { 0 };
    add(c.is_whitespace(), WHITE_SPACE);
    add(c.is_ascii_punctuation() || PUNCTUATION_8.contains(c), PUNCTUATION);
    add(!matches!(c, '\t' | '\n' | '\r') && (matches!(c, '\0' | '\u{fffd}') || CONTROL_8.contains(c)), CONTROL);
    add(NONSPACING_MARK_8.contains(c), NONSPACING_MARK);
    add(MARK_9.contains(c), MARK);
    add(is_bert_ideograph(c), IDEOGRAPH);
    add(WORD_16.contains(c), WORD);
    class
});

// U+166D has become a symbol since, U+111C9 a mark.
static PUNCTUATION_8: LazyLock<CharSet> = LazyLock::new(|| CharSet::parse(r"[[\p{P}&&\p{age=8.0}]\x{166d}\x{111c9}]"));
static CONTROL_8: LazyLock<CharSet> = LazyLock::new(|| CharSet::parse(r"[[\p{Cc}\p{Cf}\p{Co}]&&\p{age=8.0}]"));
// U+1734 and U+1171E have become spacing marks since; U+1885, U+1886, U+A9BD and U+111C9 were none yet.
static NONSPACING_MARK_8: LazyLock<CharSet> =
    LazyLock::new(|| CharSet::parse(r"[[\p{Mn}&&\p{age=8.0}--[\x{1885}\x{1886}\x{a9bd}\x{111c9}]]\x{1734}\x{1171e}]"));
// U+1CF2 and U+1CF3 have become letters since; U+111C9 was punctuation.
static MARK_9: LazyLock<CharSet> =
    LazyLock::new(|| CharSet::parse(r"[[\p{M}&&\p{age=9.0}--\x{111c9}]\x{1cf2}\x{1cf3}]"));
static WORD_16: LazyLock<CharSet> = LazyLock::new(|| CharSet::parse(r"\w"));

fn is_bert_ideograph(c: char) -> bool {
    // The gap from U+2B820 to U+2B91F is BERT's own.
    matches!(u32::from(c), 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x2a6df | 0x2a700..=0x2b73f
        | 0x2b740..=0x2b81f | 0x2b920..=0x2ceaf | 0x2f800..=0x2fa1f)
}

/// Whether any of the classes that BERT cleans up or sets apart holds a character: controls, white space, ideographs.
#[inline]
pub fn is_cleaned_by_bert(c: char) -> bool {
    CLASSES.get(c) & (CONTROL | WHITE_SPACE | IDEOGRAPH) != 0
}

/// Whether a character is white space.
#[inline]
pub fn is_white_space(c: char) -> bool {
    CLASSES.get(c) & WHITE_SPACE != 0
}

/// Whether a character is punctuation for BERT: printable ASCII but letters and digits, and P of Unicode 8.
#[inline]
pub fn is_punctuation(c: char) -> bool {
    CLASSES.get(c) & PUNCTUATION != 0
}

/// Whether BERT drops a character: Cc, Cf, Co of Unicode 8 but for tab and line ends, and U+FFFD.
#[inline]
pub fn is_bert_control(c: char) -> bool {
    CLASSES.get(c) & CONTROL != 0
}

/// Whether a character is a nonspacing mark (Mn) of Unicode 8.
#[inline]
pub fn is_nonspacing_mark(c: char) -> bool {
    CLASSES.get(c) & NONSPACING_MARK != 0
}

/// Whether a character is a mark (Mn, Mc, Me) of Unicode 9.
#[inline]
pub fn is_mark(c: char) -> bool {
    CLASSES.get(c) & MARK != 0
}

/// Whether BERT sets an ideograph apart.
#[inline]
pub fn is_ideograph(c: char) -> bool {
    CLASSES.get(c) & IDEOGRAPH != 0
}

/// Whether a character belongs to a word (`\w`): Alphabetic, M, Nd, Pc or a joiner, of Unicode 16.
#[inline]
pub fn is_word(c: char) -> bool {
    CLASSES.get(c) & WORD != 0
}

/// Length in bytes of the ASCII text at the start of `text`.
pub fn ascii_prefix(text: &str) -> usize {
    const STEP: usize = 32;
    let bytes = text.as_bytes();
    // Whole steps are tested at once, which compiles to vector instructions.
    let steps = bytes.chunks_exact(STEP).take_while(|step| step.iter().fold(0, |all, b| all | b) < 0x80).count();
    let rest = &bytes[steps * STEP..];
    steps * STEP + rest.iter().position(|b| *b >= 0x80).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::super::unicode_forms::Form;
    use super::*;

    // Counted by asking the reference, tokenizers 0.23.3, for every code point.
    #[test]
    fn sizes_are_those_of_the_reference() {
        let all = || (0..=0x10_ffff).filter_map(char::from_u32);
        let size = |is_in: &dyn Fn(char) -> bool| {
            all().filter(|c| is_in(*c)).fold((0u32, 0u64), |(count, sum), c| (count + 1, sum + u64::from(c)))
        };
        assert_eq!(size(&is_white_space), (25, 141_586));
        assert_eq!(size(&is_punctuation), (726, 20_675_981));
        assert_eq!(size(&is_bert_control), (137_681, 137_913_084_793));
        assert_eq!(size(&is_mark), (2_097, 286_880_651));
        assert_eq!(size(&is_ideograph), (81_264, 9_171_601_864));
        assert_eq!(size(&is_word), (144_667, 15_621_645_388));
        // Marks that decompose cannot be asked for: the reference decomposes first.
        let asked = |c: char| is_nonspacing_mark(c) && Form::Nfd.is_normalized(c.encode_utf8(&mut [0; 4]));
        assert_eq!(size(&asked), (1_549, 262_364_136));
    }

    #[test]
    fn ascii_prefixes() {
        for n in [0, 1, 31, 32, 33, 64, 70] {
            assert_eq!(ascii_prefix(&"a".repeat(n)), n);
            assert_eq!(ascii_prefix(&("a".repeat(n) + "é" + &"a".repeat(50))), n);
        }
    }
}
