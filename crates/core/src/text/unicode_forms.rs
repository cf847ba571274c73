//! The four normalization forms of Unicode 9, with spans.
//!
//! Decompositions and compositions never change once a character exists, so the forms of Unicode 9 are those of today in which
//! all younger characters are inert: nothing happens to them or across them.
//!
//! A text is worked off in segments: a segment runs from a character that nothing before it can touch up to the next such
//! character. Most characters are *stable*: a segment by themselves that no form changes, unless something behind joins them.

use super::classes::CharSet;
use super::unicode::ascii_prefix;
use super::unicode_table::LazyTable;
use super::{AlignedText, ByteSpan, Editor};
use crate::steps;
use std::iter::once;
use std::sync::LazyLock;
use unicode_normalization::char::{canonical_combining_class, compose, decompose_canonical, decompose_compatible};
use unicode_normalization::{IsNormalized, is_nfc_quick, is_nfkc_quick};

/// A normalization form. Source: Unicode Standard Annex 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Form {
    /// Canonical decomposition.
    Nfd = 0,
    /// Compatibility decomposition.
    Nfkd = 2,
    /// Canonical decomposition, then composition.
    Nfc = 4,
    /// Compatibility decomposition, then composition.
    Nfkc = 6,
}

/// Two bits for each form: `STABLE`, `STARTS`, shifted by the form.
static FACTS: LazyTable = LazyTable::new(facts);
/// Nothing before the character touches it, and alone it stays as it is.
const STABLE: u8 = 1;
/// Nothing before the character touches it or what it decomposes to: a segment starts here.
const STARTS: u8 = 2;

static KNOWN: LazyLock<CharSet> = LazyLock::new(|| CharSet::parse(r"\p{age=9.0}"));

fn facts(c: char) -> u8 {
    if !KNOWN.contains(c) {
        return u8::MAX;
    }
    let mut canonical = Vec::new();
    decompose_canonical(c, |d| canonical.push(d));
    let mut compatible = Vec::new();
    decompose_compatible(c, |d| compatible.push(d));
    let is_starter = |c: char| canonical_combining_class(c) == 0;
    let joins = |c: char| is_nfc_quick(once(c)) == IsNormalized::Maybe;
    let bits = |stable: bool, starts: bool| u8::from(stable) * STABLE + u8::from(starts) * STARTS;

    let composed = |quick: IsNormalized| is_starter(c) && quick == IsNormalized::Yes;
    let (first, first_compatible) = (canonical[0], compatible[0]);
    bits(is_starter(c) && canonical == [c], is_starter(first)) << Form::Nfd as u8
        | bits(is_starter(c) && compatible == [c], is_starter(first_compatible)) << Form::Nfkd as u8
        | bits(composed(is_nfc_quick(once(c))), is_starter(first) && !joins(first)) << Form::Nfc as u8
        | bits(composed(is_nfkc_quick(once(c))), is_starter(first_compatible) && !joins(first_compatible))
            << Form::Nfkc as u8
}

impl Form {
    fn is_stable(self, c: char) -> bool {
        FACTS.get(c) >> self as u8 & STABLE != 0
    }

    /// Whether nothing that stands before `c` can have an effect on it or on what follows, so that a text may be cut there.
    pub fn starts_segment(self, c: char) -> bool {
        FACTS.get(c) >> self as u8 & STARTS != 0
    }

    fn composes(self) -> bool {
        matches!(self, Self::Nfc | Self::Nfkc)
    }

    /// Length in bytes of the segments at the start of `text` that are stable characters by themselves.
    fn stable_prefix(self, text: &str) -> usize {
        let mut at = ascii_prefix(text);
        steps::count(at);
        let mut last = at.saturating_sub(1);
        for c in text[at..].chars() {
            steps::count(1);
            if !self.is_stable(c) {
                return if self.starts_segment(c) { at } else { last };
            }
            last = at;
            at += c.len_utf8();
        }
        at
    }

    /// Length in bytes of the segment at the start of `text`.
    fn segment(self, text: &str) -> usize {
        let ends = |(_, c): &(usize, char)| {
            steps::count(1);
            self.starts_segment(*c)
        };
        text.char_indices().skip(1).find(ends).map_or(text.len(), |(at, _)| at)
    }

    /// Whether the text is in this form already.
    pub fn is_normalized(self, text: &str) -> bool {
        let mut rest = text;
        let mut units = Vec::new();
        loop {
            rest = &rest[self.stable_prefix(rest)..];
            if rest.is_empty() {
                return true;
            }
            let (segment, after) = rest.split_at(self.segment(rest));
            self.normalize_segment(segment, &mut units);
            if !units.iter().map(|unit| unit.c).eq(segment.chars()) {
                return false;
            }
            rest = after;
        }
    }

    /// Bring a text into this form.
    pub fn normalize(self, text: &mut AlignedText) {
        let mut edit = text.edit();
        let mut units = Vec::new();
        let mut spans = Vec::new();
        loop {
            edit.keep(self.stable_prefix(edit.rest()));
            if edit.rest().is_empty() {
                break;
            }
            let len = self.segment(edit.rest());
            let segment = &edit.rest()[..len];
            self.normalize_segment(segment, &mut units);
            if units.iter().map(|unit| unit.c).eq(segment.chars()) {
                edit.keep(len);
                continue;
            }
            old_spans(&edit, len, &mut spans);
            edit.skip(len);
            for unit in &units {
                edit.push_char(unit.c, spans[unit.from as usize].union(spans[unit.to as usize - 1]));
            }
        }
        edit.finish();
    }

    /// The units that a segment turns into.
    fn normalize_segment(self, segment: &str, units: &mut Vec<Unit>) {
        units.clear();
        for (at, c) in (0..).zip(segment.chars()) {
            steps::count(1);
            let mut leads = true;
            let push = |d| {
                units.push(Unit { c: d, class: canonical_combining_class(d), leads, from: at, to: at + 1 });
                leads = false;
            };
            if FACTS.get(c) == u8::MAX {
                // Stable in all forms: it does not decompose, or is younger than Unicode 9.
                units.push(Unit { c, class: 0, leads, from: at, to: at + 1 });
            } else if matches!(self, Self::Nfd | Self::Nfc) {
                decompose_canonical(c, push);
            } else {
                decompose_compatible(c, push);
            }
        }
        for run in units.chunk_by_mut(|a, b| a.class != 0 && b.class != 0) {
            run.sort_by_key(|unit| unit.class);
        }
        if self.composes() {
            compose_units(units);
        }
        align(units);
        steps::count(units.len());
    }
}

/// A character on its way from the old text of a segment to the new.
#[derive(Clone, Copy, Debug)]
struct Unit {
    c: char,
    /// Canonical combining class.
    class: u8,
    /// Whether it is, or holds, the first character of the decomposition of an old one.
    leads: bool,
    /// First old character that it came from, counted from the start of the segment.
    from: u32,
    /// One past the last.
    to: u32,
}

/// Canonical composition. Source: Unicode Standard, section 3.11, D117.
fn compose_units(units: &mut Vec<Unit>) {
    let mut starter: Option<usize> = None;
    let mut kept = 0;
    for at in 0..units.len() {
        let unit = units[at];
        if let Some(first) = starter {
            let is_adjacent = kept == first + 1;
            let last_class = units[kept - 1].class;
            if is_adjacent || last_class != 0 && last_class < unit.class {
                let composed =
                    compose(units[first].c, unit.c).filter(|c| KNOWN.contains(*c) && KNOWN.contains(units[first].c));
                if let Some(c) = composed {
                    let into = &mut units[first];
                    *into = Unit {
                        c,
                        leads: into.leads || unit.leads,
                        from: into.from.min(unit.from),
                        to: into.to.max(unit.to),
                        ..*into
                    };
                    continue;
                }
            }
        }
        units[kept] = unit;
        if unit.class == 0 {
            starter = Some(kept);
        }
        kept += 1;
    }
    units.truncate(kept);
}

/// Make the spans rise. If characters of the old text were joined, each new one covers all that it was made of, and what would
/// fall back is widened. If they were only put in another order, the new ones take the places of the old ones in turn.
fn align(units: &mut [Unit]) {
    if units.iter().any(|unit| unit.to - unit.from > 1) {
        let mut start = u32::MAX;
        for unit in units.iter_mut().rev() {
            start = start.min(unit.from);
            unit.from = start;
        }
        let mut end = 0;
        for unit in units.iter_mut() {
            end = end.max(unit.to);
            unit.to = end;
        }
    } else if !units.is_sorted_by_key(|unit| unit.from) {
        let mut passed = 0;
        for unit in units.iter_mut() {
            passed += u32::from(unit.leads);
            // What leads nothing shares the place of the one before; nothing can stand before the first.
            (unit.from, unit.to) = (passed.max(1) - 1, passed.max(1));
        }
    }
}

/// The original span of each of the characters in the next `len` bytes.
fn old_spans(edit: &Editor<'_>, len: usize, spans: &mut Vec<ByteSpan>) {
    spans.clear();
    let base = edit.position();
    for (at, c) in edit.rest()[..len].char_indices() {
        spans.push(edit.span_of(base + at..base + at + c.len_utf8()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans_of(form: Form, text: &str) -> Vec<(char, u32, u32)> {
        let mut aligned = AlignedText::new(text, 0);
        form.normalize(&mut aligned);
        let count = |byte: u32| text[..byte as usize].chars().count() as u32;
        let span = |(at, c): (usize, char)| {
            let span = aligned.origin(at..at + c.len_utf8());
            (c, count(span.start), count(span.end))
        };
        aligned.as_str().char_indices().map(span).collect()
    }

    #[test]
    fn a_composed_character_covers_what_it_was_made_of() {
        assert_eq!(spans_of(Form::Nfc, "e\u{301}x"), [('é', 0, 2), ('x', 2, 3)]);
        assert_eq!(spans_of(Form::Nfc, "\u{1112}\u{1161}\u{11ab}x"), [('한', 0, 3), ('x', 3, 4)]);
        assert_eq!(spans_of(Form::Nfkc, "\u{ff76}\u{ff9e}"), [('ガ', 0, 2)]);
        assert_eq!(spans_of(Form::Nfc, "\u{232}\u{323}"), [('\u{1ef4}', 0, 2), ('\u{304}', 0, 2)]);
        // The mark that stays lies between the two that joined, so it is widened to keep the spans in order.
        assert_eq!(
            spans_of(Form::Nfc, "xe\u{301}\u{323}a"),
            [('x', 0, 1), ('ẹ', 1, 4), ('\u{301}', 2, 4), ('a', 4, 5)]
        );
    }

    #[test]
    fn reordered_characters_take_the_places_in_turn() {
        let expected = [('x', 0, 1), ('\u{323}', 1, 2), ('\u{301}', 2, 3), ('b', 3, 4)];
        assert_eq!(spans_of(Form::Nfd, "x\u{301}\u{323}b"), expected);
        assert_eq!(spans_of(Form::Nfc, "x\u{301}\u{323}b")[1..3], expected[1..3]);
        let expected = [('e', 0, 1), ('\u{323}', 1, 2), ('\u{301}', 1, 2), ('a', 2, 3)];
        assert_eq!(spans_of(Form::Nfd, "é\u{323}a"), expected);
    }

    #[test]
    fn decomposed_characters_share_the_span() {
        let expected = [('f', 0, 1), ('i', 0, 1), ('e', 1, 2), ('\u{301}', 1, 2), ('1', 2, 3)];
        assert_eq!(spans_of(Form::Nfkd, "ﬁé①"), expected);
    }

    #[test]
    fn younger_characters_are_inert() {
        for text in ["\u{32ff}", "\u{11935}\u{11930}", "a\u{1df9}\u{301}"] {
            for form in [Form::Nfc, Form::Nfd, Form::Nfkc, Form::Nfkd] {
                let mut aligned = AlignedText::new(text, 0);
                form.normalize(&mut aligned);
                assert_eq!(aligned.as_str(), text);
                assert!(form.is_normalized(text));
            }
        }
    }
}
