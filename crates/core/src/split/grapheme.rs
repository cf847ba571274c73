//! `\X`: an extended grapheme cluster as a pattern over the break property.
//!
//! Source: Unicode Standard Annex 29, table 1b, without rule 9c (conjuncts), which the reference does not have.

use super::ast::{Greed, Node};
use regex_syntax::hir::{Class, ClassUnicode, HirKind};

fn set(expression: &str) -> Node {
    match regex_syntax::parse(expression).map(regex_syntax::hir::Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => Node::Set(class),
        // Not reached: the expressions of this file are sets, which its test confirms.
        _ => Node::Set(ClassUnicode::empty()),
    }
}

fn property(value: &str) -> Node {
    match value {
        // One character each, which is a literal to the parser of expressions.
        "CR" => Node::literal('\r'),
        "LF" => Node::literal('\n'),
        "ZWJ" => Node::literal('\u{200D}'),
        _ => set(&format!(r"\p{{Grapheme_Cluster_Break={value}}}")),
    }
}

fn repeat(node: Node, min: u32) -> Node {
    Node::Repeat { node: Box::new(node), min, max: None, greed: Greed::Greedy }
}

/// The pattern of one cluster.
pub(super) fn cluster() -> Node {
    let pair = Node::Concat(vec![property("CR"), property("LF")]);
    let jamo = Node::Concat(vec![
        repeat(property("L"), 0),
        Node::Alternate(vec![
            repeat(property("V"), 1),
            Node::Concat(vec![property("LV"), repeat(property("V"), 0)]),
            property("LVT"),
        ]),
        repeat(property("T"), 0),
    ]);
    let hangul = Node::Alternate(vec![jamo, repeat(property("L"), 1), repeat(property("T"), 1)]);
    let flag = Node::Concat(vec![property("Regional_Indicator"), property("Regional_Indicator")]);
    let pictograph = || set(r"\p{Extended_Pictographic}");
    let joined = Node::Concat(vec![repeat(property("Extend"), 0), property("ZWJ"), pictograph()]);
    let emoji = Node::Concat(vec![pictograph(), repeat(joined, 0)]);
    let other = set(r"[^\p{Grapheme_Cluster_Break=Control}\r\n]");
    let core = Node::Alternate(vec![hangul, flag, emoji, other]);
    let tail = set(r"[\p{Grapheme_Cluster_Break=Extend}\x{200D}\p{Grapheme_Cluster_Break=SpacingMark}]");
    let visible = Node::Concat(vec![repeat(property("Prepend"), 0), core, repeat(tail, 0)]);
    Node::Atomic(Box::new(Node::Alternate(vec![pair, visible, Node::Set(super::properties::any())])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_filled(node: &Node) {
        match node {
            Node::Set(class) => assert!(!class.ranges().is_empty()),
            Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter().for_each(assert_filled),
            Node::Repeat { node, .. } | Node::Atomic(node) => assert_filled(node),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_set_is_known() {
        assert_filled(&cluster());
    }
}
