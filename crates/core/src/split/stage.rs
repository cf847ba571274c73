//! One `Split(pattern, Isolated)` as an automaton over classes.

use super::alphabet::{Alphabet, ClassTable};
use super::ast::Node;
use super::dfa::{DEAD, Dfa, MATCH};
use super::nfa::{self, Nfa};
use crate::steps;

/// Which pieces of a stage go on to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    All,
    Matches,
    Gaps,
}

/// A pattern and what becomes of its pieces.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) node: Node,
    pub(super) keep: Keep,
}

/// The automaton of a stage with what has been proved of each class. Symbols are those of the class table it goes with.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    pub(super) dfa: Dfa,
    /// Classes with which no match begins, a bit each.
    never: u64,
    /// Classes with which a match begins, whatever follows.
    surely: u64,
    /// Classes of which the pieces that are dropped consist; others do not hold them.
    pub(super) dropped: u64,
}

/// Where the pieces of a text may end so far.
#[derive(Clone, Copy)]
pub(super) struct Window<'a> {
    pub(super) bytes: &'a [u8],
    /// Does the text (or the piece of the stage before) end here, so that the end can be looked at?
    pub(super) closed: bool,
}

/// Stages over one alphabet, and the table of that alphabet. `None` if a pattern is beyond the form.
pub(super) fn build(rules: &[Rule]) -> Option<(Vec<Stage>, ClassTable)> {
    let sets = rules.iter().map(|rule| nfa::sets(&rule.node)).collect::<Option<Vec<_>>>()?;
    let alphabet = Alphabet::new(&sets.concat())?;
    Some((build_over(rules, &alphabet)?, alphabet.table()))
}

/// Stages over `alphabet`, which was made for the sets of `rules` in turn, and perhaps others behind them.
pub(super) fn build_over(rules: &[Rule], alphabet: &Alphabet) -> Option<Vec<Stage>> {
    let mut members = &alphabet.members[..];
    let mut stages = Vec::with_capacity(rules.len());
    for rule in rules {
        let sets = nfa::sets(&rule.node)?;
        let (own, rest) = members.split_at(sets.len());
        members = rest;
        let nfa = Nfa::new(&rule.node, &sets, own, alphabet.len())?;
        stages.push(Stage::new(Dfa::new(&nfa, alphabet.len())?, rule.keep)?);
    }
    Some(stages)
}

impl Stage {
    fn new(dfa: Dfa, keep: Keep) -> Option<Self> {
        if dfa.matches_empty() || dfa.rereads() {
            return None;
        }
        let bits = |holds: &dyn Fn(usize) -> bool| {
            (0..dfa.end()).filter(|class| holds(*class)).fold(0u64, |bits, class| bits | 1 << class)
        };
        let never = bits(&|class| dfa.never_matches(class));
        let surely = bits(&|class| dfa.surely_matches(class));
        let mut stage = Self { dfa, never, surely, dropped: 0 };
        // What is dropped must show in any one of its characters, for a later stage may have cut it.
        stage.dropped = match keep {
            Keep::All => 0,
            Keep::Gaps => stage.classes_of_matches()?,
            Keep::Matches => !stage.classes_of_matches()? & ((1 << stage.dfa.end()) - 1),
        };
        Some(stage)
    }

    /// Is every character part of a match?
    pub(super) fn is_total(&self) -> bool {
        (0..self.dfa.end()).all(|class| self.surely >> class & 1 == 1)
    }

    /// The classes that matches consist of, if gaps consist of others; a bit each.
    pub(super) fn classes_of_matches(&self) -> Option<u64> {
        let all = (1 << self.dfa.end()) - 1;
        (self.never | self.surely == all && self.dfa.alphabet() & self.never == 0).then_some(self.surely)
    }

    /// Does a match begin with this class? `None` if that depends on what follows.
    pub(super) fn begins_match(&self, class: usize) -> Option<bool> {
        match (self.surely >> class & 1, self.never >> class & 1) {
            (1, _) => Some(true),
            (_, 1) => Some(false),
            _ => None,
        }
    }

    /// Pairs of classes between which there is always the end of a piece, whatever stands around: bit `b` of item `a`.
    pub(super) fn always_cut(&self) -> Vec<u64> {
        self.dfa
            .never_joined()
            .into_iter()
            .enumerate()
            // Between two characters that no match joins there is no end only inside a gap; a gap holds neither a
            // character with which a match surely begins, nor can it go on at one.
            .map(|(a, bits)| if self.surely >> a & 1 == 1 { bits } else { bits & self.surely })
            .collect()
    }

    /// Where the match that begins at `from` ends; `Ok(None)` if there is none.
    #[inline]
    pub(super) fn match_end(&self, table: &ClassTable, window: Window<'_>, from: usize) -> Result<Option<usize>, Open> {
        let bytes = window.bytes;
        let mut state = self.dfa.start;
        let mut at = from;
        let mut last = None;
        loop {
            let (symbol, len) = if at < bytes.len() {
                table.at(bytes, at)
            } else if window.closed {
                (self.dfa.end() as u8, 0)
            } else {
                return Err(Open { least: last.unwrap_or(from) });
            };
            steps::count(1);
            let entry = self.dfa.entry(state, usize::from(symbol));
            if entry & MATCH != 0 {
                last = Some(at);
            }
            state = entry & !MATCH;
            if state == DEAD {
                return Ok(last);
            }
            at += len;
        }
    }

    /// Where the piece (a match or a gap) that begins at `from`, in front of the end, ends.
    #[inline]
    pub(super) fn piece_end(&self, table: &ClassTable, window: Window<'_>, from: usize) -> Result<usize, Open> {
        if let Some(end) = self.match_end(table, window, from)? {
            return Ok(end);
        }
        let bytes = window.bytes;
        let mut at = from + table.at(bytes, from).1;
        while at < bytes.len() {
            steps::count(1);
            let (class, len) = table.at(bytes, at);
            if self.never >> class & 1 == 0 {
                match self.match_end(table, window, at) {
                    Ok(None) => {}
                    Ok(Some(_)) => return Ok(at),
                    Err(Open { .. }) => return Err(Open { least: at }),
                }
            }
            at += len;
        }
        if window.closed { Ok(at) } else { Err(Open { least: at }) }
    }
}

/// The window ended before the end of the piece could be told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// The piece does not end in front of this.
    pub(super) least: usize,
}
