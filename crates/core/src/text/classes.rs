//! Sets of characters, for those who need more than to ask about one: the predicates of [`super::unicode`] as ranges.

use super::unicode;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind};
use std::sync::OnceLock;

/// A set of characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CharSet {
    ranges: ClassUnicode,
    ascii: u128,
}

impl CharSet {
    /// The characters for which `holds`.
    pub fn new(holds: impl Fn(char) -> bool) -> Self {
        let mut ranges = Vec::new();
        let mut start = None;
        let mut last = '\0';
        for c in '\0'..=char::MAX {
            match (holds(c), start) {
                (true, None) => start = Some(c),
                (false, Some(first)) => {
                    ranges.push(ClassUnicodeRange::new(first, last));
                    start = None;
                }
                _ => {}
            }
            last = c;
        }
        ranges.extend(start.map(|first| ClassUnicodeRange::new(first, char::MAX)));
        Self::from_ranges(ClassUnicode::new(ranges))
    }

    /// The set that a class of the syntax of the `regex` crate describes, as `[\p{P}&&\p{age=8.0}]`; empty if it is none.
    pub fn parse(class: &str) -> Self {
        let ranges = match regex_syntax::parse(class).map(Hir::into_kind) {
            Ok(HirKind::Class(Class::Unicode(ranges))) => ranges,
            _ => ClassUnicode::empty(),
        };
        Self::from_ranges(ranges)
    }

    /// The one character `c`.
    pub fn single(c: char) -> Self {
        Self::from_ranges(ClassUnicode::new([ClassUnicodeRange::new(c, c)]))
    }

    /// The set of these ranges.
    pub fn from_ranges(ranges: ClassUnicode) -> Self {
        let holds = |c: u8| ranges.ranges().iter().any(|r| (r.start()..=r.end()).contains(&char::from(c)));
        let ascii = (0..128).filter(|c| holds(*c)).fold(0, |bits, c| bits | 1 << c);
        Self { ranges, ascii }
    }

    /// Is `c` a member?
    #[inline]
    pub fn contains(&self, c: char) -> bool {
        if c.is_ascii() {
            return self.ascii >> u32::from(c) & 1 == 1;
        }
        self.ranges
            .ranges()
            .binary_search_by(|range| {
                if range.end() < c {
                    std::cmp::Ordering::Less
                } else if range.start() > c {
                    std::cmp::Ordering::Greater
                } else {
                    std::cmp::Ordering::Equal
                }
            })
            .is_ok()
    }

    /// The members, as ranges in order.
    pub fn ranges(&self) -> &ClassUnicode {
        &self.ranges
    }
}

macro_rules! set {
    ($(#[$doc:meta])* $name:ident, $value:expr) => {
        $(#[$doc])*
        pub fn $name() -> &'static CharSet {
            static SET: OnceLock<CharSet> = OnceLock::new();
            SET.get_or_init(|| $value)
        }
    };
}

set! {
    /// White space.
    white_space, CharSet::new(unicode::is_white_space)
}

set! {
    /// What `Digits` calls numeric: the categories Nd, Nl and No of Unicode 17 (of the standard library).
    numeric, CharSet::new(char::is_numeric)
}

set! {
    /// Punctuation for `Punctuation` and `BertPreTokenizer`.
    punctuation, CharSet::new(unicode::is_punctuation)
}

set! {
    /// `\w` as the `Whitespace` pre-tokenizer and the `single_word` check have it.
    word, CharSet::new(unicode::is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(set: &CharSet) -> usize {
        set.ranges().ranges().iter().map(|range| (range.start()..=range.end()).count()).sum()
    }

    // The sizes are those of the reference: tokenizers 0.23.3, asked for every code point.
    #[test]
    fn sizes_are_those_of_the_reference() {
        assert_eq!(size(white_space()), 25);
        assert_eq!(size(punctuation()), 726);
        assert_eq!(size(numeric()), 1_924);
        assert_eq!(size(word()), 144_667);
    }

    #[test]
    fn membership_is_that_of_the_ranges() {
        let set = CharSet::new(|c| matches!(c, 'a'..='f' | 'é' | '一'..='三' | char::MAX));
        for c in ['a', 'f', 'é', '一', '三', char::MAX] {
            assert!(set.contains(c), "{c:?}");
        }
        for c in ['`', 'g', 'è', '丂', '\u{10fffe}'] {
            assert_eq!(set.contains(c), c == '丂', "{c:?}");
        }
        assert_eq!(CharSet::single('▁'), CharSet::new(|c| c == '▁'));
        for c in '\0'..=char::MAX {
            assert_eq!(white_space().contains(c), c.is_whitespace(), "{c:?}");
        }
    }
}
