//! Named sets of characters as Oniguruma defines them, Unicode 16.
//!
//! General categories, scripts and binary properties come from the tables of `regex-syntax`, which are of the same Unicode
//! version; the POSIX names have Oniguruma's Unicode definitions. Each is held equal to the reference engine by
//! differential runs over all code points.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// The set that `regex-syntax` gives for an expression of one character, such as `\p{L}`.
fn set(expression: &str) -> Option<ClassUnicode> {
    let hir = regex_syntax::Parser::new().parse(expression).ok()?;
    match hir.into_kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class),
        HirKind::Class(Class::Bytes(class)) => class.to_unicode_class(),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            let mut chars = text.chars();
            let c = chars.next()?;
            chars.next().is_none().then(|| super::ast::single(c))
        }
        _ => None,
    }
}

/// The POSIX names, in the letters of [`canonical`], with their definitions over the properties.
const POSIX: &[(&str, &str)] = &[
    ("alnum", r"[\p{Alphabetic}\p{Nd}]"),
    ("alpha", r"\p{Alphabetic}"),
    ("ascii", r"[\x00-\x7F]"),
    ("blank", r"[\p{Zs}\t]"),
    ("cntrl", r"\p{Cc}"),
    ("digit", r"\p{Nd}"),
    ("graph", r"[^\p{White_Space}\p{Cc}\p{Cn}]"),
    ("lower", r"\p{Lowercase}"),
    ("print", r"[[^\p{White_Space}\p{Cc}\p{Cn}]\p{Zs}]"),
    ("punct", r"[\p{P}\p{S}]"),
    ("space", r"\p{White_Space}"),
    ("upper", r"\p{Uppercase}"),
    ("xdigit", r"[0-9A-Fa-f]"),
    ("word", r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}]"),
];

/// `\w` and `\p{word}` outside of brackets, which hold six characters of Latin-1 more than inside.
const WORD: &str = r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{B2}\x{B3}\x{B9}\x{BC}-\x{BE}]";

/// A property name as Oniguruma compares it: lower case without blanks, hyphens and underscores.
fn canonical(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, ' ' | '-' | '_')).map(|c| c.to_ascii_lowercase()).collect()
}

/// The set of a POSIX bracket name (`[:name:]`), which is exact in case.
pub(crate) fn posix(name: &str) -> Option<ClassUnicode> {
    POSIX.iter().find(|(known, _)| *known == name).and_then(|(_, expression)| set(expression))
}

/// The set of a property name (`\p{name}`), in brackets or outside.
pub(crate) fn property(name: &str, in_set: bool) -> Option<ClassUnicode> {
    let name = canonical(name);
    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    match name.as_str() {
        "any" => Some(any()),
        "posixpunct" => posix("punct"),
        "punct" => set(r"\p{P}"),
        "word" => Some(if in_set { member_word() } else { word() }),
        _ => posix(&name).or_else(|| set(&format!(r"\p{{{name}}}"))),
    }
}

/// Every character.
pub(crate) fn any() -> ClassUnicode {
    ClassUnicode::new([ClassUnicodeRange::new('\0', char::MAX)])
}

/// `\s`: the property `White_Space`, 25 characters.
pub(crate) fn space() -> ClassUnicode {
    posix("space").unwrap_or_else(ClassUnicode::empty)
}

/// `\w` in brackets.
pub(crate) fn member_word() -> ClassUnicode {
    posix("word").unwrap_or_else(ClassUnicode::empty)
}

/// `\w` outside of brackets, and what `\b` goes by.
pub(crate) fn word() -> ClassUnicode {
    set(WORD).unwrap_or_else(ClassUnicode::empty)
}

/// `\d`: Nd.
pub(crate) fn digit() -> ClassUnicode {
    posix("digit").unwrap_or_else(ClassUnicode::empty)
}

/// `\h`
pub(crate) fn hexadecimal() -> ClassUnicode {
    posix("xdigit").unwrap_or_else(ClassUnicode::empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_definition_compiles() {
        for (name, _) in POSIX {
            assert!(posix(name).is_some_and(|set| !set.ranges().is_empty()), "{name}");
        }
    }

    fn size(set: Option<ClassUnicode>) -> usize {
        // A range may span the surrogates, which are no characters.
        set.unwrap().ranges().iter().map(|range| (range.start()..=range.end()).count()).sum()
    }

    // The numbers are those of the reference engine (Oniguruma in tokenizers 0.23.3).
    #[test]
    fn sizes_are_those_of_unicode_16() {
        assert_eq!(size(property("L", false)), 141_028);
        assert_eq!(size(property("N", false)), 1_911);
        assert_eq!(size(property("M", false)), 2_501);
        assert_eq!(size(property("S", false)), 8_514);
        assert_eq!(size(property("P", false)), 855);
        assert_eq!(size(property("Han", false)), 99_030);
        assert_eq!(size(Some(space())), 25);
        assert_eq!(size(Some(word())), 144_671);
        assert_eq!(size(Some(digit())), 760);
        assert_eq!(size(Some(hexadecimal())), 22);
        assert_eq!(size(posix("alpha")), 142_759);
        assert_eq!(size(posix("punct")), 9_369);
        assert_eq!(size(posix("word")), 144_665);
        assert_eq!(size(posix("alnum")), 143_519);
        assert_eq!(size(posix("graph")), 292_447);
        assert_eq!(size(posix("print")), 292_464);
        assert_eq!(size(posix("blank")), 18);
        assert_eq!(size(posix("lower")), 2_569);
        assert_eq!(size(posix("upper")), 1_978);
        assert_eq!(size(property("word", true)), 144_665);
        assert_eq!(size(property("word", false)), 144_671);
        assert_eq!(size(property("punct", false)), 855);
        assert_eq!(size(property("C", false)), 957_236);
        assert_eq!(size(property("Assigned", false)), 292_531);
        assert_eq!(size(property("Common", false)), 9_053);
        assert_eq!(size(property("LC", false)), 4_147);
    }

    #[test]
    fn names_are_loose_and_unknown_names_are_refused() {
        assert_eq!(property("uppercase_letter", false), property("Lu", false));
        assert_eq!(property("White Space", false), property("space", false));
        assert_eq!(property("NoSuchThing", false), None);
        assert_eq!(property("sc=Greek", false), None);
    }
}
