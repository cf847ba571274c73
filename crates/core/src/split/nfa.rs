//! A pattern over classes as a nondeterministic automaton in order of preference, where its form allows that.
//!
//! Source of the construction: K. Thompson, Regular expression search algorithm, 1968; preference as in R. Cox, Regular
//! expression matching: the virtual machine approach, 2009.

use super::ast::{Assertion, Greed, Node, single};
use regex_syntax::hir::ClassUnicode;

/// Most nodes of one automaton: large intervals are not worth a table.
const MAX_NODES: usize = 2_000;

/// Something on the way of a match. Node numbers are positions in [`Nfa::nodes`].
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Take one character of these classes, then go on.
    Take(u64, usize),
    /// Go on if the next symbol is one of these.
    Next(u64, usize),
    /// Try these in order.
    Choose(Vec<usize>),
    /// A match.
    Match,
}

/// The automaton; its symbols are the classes and, after them, the end of the text.
#[derive(Clone, Debug)]
pub(super) struct Nfa {
    pub(super) nodes: Vec<Step>,
    pub(super) start: usize,
}

/// The sets that `node` tells characters apart by, each once.
///
/// `None` if the form of the pattern is beyond this automaton: look-behind, back-references, conditions that look further
/// than one character, choices that are cut off in the middle.
pub(super) fn sets(node: &Node) -> Option<Vec<ClassUnicode>> {
    let mut out = Vec::new();
    collect(node, &mut out).then_some(out)
}

fn collect(node: &Node, out: &mut Vec<ClassUnicode>) -> bool {
    let mut add = |set: &ClassUnicode| {
        if !out.contains(set) {
            out.push(set.clone());
        }
    };
    match node {
        Node::Empty | Node::Assert(Assertion::TextEnd) => true,
        Node::Set(set) => {
            add(set);
            true
        }
        Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter().all(|n| collect(n, out)),
        Node::Repeat { node, .. } | Node::Capture(node) | Node::Atomic(node) => collect(node, out),
        Node::Look { ahead: true, node, .. } => one_character(node).is_some_and(|set| {
            add(&set);
            true
        }),
        Node::Assert(Assertion::LineEnd) => {
            add(&single('\n'));
            true
        }
        _ => false,
    }
}

/// The set of a node that matches exactly one character.
pub(super) fn one_character(node: &Node) -> Option<ClassUnicode> {
    match node {
        Node::Set(set) => Some(set.clone()),
        Node::Capture(node) | Node::Atomic(node) => one_character(node),
        Node::Alternate(nodes) => nodes.iter().map(one_character).try_fold(ClassUnicode::empty(), |mut all, set| {
            all.union(&set?);
            Some(all)
        }),
        _ => None,
    }
}

/// Builds the automaton back to front.
struct Builder<'a> {
    nodes: Vec<Step>,
    sets: &'a [ClassUnicode],
    members: &'a [u64],
    all: u64,
    end: u64,
}

impl Nfa {
    /// The automaton of `node` over classes: `members` says which classes each of `sets` has, `classes` how many there are.
    pub(super) fn new(node: &Node, sets: &[ClassUnicode], members: &[u64], classes: usize) -> Option<Self> {
        let end = 1u64 << classes;
        let mut builder = Builder { nodes: vec![Step::Match], sets, members, all: end - 1, end };
        let start = builder.add(node, 0)?;
        Some(Self { nodes: builder.nodes, start })
    }
}

impl Builder<'_> {
    fn push(&mut self, step: Step) -> Option<usize> {
        self.nodes.push(step);
        (self.nodes.len() <= MAX_NODES).then(|| self.nodes.len() - 1)
    }

    fn classes(&self, set: &ClassUnicode) -> Option<u64> {
        self.sets.iter().position(|known| known == set).map(|i| self.members[i])
    }

    /// The node where a match of `node` begins that goes on at `next`.
    fn add(&mut self, node: &Node, next: usize) -> Option<usize> {
        match node {
            Node::Empty => Some(next),
            Node::Set(set) => {
                let classes = self.classes(set)?;
                self.push(Step::Take(classes, next))
            }
            Node::Concat(nodes) => nodes.iter().rev().try_fold(next, |next, n| self.add(n, next)),
            Node::Alternate(nodes) => {
                let starts = nodes.iter().map(|n| self.add(n, next)).collect::<Option<Vec<_>>>()?;
                self.push(Step::Choose(starts))
            }
            Node::Capture(node) => self.add(node, next),
            Node::Repeat { node, min, max, greed } => self.repeat(node, *min, *max, *greed, next),
            // Cutting off choices is the same as not doing so where the match is complete behind it.
            Node::Atomic(node) if next == 0 => self.add(node, next),
            Node::Atomic(node) => match &**node {
                Node::Repeat { node, min, max, greed: Greed::Greedy | Greed::Possessive } => {
                    self.repeat(node, *min, *max, Greed::Possessive, next)
                }
                Node::Set(_) => self.add(node, next),
                _ => None,
            },
            Node::Look { ahead: true, negative, node } => {
                let set = self.classes(&one_character(node)?)?;
                self.push(Step::Next(if *negative { (self.all & !set) | self.end } else { set }, next))
            }
            Node::Assert(Assertion::TextEnd) => self.push(Step::Next(self.end, next)),
            Node::Assert(Assertion::LineEnd) => {
                let line_feed = self.classes(&single('\n'))?;
                self.push(Step::Next(self.end | line_feed, next))
            }
            _ => None,
        }
    }

    fn repeat(&mut self, node: &Node, min: u32, max: Option<u32>, greed: Greed, next: usize) -> Option<usize> {
        // A repetition of the empty string has rules of its own in each engine.
        if node.nullable() {
            return None;
        }
        let mut next = next;
        // A possessive repetition of one set ends where no more of it follows: a look-ahead says so, in any context.
        let mut stop = u64::MAX;
        if greed == Greed::Possessive && next != 0 {
            stop = !self.classes(&one_character(node)?)? & (self.all | self.end);
        }
        match max {
            None => {
                let exit = if stop == u64::MAX { next } else { self.push(Step::Next(stop, next))? };
                let choose = self.push(Step::Choose(Vec::new()))?;
                let again = self.add(node, choose)?;
                self.nodes[choose] = Step::Choose(ordered(again, exit, greed));
                next = choose;
            }
            Some(max) => {
                // From the last optional turn to the first; leaving early demands that no more could be taken.
                let leave = if stop == u64::MAX { next } else { self.push(Step::Next(stop, next))? };
                for _ in min..max {
                    let turn = self.add(node, next)?;
                    next = self.push(Step::Choose(ordered(turn, leave, greed)))?;
                }
            }
        }
        for _ in 0..min {
            next = self.add(node, next)?;
        }
        Some(next)
    }
}

fn ordered(again: usize, exit: usize, greed: Greed) -> Vec<usize> {
    if greed == Greed::Lazy { vec![exit, again] } else { vec![again, exit] }
}
