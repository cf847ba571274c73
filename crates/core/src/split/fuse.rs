//! Stages and gaps as one automaton that reads a whole text piece by piece.
//!
//! The automaton of a pattern knows matches. The one made here knows pieces: gaps are matches of it too, and the ends of
//! pieces of earlier stages are ends of the text to the next. It exists when few starts of a match are in doubt at a time within
//! a gap, and when no stage cuts where the end of a piece of an earlier stage is still in doubt.

use super::dfa::{DEAD, Dfa, MATCH};
use super::stage::Stage;
use hashbrown::HashMap;
use std::hash::Hash;

/// Where an earlier stage is in its piece.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Early {
    Match(u16),
    Gap,
}

/// Where the last stage is in its piece. A pending state is that of a match which may have begun at the end noted last.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Late {
    /// Nothing read yet.
    Start,
    /// A match that may yet fail.
    Open { state: u16, pending: Option<u16> },
    /// A match.
    Sure(u16),
    /// The other state is that of a match which may have begun later, if the pending one does not hold.
    Gap { pending: Option<u16>, other: Option<u16> },
}

const GAP: Late = Late::Gap { pending: None, other: None };

type State = (Vec<Early>, Late);

/// What a transition leads to: the next state, if the piece may go on, and whether it may end in front of the symbol.
type Next<S = State> = (Option<S>, bool);

/// The automaton of the pieces of `stages`, if there is one.
pub(super) fn fuse(stages: &[Stage]) -> Option<Dfa> {
    let at_once = stages.iter().take_while(|stage| tells_ends_at_once(stage)).count();
    let (first, rest) = stages.split_at(stages.len().min(at_once + 1));
    let (last, early) = first.split_last()?;
    let fuser = Fuser { early, late: Follower::new(&last.dfa) };
    let start = (early.iter().map(|stage| Early::Match(stage.dfa.start)).collect(), Late::Start);
    let pieces = automaton(last.dfa.symbols, start, |state, symbol| fuser.step(state, symbol))?;
    rest.iter().try_fold(pieces, |whole, stage| refine(&whole, &stage.dfa))
}

/// The automaton with the states that `step` leads to from `start`.
fn automaton<S: Clone + Eq + Hash>(
    symbols: usize,
    start: S,
    step: impl Fn(&S, usize) -> Option<Next<S>>,
) -> Option<Dfa> {
    let mut rows = vec![DEAD; 2 * symbols];
    let mut names: HashMap<S, u16> = HashMap::new();
    names.insert(start.clone(), symbols as u16);
    let mut states = vec![start];
    let mut at = 0;
    while at < states.len() {
        for symbol in 0..symbols {
            let (next, ends) = step(&states[at], symbol)?;
            let next = match next {
                None => DEAD,
                Some(next) => {
                    if let Some(known) = names.get(&next) {
                        *known
                    } else {
                        let row = u16::try_from(rows.len()).ok().filter(|row| row & MATCH == 0)?;
                        rows.extend(std::iter::repeat_n(DEAD, symbols));
                        names.insert(next.clone(), row);
                        states.push(next);
                        row
                    }
                }
            };
            rows[(at + 1) * symbols + symbol] = next | if ends { MATCH } else { 0 };
        }
        at += 1;
    }
    Some(Dfa { rows: rows.into(), symbols, start: symbols as u16 })
}

/// The pieces of `whole`, an automaton of pieces, each cut by the matches of `dfa`.
fn refine(whole: &Dfa, dfa: &Dfa) -> Option<Dfa> {
    let follower = Follower::new(dfa);
    let open = whole.may_die();
    automaton(whole.symbols, (whole.start, Late::Start), |&(state, late), symbol| {
        let entry = whole.entry(state, symbol);
        let (next, ends) = (entry & !MATCH, entry & MATCH != 0);
        if next == DEAD {
            // Without an end here the piece has ended where that was noted.
            let may_end = ends && follower.step(late, dfa.end())?.1;
            return Some((None, may_end));
        }
        let (later, cuts) = follower.step(late, symbol)?;
        if open.contains(&next) {
            // The piece may turn out to have ended here, or where that was noted before: only a gap goes with both.
            return (later == Some(GAP) && !cuts && (!ends || late == GAP)).then_some((Some((next, GAP)), ends));
        }
        Some((later.map(|later| (next, later)), cuts))
    })
}

/// Does each match begin with a character that makes it sure, and is its end known on the character behind it?
fn tells_ends_at_once(stage: &Stage) -> bool {
    let dfa = &stage.dfa;
    let sure = (0..dfa.end()).all(|class| stage.begins_match(class).is_some());
    let at_once = dfa.states().filter(|state| *state != dfa.start).all(|state| {
        (0..dfa.symbols).all(|symbol| {
            let entry = dfa.entry(state, symbol);
            entry & !MATCH != DEAD || entry & MATCH != 0
        })
    });
    sure && at_once
}

struct Fuser<'a> {
    early: &'a [Stage],
    late: Follower<'a>,
}

impl Fuser<'_> {
    /// `None` when the doubt is more than this automaton can hold.
    fn step(&self, (early, late): &State, symbol: usize) -> Option<Next> {
        let end = self.late.dfa.end();
        let mut ends = symbol == end;
        let mut next = Vec::with_capacity(early.len());
        for (stage, state) in self.early.iter().zip(early) {
            let begins = stage.dfa.entry(stage.dfa.start, symbol) & !MATCH;
            let state = match *state {
                Early::Match(state) => match stage.dfa.entry(state, symbol) & !MATCH {
                    DEAD if state == stage.dfa.start => Early::Gap,
                    DEAD => {
                        ends = true;
                        Early::Gap
                    }
                    next => Early::Match(next),
                },
                Early::Gap => {
                    ends |= begins != DEAD;
                    Early::Gap
                }
            };
            next.push(state);
        }
        let (late, may_end) = self.late.step(*late, if ends { end } else { symbol })?;
        Some((late.map(|late| (next, late)), may_end))
    }
}

/// A stage that cuts the pieces of others, whose ends it takes for ends of the text.
struct Follower<'a> {
    dfa: &'a Dfa,
    losing: Vec<u16>,
}

impl<'a> Follower<'a> {
    fn new(dfa: &'a Dfa) -> Self {
        Self { dfa, losing: dfa.may_die() }
    }

    /// `None` when the doubt is more than this automaton can hold.
    fn step(&self, late: Late, symbol: usize) -> Option<Next<Late>> {
        let read = |state: u16| {
            let entry = self.dfa.entry(state, symbol);
            (entry & !MATCH, entry & MATCH != 0)
        };
        let doubtful = |state: u16| self.losing.contains(&state);
        Some(match late {
            Late::Start => match read(self.dfa.start).0 {
                DEAD if symbol == self.dfa.end() => (None, false),
                DEAD => (Some(GAP), false),
                state if doubtful(state) => (Some(Late::Open { state, pending: None }), false),
                state => (Some(Late::Sure(state)), false),
            },
            Late::Sure(state) => {
                let (next, matched) = read(state);
                ((next != DEAD).then_some(Late::Sure(next)), matched)
            }
            Late::Open { state, pending } => {
                let (next, matched) = read(state);
                if next == DEAD && !matched {
                    return self.step_gap(pending, None, symbol);
                }
                if next == DEAD || matched || !doubtful(next) {
                    ((next != DEAD).then_some(Late::Sure(next)), matched)
                } else if pending.is_some() {
                    return None;
                } else {
                    let other = read(self.dfa.start).0;
                    let pending = (other != DEAD).then_some(other);
                    (Some(Late::Open { state: next, pending }), pending.is_some())
                }
            }
            Late::Gap { pending, other } => return self.step_gap(pending, other, symbol),
        })
    }

    fn step_gap(&self, pending: Option<u16>, other: Option<u16>, symbol: usize) -> Option<Next<Late>> {
        let begins = self.dfa.entry(self.dfa.start, symbol) & !MATCH;
        let other = other.map_or(DEAD, |state| self.dfa.entry(state, symbol));
        if let Some(pending) = pending {
            let entry = self.dfa.entry(pending, symbol);
            let next = entry & !MATCH;
            // The match is sure, so that the gap ended where it began.
            if entry & MATCH != 0 || (next != DEAD && !self.losing.contains(&next)) {
                return Some((None, false));
            }
            if next != DEAD {
                let other = match (other, begins) {
                    (DEAD, DEAD) => None,
                    (DEAD, one) | (one, DEAD) if one & MATCH == 0 => Some(one),
                    _ => return None,
                };
                return Some((Some(Late::Gap { pending: Some(next), other }), false));
            }
        }
        if other != DEAD {
            return None;
        }
        Some(if symbol == self.dfa.end() {
            (None, true)
        } else if begins == DEAD {
            (Some(GAP), false)
        } else if self.losing.contains(&begins) {
            (Some(Late::Gap { pending: Some(begins), other: None }), true)
        } else {
            (None, true)
        })
    }
}
