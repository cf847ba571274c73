//! Ends of pieces, found from the left.

use super::alphabet::ClassTable;
use super::ast::{Greed, Node};
use super::dfa::{DEAD, Dfa, MATCH};
use super::masks::Program;
use super::stage::{self, Keep, Rule, Stage};
use super::{Behavior, Matcher, Pattern, family, fuse, nfa, sequence};
use crate::steps;
use crate::text::classes::{self, CharSet};
use regex_syntax::hir::ClassUnicode;
use std::sync::{Arc, OnceLock};

/// Finds the ends of the pieces that one `Split(pattern, Isolated)`, or several in turn, cut a text into.
///
/// Matches and the gaps between them are pieces. Nothing depends on what stands before a piece, so that scanning may begin
/// at any start of a piece. Cloning shares the tables.
#[derive(Clone, Debug)]
pub struct Scanner(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    /// The patterns, for building sequences.
    rules: Vec<Rule>,
    stages: Vec<Stage>,
    table: ClassTable,
    /// The automaton of the pieces, if the stages have one.
    fused: Option<Dfa>,
    /// A faster way for the commonest family of patterns.
    program: Option<Program>,
    /// Pairs of classes with a piece end between them in any context: bit `b` of item `a`.
    cut: Vec<u64>,
    /// Classes of the pieces that are dropped.
    dropped: u64,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scanner").field("stages", &self.stages.len()).finish_non_exhaustive()
    }
}

/// Pieces that the automaton finds before masks are tried again.
const PIECES_BETWEEN: usize = 8;

/// The pattern of `ByteLevel(use_regex=true)`.
const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

impl Scanner {
    /// The scanner of `rules`, applied in turn.
    fn of(rules: Vec<Rule>) -> Option<Self> {
        let (stages, table) = stage::build(&rules)?;
        if !sequence::is_restartable(&stages) {
            return None;
        }
        let mut cut = vec![0; stages.first()?.dfa.end()];
        for stage in &stages {
            for (all, own) in cut.iter_mut().zip(stage.always_cut()) {
                *all |= own;
            }
        }
        let dropped = stages.iter().fold(0, |bits, stage| bits | stage.dropped);
        let fused = fuse::fuse(&stages);
        let member = || {
            fused.as_ref().and_then(|dfa| family::recognize(&rules, |text| piece_end(dfa, &table, text.as_bytes(), 0)))
        };
        let program = Program::of_stack(&rules).or_else(|| member().map(Program::of_member));
        Some(Self(Arc::new(Inner { rules, stages, table, fused, program, cut, dropped })))
    }

    /// The scanner of `Split(node, Isolated)`.
    pub(super) fn isolating(node: Node) -> Option<Self> {
        Self::of(vec![Rule { node, keep: Keep::All }])
    }

    /// This scanner of one pattern with another behaviour than [`Behavior::Isolated`].
    pub(super) fn with_behavior(&self, behavior: Behavior, invert: bool) -> Option<Self> {
        let [rule] = &self.0.rules[..] else { return None };
        match behavior {
            Behavior::Isolated => Some(self.clone()),
            // Without gaps there is nothing to remove.
            Behavior::Removed if invert && self.has_no_gaps() => Some(self.clone()),
            Behavior::Removed => {
                let keep = if invert { Keep::Matches } else { Keep::Gaps };
                Self::of(vec![Rule { node: rule.node.clone(), keep }])
            }
            _ => Self::delimited(&CharSet::from_ranges(nfa::one_character(&rule.node)?), behavior, invert),
        }
    }

    /// The scanner of a split in which each character of `set` is a delimiter (with `invert`, each stretch of others).
    ///
    /// `None` only if the set cannot be a pattern: an empty one, say.
    pub fn delimited(set: &CharSet, behavior: Behavior, invert: bool) -> Option<Self> {
        let inside = set.ranges().clone();
        let mut outside = inside.clone();
        outside.negate();
        let one = || Node::Set(inside.clone());
        let run = |set: &ClassUnicode| Node::Repeat {
            node: Box::new(Node::Set(set.clone())),
            min: 1,
            max: None,
            greed: Greed::Greedy,
        };
        let (node, keep) = match (behavior, invert) {
            (Behavior::Isolated, _) => (one(), Keep::All),
            (Behavior::Removed, false) => (one(), Keep::Gaps),
            (Behavior::Removed, true) => (one(), Keep::Matches),
            (Behavior::Contiguous, _) => (run(&inside), Keep::All),
            // What is between delimiters is one stretch, so that inverting swaps the two sides.
            (Behavior::MergedWithNext, false) | (Behavior::MergedWithPrevious, true) => {
                let joined = Node::Concat(vec![one(), run(&outside)]);
                (Node::Alternate(vec![joined, one(), run(&outside)]), Keep::All)
            }
            (Behavior::MergedWithPrevious, false) | (Behavior::MergedWithNext, true) => {
                let joined = Node::Concat(vec![run(&outside), one()]);
                (Node::Alternate(vec![joined, one(), run(&outside)]), Keep::All)
            }
        };
        Self::of(vec![Rule { node, keep }])
    }

    /// The scanner of `Digits(individual)`.
    ///
    /// # Panics
    /// Never: a set that is neither empty nor everything has a scanner.
    pub fn digits(individual: bool) -> Self {
        let behavior = if individual { Behavior::Isolated } else { Behavior::Contiguous };
        #[expect(clippy::expect_used, reason = "the set is a constant, built in the tests")]
        Self::delimited(classes::numeric(), behavior, false).expect("numeric characters have a scanner")
    }

    /// The scanner of `Whitespace`: runs of word characters and runs of others are pieces, white space is dropped.
    ///
    /// # Panics
    /// Never, as [`Scanner::digits`].
    pub fn whitespace() -> Self {
        let run = |set: ClassUnicode| Node::Repeat {
            node: Box::new(Node::Set(set)),
            min: 1,
            max: None,
            greed: Greed::Greedy,
        };
        let word = classes::word().ranges().clone();
        let mut other = word.clone();
        other.union(classes::white_space().ranges());
        other.negate();
        let node = Node::Alternate(vec![run(word), run(other)]);
        #[expect(clippy::expect_used, reason = "the sets are constants, built in the tests")]
        Self::of(vec![Rule { node, keep: Keep::Matches }]).expect("white space has a scanner")
    }

    /// The scanner of `ByteLevel(use_regex=true)`.
    ///
    /// # Panics
    /// Never: the pattern is a constant of the form that scanners understand, which the tests of this file confirm.
    pub fn gpt2() -> Self {
        static GPT2_SCANNER: OnceLock<Scanner> = OnceLock::new();
        let build = || Matcher::new(&Pattern::Regex(GPT2.to_owned())).ok().and_then(|m| m.scanner());
        #[expect(clippy::expect_used, reason = "a constant pattern, built in the tests")]
        GPT2_SCANNER.get_or_init(|| build().expect("the GPT-2 pattern has a scanner")).clone()
    }

    /// The scanner of several `Split` stages, each applied to the pieces of the one before.
    ///
    /// `None` when pieces could not be found from any start of a piece on, or the classes are too many.
    pub fn sequence(stages: &[Scanner]) -> Option<Self> {
        Self::of(stages.iter().flat_map(|scanner| scanner.0.rules.iter().cloned()).collect())
    }

    /// Write the ends of pieces from `from`, which must be the start of a piece, into `ends` until that is full or the text
    /// ends; the number of ends is returned.
    pub fn scan(&self, text: &str, from: usize, ends: &mut [u32]) -> usize {
        match &self.0.program {
            Some(program) => self.scan_masked(program, text, from, ends),
            None => self.scan_plain(text, from, ends),
        }
    }

    /// By masks, and a few pieces by automata where a window yields nothing.
    fn scan_masked(&self, program: &Program, text: &str, from: usize, ends: &mut [u32]) -> usize {
        let mut at = from;
        let mut count = 0;
        while at < text.len() && count < ends.len() {
            let progress = program.scan(text.as_bytes(), at, &mut ends[count..]);
            count += progress.count;
            at = progress.at;
            let room = ends.len().min(count + PIECES_BETWEEN);
            let found = self.scan_plain(text, at, &mut ends[count..room]);
            if found > 0 {
                count += found;
                at = ends[count - 1] as usize;
            }
        }
        count
    }

    /// By the automaton of the pieces, or those of the stages.
    fn scan_plain(&self, text: &str, from: usize, ends: &mut [u32]) -> usize {
        match &self.0.fused {
            Some(dfa) => scan_fused(dfa, &self.0.table, text.as_bytes(), from, ends),
            None => sequence::scan(&self.0.stages, &self.0.table, text, from, ends),
        }
    }

    /// The first position from `at` on that is the start of a piece whatever stands before it, without scanning from the
    /// left: between two characters that no piece ever joins. `None` if there is none before the end of the text.
    pub fn sync_point(&self, text: &str, at: usize) -> Option<usize> {
        if at == 0 && !text.is_empty() {
            return Some(0);
        }
        let bytes = text.as_bytes();
        let mut next = (at..bytes.len()).find(|at| text.is_char_boundary(*at))?;
        let before = (0..next).rev().find(|at| text.is_char_boundary(*at))?;
        let mut class = self.0.table.at(bytes, before).0;
        while next < bytes.len() {
            let (following, len) = self.0.table.at(bytes, next);
            if self.0.cut[usize::from(class)] >> following & 1 == 1 {
                return Some(next);
            }
            class = following;
            next += len;
        }
        None
    }

    /// Does a piece end between `before` and `after` wherever they stand next to each other, and are the pieces on both sides
    /// those of the two parts by themselves?
    pub fn parts(&self, before: char, after: char) -> bool {
        self.always_cuts(before, after) && !self.0.rules.iter().any(|rule| rule.node.looks_ahead_behind(before))
    }

    /// All that [`Scanner::parts`] asks about a character: with the same kind on both sides, the answer is the same.
    pub fn kind(&self, c: char) -> u32 {
        u32::from(self.class(c)) << 1 | u32::from(self.0.rules.iter().any(|rule| rule.node.looks_ahead_behind(c)))
    }

    fn class(&self, c: char) -> u8 {
        self.0.table.at(c.encode_utf8(&mut [0; 4]).as_bytes(), 0).0
    }

    /// Does a piece end between `before` and `after` wherever they stand next to each other?
    fn always_cuts(&self, before: char, after: char) -> bool {
        self.0.cut[usize::from(self.class(before))] >> self.class(after) & 1 == 1
    }

    /// Can `c` be a part of a match, or what a match depends on? An empty match may stand next to any character.
    pub(super) fn touches(&self, c: char) -> bool {
        self.0.rules.iter().any(|rule| rule.node.touches(c) || rule.node.can_be_empty())
    }

    /// Are some of the pieces to be dropped, as [`Scanner::is_dropped`] tells?
    pub fn drops(&self) -> bool {
        self.0.dropped != 0
    }

    /// Is the piece that begins at `start` one that a stage removes?
    #[inline]
    pub fn is_dropped(&self, text: &str, start: usize) -> bool {
        self.0.dropped != 0 && self.0.dropped >> self.0.table.at(text.as_bytes(), start).0 & 1 == 1
    }

    /// Is every character part of a match of the last stage, so that there are no gaps?
    pub fn has_no_gaps(&self) -> bool {
        self.0.stages.last().is_some_and(Stage::is_total)
    }

    /// The same scanner with masks of this kind, or by the automaton alone; `None` if it has no masks.
    #[cfg(test)]
    pub(super) fn with_masks(&self, kind: Option<super::masks::Kind>) -> Option<Self> {
        let program = self.0.program.as_ref()?;
        let program = kind.map(|kind| program.with_kind(kind));
        Some(Self(Arc::new(Inner { program, ..(*self.0).clone() })))
    }

    /// The stage of a scanner that has one.
    pub(super) fn first(&self) -> (&Stage, &ClassTable) {
        (&self.0.stages[0], &self.0.table)
    }
}

fn scan_fused(dfa: &Dfa, table: &ClassTable, bytes: &[u8], from: usize, ends: &mut [u32]) -> usize {
    let mut at = from;
    for (count, end) in ends.iter_mut().enumerate() {
        if at >= bytes.len() {
            return count;
        }
        at = piece_end(dfa, table, bytes, at);
        *end = at as u32;
    }
    ends.len()
}

/// The end of the piece that begins at `from`, in front of the end of the text.
#[inline]
fn piece_end(dfa: &Dfa, table: &ClassTable, bytes: &[u8], from: usize) -> usize {
    let mut state = dfa.start;
    let mut at = from;
    let mut last = from;
    while at < bytes.len() {
        steps::count(1);
        let (class, len) = table.at(bytes, at);
        let entry = dfa.entry(state, usize::from(class));
        if entry & MATCH != 0 {
            last = at;
        }
        state = entry & !MATCH;
        if state == DEAD {
            return last;
        }
        at += len;
    }
    if dfa.entry(state, dfa.end()) & MATCH != 0 { at } else { last }
}
