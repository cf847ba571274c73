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

/// Put what they match in the place of literals that match without regard to case.
///
/// Literals that stand in a row are one text: `ss` matches `ß`, but `s+s` does not.
pub(super) fn resolve(node: Node) -> Node {
    let boxed = |node: Box<Node>| Box::new(resolve(*node));
    match node {
        Node::Folded(c) => resolve(Node::Concat(vec![Node::Folded(c)])),
        Node::Concat(nodes) => {
            let mut out = Vec::with_capacity(nodes.len());
            let mut literals = Vec::new();
            for node in nodes {
                if let Node::Folded(c) = node {
                    literals.push(c);
                    continue;
                }
                text(&std::mem::take(&mut literals), &mut out);
                out.push(resolve(node));
            }
            text(&literals, &mut out);
            Node::concat(out)
        }
        Node::Alternate(nodes) => Node::Alternate(nodes.into_iter().map(resolve).collect()),
        Node::Repeat { node, min, max, greed } => Node::Repeat { node: boxed(node), min, max, greed },
        Node::Capture(node) => Node::Capture(boxed(node)),
        Node::Atomic(node) => Node::Atomic(boxed(node)),
        Node::Look { ahead, negative, node } => Node::Look { ahead, negative, node: boxed(node) },
        Node::Absent(node) => Node::Absent(boxed(node)),
        Node::Condition { group, yes, no } => Node::Condition { group, yes: boxed(yes), no: boxed(no) },
        Node::Empty | Node::Set(_) | Node::Assert(_) | Node::Backref { .. } | Node::Keep | Node::Call(_) => node,
    }
}

/// What a set in brackets, folded already, matches: its members, or what one of them folds to.
pub(super) fn members(class: ClassUnicode) -> Node {
    let mut choices = Vec::new();
    for (long, sources) in table() {
        let mut common = class.clone();
        common.intersect(sources);
        if !common.ranges().is_empty() {
            choices.push(Node::concat(long.iter().copied().map(one).collect()));
        }
    }
    choices.insert(0, Node::Set(class));
    Node::alternate(choices)
}

/// The same as `node` where it is repeated without bound: texts of members of the set add nothing to the members.
pub(super) fn repeated(node: Node) -> Node {
    let Node::Alternate(choices) = &node else { return node };
    let [Node::Set(class), texts @ ..] = &choices[..] else { return node };
    let holds = |node: &Node| match node {
        Node::Set(other) => {
            let mut outside = other.clone();
            outside.difference(class);
            outside.ranges().is_empty()
        }
        _ => false,
    };
    let within = texts.iter().all(|text| matches!(text, Node::Concat(nodes) if nodes.iter().all(holds)));
    if within { Node::Set(class.clone()) } else { node }
}

/// `c` or what is equal to it under simple folding.
fn one(c: char) -> Node {
    let mut class = single(c);
    set(&mut class);
    Node::Set(class)
}

/// A literal text, folded, onto `out`.
fn text(literals: &[char], out: &mut Vec<Node>) {
    let folded: Vec<char> = literals.iter().flat_map(|&c| full(c).unwrap_or_else(|| vec![canonical(c)])).collect();
    let mut at = 0;
    while at < folded.len() {
        if let Some((long, sources)) = table().iter().find(|(long, _)| folded[at..].starts_with(long)) {
            let spelled = Node::concat(long.iter().copied().map(one).collect());
            out.push(Node::Alternate(vec![spelled, Node::Set(sources.clone())]));
            at += long.len();
        } else {
            out.push(one(folded[at]));
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
