//! Matching without regard to case, as Oniguruma does it: simple folding of sets, full folding of literals.
//!
//! Under full folding `ß` stands for `ss` and the reverse. The foldings come from the case mappings of the standard
//! library (full folding is the lower case of the full upper case, where that has more than one character).

use super::ast::{Node, single};
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
use std::sync::OnceLock;

/// Characters above this have no folding into several characters.
const LAST_FULL: char = '\u{FB17}';

/// Add to `set` whatever is equal to a member under simple folding.
pub(super) fn set(set: &mut ClassUnicode) {
    // Fails only without case tables, which are a feature that this crate switches on.
    let _ = set.try_case_fold_simple();
}

/// The least character that is equal to `c` under simple folding.
fn canonical(c: char) -> char {
    let mut all = single(c);
    set(&mut all);
    all.ranges().first().map_or(c, ClassUnicodeRange::start)
}

/// What `c` folds to, when that is several characters; each in canonical form.
fn full(c: char) -> Option<Vec<char>> {
    let lower: Vec<char> = c.to_lowercase().collect();
    let folded: Vec<char> = if lower.len() > 1 {
        lower
    } else {
        let upper: Vec<char> = lower.first().copied().unwrap_or(c).to_uppercase().collect();
        upper.iter().flat_map(|c| c.to_lowercase()).collect()
    };
    (folded.len() > 1).then(|| folded.into_iter().map(canonical).collect())
}

/// All full foldings: the folded text in canonical form, and what folds to it.
fn table() -> &'static [(Vec<char>, ClassUnicode)] {
    static TABLE: OnceLock<Vec<(Vec<char>, ClassUnicode)>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: Vec<(Vec<char>, ClassUnicode)> = Vec::new();
        for c in '\u{80}'..=LAST_FULL {
            let Some(folded) = full(c) else { continue };
            match table.iter_mut().find(|(known, _)| *known == folded) {
                Some((_, sources)) => sources.push(ClassUnicodeRange::new(c, c)),
                None => table.push((folded, single(c))),
            }
        }
        // The longest folding of a text wins.
        table.sort_by_key(|(folded, _)| std::cmp::Reverse(folded.len()));
        table
    })
}

/// A sequence in which literals match without regard to case.
pub(super) fn sequence(items: Vec<Node>) -> Node {
    let mut out = Vec::with_capacity(items.len());
    let mut literals = Vec::new();
    for item in items {
        match item {
            Node::Set(ref class) if literal(class).is_some() => literals.extend(literal(class)),
            Node::Concat(inner) if inner.iter().all(|n| matches!(n, Node::Set(c) if literal(c).is_some())) => {
                literals.extend(inner.iter().filter_map(|n| if let Node::Set(c) = n { literal(c) } else { None }));
            }
            other => {
                text(&literals, &mut out);
                literals.clear();
                out.push(other);
            }
        }
    }
    text(&literals, &mut out);
    Node::concat(out)
}

/// The one member of `class`.
fn literal(class: &ClassUnicode) -> Option<char> {
    match class.ranges() {
        [one] if one.start() == one.end() => Some(one.start()),
        _ => None,
    }
}

/// A literal text, folded, onto `out`.
fn text(literals: &[char], out: &mut Vec<Node>) {
    let folded: Vec<char> = literals.iter().flat_map(|&c| full(c).unwrap_or_else(|| vec![canonical(c)])).collect();
    let mut at = 0;
    while at < folded.len() {
        let node = |c: char| {
            let mut class = single(c);
            set(&mut class);
            Node::Set(class)
        };
        if let Some((long, sources)) = table().iter().find(|(long, _)| folded[at..].starts_with(long)) {
            let spelled = Node::concat(long.iter().copied().map(node).collect());
            out.push(Node::Alternate(vec![spelled, Node::Set(sources.clone())]));
            at += long.len();
        } else {
            out.push(node(folded[at]));
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_full_foldings_as_in_unicode() {
        // CaseFolding.txt has 104 lines of status F.
        let sources: usize =
            table().iter().map(|(_, s)| s.ranges().iter().map(ClassUnicodeRange::len).sum::<usize>()).sum();
        assert_eq!(sources, 104);
    }

    #[test]
    fn sharp_s_folds_to_two_letters() {
        let ss = full('ß').unwrap();
        assert_eq!(ss, full('ẞ').unwrap());
        assert_eq!(ss, [canonical('s'), canonical('S')]);
        assert_eq!(canonical('ſ'), canonical('s'));
        assert_eq!(full('s'), None);
    }
}
