//! The deterministic automaton of a pattern, and what can be proved from it.
//!
//! A transition on the symbol that follows says whether a match ends in front of that symbol, so that conditions on the next
//! character need no step of their own. The last match that was seen when the automaton dies is the match.

use super::nfa::{Nfa, Step};
use hashbrown::HashMap;

/// On a transition: a match ends in front of the symbol.
pub(super) const MATCH: u16 = 0x8000;

/// Where no match can go on. Its row is not stored apart: it is the row of all zeros at 0.
pub(super) const DEAD: u16 = 0;

/// Transitions by state and symbol. A state is named by the place of its row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dfa {
    pub(super) rows: Box<[u16]>,
    /// Symbols: the classes, then the end of the text.
    pub(super) symbols: usize,
    pub(super) start: u16,
}

impl Dfa {
    /// The automaton over `classes` classes; `None` if it is too large for a table.
    pub(super) fn new(nfa: &Nfa, classes: usize) -> Option<Self> {
        let symbols = classes + 1;
        let mut rows = vec![0u16; symbols];
        let mut names: HashMap<Vec<usize>, u16> = HashMap::new();
        names.insert(Vec::new(), DEAD);
        let mut states: Vec<Vec<usize>> = vec![Vec::new()];
        let mut name = |state: Vec<usize>, rows: &mut Vec<u16>, states: &mut Vec<Vec<usize>>| -> Option<u16> {
            if let Some(&known) = names.get(&state) {
                return Some(known);
            }
            let row = u16::try_from(rows.len()).ok().filter(|row| usize::from(*row) + symbols < usize::from(MATCH))?;
            rows.extend(std::iter::repeat_n(DEAD, symbols));
            names.insert(state.clone(), row);
            states.push(state);
            Some(row)
        };
        let start = name(vec![nfa.start], &mut rows, &mut states)?;
        let mut at = 1;
        while at < states.len() {
            for symbol in 0..symbols {
                let (next, matched) = step(nfa, &states[at], symbol, symbol == classes);
                let next = name(next, &mut rows, &mut states)?;
                rows[at * symbols + symbol] = next | if matched { MATCH } else { 0 };
            }
            at += 1;
        }
        Some(Self { rows: rows.into(), symbols, start })
    }

    /// The entry for `symbol` in `state`.
    #[inline]
    pub(super) fn entry(&self, state: u16, symbol: usize) -> u16 {
        self.rows[usize::from(state) + symbol]
    }

    /// The symbol for the end of the text.
    #[inline]
    pub(super) fn end(&self) -> usize {
        self.symbols - 1
    }

    /// All states that live, by the places of their rows.
    pub(super) fn states(&self) -> impl Iterator<Item = u16> + '_ {
        (1..self.rows.len() / self.symbols).map(|i| (i * self.symbols) as u16)
    }

    /// The classes that matches consist of, a bit each.
    pub(super) fn alphabet(&self) -> u64 {
        let lives = |class: &usize| self.states().any(|state| self.entry(state, *class) & !MATCH != DEAD);
        (0..self.end()).filter(lives).fold(0, |bits, class| bits | 1 << class)
    }

    /// Is the empty string a match anywhere?
    pub(super) fn matches_empty(&self) -> bool {
        (0..self.symbols).any(|symbol| self.entry(self.start, symbol) & MATCH != 0)
    }

    /// Can cutting a text take more than linear time, because text behind a match is read over and over?
    ///
    /// Text is read far ahead on cycles without a match. That is paid once if the pieces that begin in such text do not
    /// read far ahead in their turn: `\s*[\r\n]+` reads all the blanks behind a line feed, which then are one piece.
    pub(super) fn rereads(&self) -> bool {
        let losing = self.may_die();
        let cyclic = self.without_way_out(losing.clone(), u64::MAX);
        let symbols = (0..self.end()).filter(|symbol| {
            cyclic.iter().any(|state| {
                let entry = self.entry(*state, *symbol);
                entry & MATCH == 0 && cyclic.contains(&entry)
            })
        });
        let symbols = symbols.fold(0u64, |bits, symbol| bits | 1 << symbol);
        let mut reached = vec![self.start];
        let mut at = 0;
        while at < reached.len() {
            for symbol in (0..self.end()).filter(|symbol| symbols >> symbol & 1 == 1) {
                let next = self.entry(reached[at], symbol) & !MATCH;
                if next != DEAD && !reached.contains(&next) {
                    reached.push(next);
                }
            }
            at += 1;
        }
        reached.retain(|state| losing.contains(state));
        !self.without_way_out(reached, symbols).is_empty()
    }

    /// The states from which the automaton may see another match.
    pub(super) fn may_match(&self) -> Vec<u16> {
        let mut winning: Vec<u16> = Vec::new();
        loop {
            let before = winning.len();
            for state in self.states() {
                let wins = |symbol| {
                    let entry = self.entry(state, symbol);
                    entry & MATCH != 0 || winning.contains(&entry)
                };
                if !winning.contains(&state) && (0..self.symbols).any(wins) {
                    winning.push(state);
                }
            }
            if winning.len() == before {
                return winning;
            }
        }
    }

    /// The states from which the automaton may die without another match.
    pub(super) fn may_die(&self) -> Vec<u16> {
        let mut losing = vec![DEAD];
        loop {
            let before = losing.len();
            for state in self.states() {
                let loses = |symbol| {
                    let entry = self.entry(state, symbol);
                    entry & MATCH == 0 && losing.contains(&entry)
                };
                if !losing.contains(&state) && (0..self.symbols).any(loses) {
                    losing.push(state);
                }
            }
            if losing.len() == before {
                losing.remove(0);
                return losing;
            }
        }
    }

    /// The states of `states` from which transitions on `symbols` without a match go on for ever.
    fn without_way_out(&self, mut states: Vec<u16>, symbols: u64) -> Vec<u16> {
        loop {
            let known = states.clone();
            states.retain(|state| {
                (0..self.end()).filter(|symbol| symbols >> symbol & 1 == 1).any(|symbol| {
                    let entry = self.entry(*state, symbol);
                    entry & MATCH == 0 && known.contains(&entry)
                })
            });
            if states.len() == known.len() {
                return states;
            }
        }
    }

    /// For each class: does every text that begins with it begin with a match?
    pub(super) fn surely_matches(&self, class: usize) -> bool {
        let first = self.entry(self.start, class);
        first != DEAD && !self.may_die().contains(&first)
    }

    /// For each class: does no text that begins with it begin with a match?
    pub(super) fn never_matches(&self, class: usize) -> bool {
        self.entry(self.start, class) & !MATCH == DEAD
    }

    /// Pairs of classes between which no match ever reaches: bit `b` of item `a`.
    pub(super) fn never_joined(&self) -> Vec<u64> {
        (0..self.end())
            .map(|a| {
                let behind: Vec<u16> =
                    self.states().map(|s| self.entry(s, a) & !MATCH).filter(|state| *state != DEAD).collect();
                (0..self.end())
                    .filter(|b| behind.iter().all(|state| self.entry(*state, *b) & !MATCH == DEAD))
                    .fold(0, |bits, b| bits | 1 << b)
            })
            .collect()
    }
}

/// From `state` (in order of preference) on `symbol`: the next state, and whether a match ends in front of the symbol.
fn step(nfa: &Nfa, state: &[usize], symbol: usize, is_end: bool) -> (Vec<usize>, bool) {
    let bit = 1u64 << symbol;
    let mut next = Vec::new();
    let mut seen = vec![false; nfa.nodes.len()];
    let mut todo: Vec<usize> = state.iter().rev().copied().collect();
    while let Some(node) = todo.pop() {
        if std::mem::replace(&mut seen[node], true) {
            continue;
        }
        match &nfa.nodes[node] {
            Step::Match => return (next, true),
            Step::Take(classes, target) => {
                if !is_end && classes & bit != 0 && !next.contains(target) {
                    next.push(*target);
                }
            }
            Step::Next(symbols, target) => {
                if symbols & bit != 0 {
                    todo.push(*target);
                }
            }
            Step::Choose(targets) => todo.extend(targets.iter().rev()),
        }
    }
    (next, false)
}
