//! What becomes of matches and the text between them: the five behaviours of a delimiter.

use super::Behavior;
use crate::steps;
use crate::text::ByteSpan;

/// Cut `text` at `matches` (in order, not overlapping) into `out`, which is emptied first.
///
/// With `invert` the text between the matches counts as the delimiter. Pieces are never empty; the flag of a piece says
/// whether it is, or holds, a delimiter. With [`Behavior::Removed`] no such piece comes out.
pub fn pieces(text: &str, matches: &[ByteSpan], behavior: Behavior, invert: bool, out: &mut Vec<(ByteSpan, bool)>) {
    out.clear();
    let end = text.len() as u32;
    let mut previous = 0;
    // Empty matches count in the merges, so that empty pieces are dropped only at the end.
    let mut sections: Vec<(ByteSpan, bool)> = Vec::with_capacity(2 * matches.len() + 1);
    steps::count(matches.len());
    for span in matches {
        if previous < span.start {
            sections.push((ByteSpan::new(previous, span.start), invert));
        }
        sections.push((*span, !invert));
        previous = span.end;
    }
    if previous < end {
        sections.push((ByteSpan::new(previous, end), invert));
    }
    match behavior {
        Behavior::Removed => out.extend(sections.into_iter().filter(|(_, delimiter)| !delimiter)),
        Behavior::Isolated => *out = sections,
        Behavior::Contiguous => merge(sections.into_iter(), |delimiter, previous| delimiter == previous, out),
        Behavior::MergedWithPrevious => {
            merge(sections.into_iter(), |delimiter, previous| delimiter && !previous, out);
        }
        Behavior::MergedWithNext => {
            merge(sections.into_iter().rev(), |delimiter, previous| delimiter && !previous, out);
            out.reverse();
        }
    }
    out.retain(|(span, _)| span.start < span.end);
}

/// Join each section to the piece made last when `joins(its flag, flag of the section before it)` holds.
fn merge(
    sections: impl Iterator<Item = (ByteSpan, bool)>,
    joins: impl Fn(bool, bool) -> bool,
    out: &mut Vec<(ByteSpan, bool)>,
) {
    let mut previous = false;
    for (span, delimiter) in sections {
        match out.last_mut() {
            Some((piece, holds)) if joins(delimiter, previous) => {
                *piece = piece.union(span);
                *holds |= delimiter;
            }
            _ => out.push((span, delimiter)),
        }
        previous = delimiter;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, matches: &[(u32, u32)], behavior: Behavior, invert: bool) -> Vec<String> {
        let matches: Vec<ByteSpan> = matches.iter().map(|&(s, e)| ByteSpan::new(s, e)).collect();
        let mut out = Vec::new();
        pieces(text, &matches, behavior, invert, &mut out);
        out.into_iter().map(|(span, _)| text[span.range()].to_owned()).collect()
    }

    // The examples of the reference's documentation, with the pattern `-`.
    #[test]
    fn the_behaviours_differ_in_where_delimiters_go() {
        let text = "the-final--countdown";
        let hyphens = [(3, 4), (9, 10), (10, 11)];
        let cases: [(Behavior, &[&str]); 5] = [
            (Behavior::Removed, &["the", "final", "countdown"]),
            (Behavior::Isolated, &["the", "-", "final", "-", "-", "countdown"]),
            (Behavior::MergedWithPrevious, &["the-", "final-", "-", "countdown"]),
            (Behavior::MergedWithNext, &["the", "-final", "-", "-countdown"]),
            (Behavior::Contiguous, &["the", "-", "final", "--", "countdown"]),
        ];
        for (behavior, expected) in cases {
            assert_eq!(cut(text, &hyphens, behavior, false), expected, "{behavior:?}");
        }
        assert_eq!(cut(text, &hyphens, Behavior::Removed, true), ["-", "-", "-"]);
        assert_eq!(cut(text, &hyphens, Behavior::MergedWithPrevious, true), ["the", "-final", "-", "-countdown"]);
    }

    #[test]
    fn empty_matches_cut_but_leave_no_piece() {
        let everywhere = [(0, 0), (1, 1), (2, 2)];
        assert_eq!(cut("ab", &everywhere, Behavior::Isolated, false), ["a", "b"]);
        assert_eq!(cut("", &[], Behavior::Isolated, false), Vec::<String>::new());
    }
}
