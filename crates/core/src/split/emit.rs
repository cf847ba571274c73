//! Writes a tree in the syntax of `fancy-regex`, with every set spelled out.

use super::ast::{Assertion, Greed, Node};
use super::properties;
use regex_syntax::hir::ClassUnicode;
use std::fmt::Write as _;

/// The pattern of `node` for `fancy-regex`.
pub(super) fn emit(node: &Node) -> String {
    let mut out = String::new();
    write(node, &mut out);
    out
}

fn write(node: &Node, out: &mut String) {
    match node {
        Node::Empty => out.push_str("(?:)"),
        Node::Set(class) => write_set(class, out),
        Node::Folded(c) => write_char(*c, out),
        Node::Concat(nodes) => nodes.iter().for_each(|n| write_grouped(n, out)),
        Node::Alternate(nodes) => write_alternatives(nodes.iter(), out),
        Node::Repeat { node, min, max, greed } => write_repeat(node, *min, *max, *greed, out),
        Node::Capture(node) => enclose("(", node, out),
        Node::Atomic(node) => enclose("(?>", node, out),
        Node::Look { ahead, negative, node } => {
            let open = match (ahead, negative) {
                (true, false) => "(?=",
                (true, true) => "(?!",
                (false, false) => "(?<=",
                (false, true) => "(?<!",
            };
            enclose(open, node, out);
        }
        Node::Assert(assertion) => write_assertion(*assertion, out),
        Node::Backref { groups, fold } => {
            out.push_str(if *fold { "(?i:" } else { "(?:" });
            for (i, group) in groups.iter().enumerate() {
                let _ = write!(out, "{}\\k<{group}>", if i > 0 { "|" } else { "" });
            }
            out.push(')');
        }
        Node::Keep => out.push_str(r"\K"),
        Node::Absent(node) => enclose("(?~", node, out),
        Node::Condition { group, yes, no } => {
            let _ = write!(out, "(?({group})");
            write_grouped(yes, out);
            out.push('|');
            write_grouped(no, out);
            out.push(')');
        }
        Node::Call(group) => {
            let _ = write!(out, "\\g<{group}>");
        }
    }
}

fn enclose(open: &str, node: &Node, out: &mut String) {
    out.push_str(open);
    write(node, out);
    out.push(')');
}

/// Enclosed where it would not hold together between neighbours.
fn write_grouped(node: &Node, out: &mut String) {
    match node {
        Node::Alternate(_) => enclose("(?:", node, out),
        _ => write(node, out),
    }
}

fn write_alternatives<'a>(nodes: impl Iterator<Item = &'a Node>, out: &mut String) {
    for (i, node) in nodes.enumerate() {
        if i > 0 {
            out.push('|');
        }
        write(node, out);
    }
}

fn write_repeat(node: &Node, min: u32, max: Option<u32>, greed: Greed, out: &mut String) {
    if greed == Greed::Possessive {
        out.push_str("(?>");
    }
    match node {
        Node::Set(_) => write(node, out),
        _ => enclose("(?:", node, out),
    }
    match (min, max) {
        (0, None) => out.push('*'),
        (1, None) => out.push('+'),
        (0, Some(1)) => out.push('?'),
        (min, None) => _ = write!(out, "{{{min},}}"),
        (min, Some(max)) => _ = write!(out, "{{{min},{max}}}"),
    }
    match greed {
        Greed::Greedy => {}
        Greed::Lazy => out.push('?'),
        Greed::Possessive => out.push(')'),
    }
}

fn write_assertion(assertion: Assertion, out: &mut String) {
    let word = || {
        let mut text = String::new();
        write_set(&properties::word(), &mut text);
        text
    };
    match assertion {
        Assertion::TextStart => out.push_str(r"\A"),
        Assertion::TextEnd => out.push_str(r"\z"),
        Assertion::TextEndOrLineFeed => out.push_str(r"(?=\n?\z)"),
        Assertion::LineStart => out.push_str(r"(?:\A|(?<=\n)(?!\z))"),
        Assertion::LineEnd => out.push_str(r"(?=\n|\z)"),
        Assertion::SearchStart => out.push_str(r"\G"),
        Assertion::WordBoundary => {
            let w = word();
            let _ = write!(out, "(?:(?<={w})(?!{w})|(?<!{w})(?={w}))");
        }
        Assertion::NotWordBoundary => {
            let w = word();
            let _ = write!(out, "(?:(?<={w})(?={w})|(?<!{w})(?!{w}))");
        }
    }
}

fn write_set(class: &ClassUnicode, out: &mut String) {
    match class.ranges() {
        [] => out.push_str("(?!)"),
        [one] if one.start() == one.end() => write_char(one.start(), out),
        ranges => {
            out.push('[');
            for range in ranges {
                write_char(range.start(), out);
                if range.start() < range.end() {
                    out.push('-');
                    write_char(range.end(), out);
                }
            }
            out.push(']');
        }
    }
}

fn write_char(c: char, out: &mut String) {
    if c.is_ascii_alphanumeric() || (c > '\u{A0}' && c.is_alphanumeric()) {
        out.push(c);
    } else {
        let _ = write!(out, "\\x{{{:X}}}", u32::from(c));
    }
}
