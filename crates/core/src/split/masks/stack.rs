//! Stages that cut around sets of characters, all in one pass over a window.

use super::{Block, Tier, low};
use crate::split::alphabet::{Alphabet, ClassTable};
use crate::split::ast::{Greed, Node};
use crate::split::nfa;
use crate::split::stage::Rule;
use regex_syntax::hir::ClassUnicode;

/// Most sets of a stack: the bits of a byte.
const MAX_SETS: usize = 8;

/// Where a step cuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// On both sides of each member.
    Each,
    /// On both sides of each run of members.
    Run,
    /// On both sides of each run of members, with a character of another set, if there is one, in front of it.
    Led,
    /// In front of each member.
    Before,
    /// Behind each member.
    After,
}

/// One step: the bit of its set, and of the set in front of runs.
#[derive(Clone, Copy, Debug)]
struct Step {
    cut: Cut,
    set: u8,
    lead: u8,
}

/// Steps in turn, each within the pieces of those before.
#[derive(Clone, Debug)]
pub(in crate::split) struct Stack {
    steps: Box<[Step]>,
    /// How many characters behind it a cut may depend on.
    ahead: u32,
}

/// The stack of `rules`, with the bits of each character, if they are of its form.
pub(in crate::split) fn recognize(rules: &[Rule]) -> Option<(Stack, ClassTable)> {
    let mut sets: Vec<ClassUnicode> = Vec::new();
    let mut steps = Vec::new();
    for rule in rules {
        for (cut, set, lead) in parts(&rule.node)? {
            let mut bit = |set: ClassUnicode| {
                let i = sets.iter().position(|known| *known == set).unwrap_or_else(|| {
                    sets.push(set);
                    sets.len() - 1
                });
                (i < MAX_SETS).then(|| 1u8 << i)
            };
            let lead = lead.map_or(Some(0), &mut bit)?;
            steps.push(Step { cut, set: bit(set)?, lead });
        }
    }
    let alphabet = Alphabet::new(&sets)?;
    let bits_of = |class: u8| {
        let named = alphabet.members.iter().enumerate();
        named.filter(|(_, members)| **members >> class & 1 == 1).fold(0, |bits, (i, _)| bits | 1 << i)
    };
    let ahead = steps.iter().filter(|step| step.cut == Cut::Led).count() as u32;
    Some((Stack { steps: steps.into(), ahead }, alphabet.table_of(bits_of)))
}

/// Where a pattern cuts, if it does so around sets: the ways, each with its set and the set in front.
fn parts(node: &Node) -> Option<Vec<(Cut, ClassUnicode, Option<ClassUnicode>)>> {
    if let Some(set) = nfa::one_character(node) {
        return Some(vec![(Cut::Each, set, None)]);
    }
    if let Some(set) = run(node) {
        return Some(vec![(Cut::Run, set, None)]);
    }
    match node {
        Node::Concat(nodes) => {
            let [first, second] = &nodes[..] else { return None };
            let Node::Repeat { node, min: 0, max: Some(1), greed: Greed::Greedy | Greed::Possessive } = first else {
                return None;
            };
            let (lead, set) = (nfa::one_character(node)?, run(second)?);
            disjoint(&lead, &set).then(|| vec![(Cut::Led, set, Some(lead))])
        }
        Node::Alternate(nodes) => match &nodes[..] {
            // A member with what follows it up to the next, or the reverse.
            [Node::Concat(pair), one, other] if pair.len() == 2 => {
                let (set, between) = (nfa::one_character(one)?, run(other)?);
                let mut outside = set.clone();
                outside.negate();
                let is = |node: &Node| nfa::one_character(node).as_ref() == Some(&set);
                let is_run = |node: &Node| run(node).as_ref() == Some(&between);
                let cut = match (&pair[0], &pair[1]) {
                    (first, second) if is(first) && is_run(second) => Cut::Before,
                    (first, second) if is_run(first) && is(second) => Cut::After,
                    _ => return None,
                };
                (outside == between).then(|| vec![(cut, set, None)])
            }
            nodes => {
                let sets = nodes.iter().map(run).collect::<Option<Vec<_>>>()?;
                let apart = (0..sets.len()).all(|i| sets[..i].iter().all(|other| disjoint(other, &sets[i])));
                apart.then(|| sets.into_iter().map(|set| (Cut::Run, set, None)).collect())
            }
        },
        _ => None,
    }
}

/// The set of a pattern for runs of it.
fn run(node: &Node) -> Option<ClassUnicode> {
    match node {
        Node::Repeat { node, min: 1, max: None, greed: Greed::Greedy | Greed::Possessive } => nfa::one_character(node),
        _ => None,
    }
}

fn disjoint(one: &ClassUnicode, other: &ClassUnicode) -> bool {
    let mut both = one.clone();
    both.intersect(other);
    both.ranges().is_empty()
}

/// The places (bytes of the window) where pieces end that do not depend on text behind the window.
#[inline(always)]
#[expect(clippy::inline_always, reason = "part of the loop")]
pub(super) fn cuts<T: Tier>(tier: T, block: &Block<T::Vector>, stack: &Stack) -> u64 {
    let having = |bit: u8| block.by_character(tier, tier.having(block.bits, bit));
    // The window begins with a piece.
    let mut start = 1u64;
    for step in &stack.steps {
        let set = having(step.set);
        start |= match step.cut {
            Cut::Each => set | set << 1,
            Cut::Run => set ^ set << 1,
            Cut::Before => set,
            Cut::After => set << 1,
            Cut::Led => {
                // Earlier steps may have cut runs; across such a cut nothing is taken along.
                let first = set & (!(set << 1) | start);
                let led = first & !start & having(step.lead) << 1;
                (first & !led) | led >> 1 | (set << 1 & !set)
            }
        };
    }
    let len = block.starts.count_ones();
    let certain = if block.at_end { low(len) } else { low(len.saturating_sub(stack.ahead)) };
    let places = block.by_byte(tier, start & certain & !1);
    if block.at_end { places | (block.valid + 1) } else { places }
}
