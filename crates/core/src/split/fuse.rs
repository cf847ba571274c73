//! Stages and gaps as one automaton that reads a whole text piece by piece.
//!
//! The automaton of a pattern knows matches. The one made here knows pieces: gaps are matches of it too, and the ends of
//! pieces of earlier stages are ends of the text to the last. It exists when earlier stages can tell each end on the
//! character behind it, and when at most one start of a match is in doubt within a gap.

use super::dfa::{DEAD, Dfa, MATCH};
use super::stage::Stage;
use hashbrown::HashMap;

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
    Open {
        state: u16,
        pending: Option<u16>,
    },
    /// A match.
    Sure(u16),
    Gap {
        pending: Option<u16>,
    },
}

type State = (Vec<Early>, Late);

/// What a transition leads to: the next state, if the piece may go on, and whether it may end in front of the symbol.
type Next = (Option<State>, bool);

/// The automaton of the pieces of `stages`, if there is one.
pub(super) fn fuse(stages: &[Stage]) -> Option<Dfa> {
    let (last, early) = stages.split_last()?;
    if !early.iter().all(tells_ends_at_once) {
        return None;
    }
    let fuser = Fuser { early, late: &last.dfa, losing: last.dfa.may_die() };
    let start = (early.iter().map(|stage| Early::Match(stage.dfa.start)).collect(), Late::Start);
    fuser.run(start)
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
    late: &'a Dfa,
    losing: Vec<u16>,
}

impl Fuser<'_> {
    fn run(&self, start: State) -> Option<Dfa> {
        let symbols = self.late.symbols;
        let mut rows = vec![DEAD; 2 * symbols];
        let mut names: HashMap<State, u16> = HashMap::new();
        names.insert(start.clone(), symbols as u16);
        let mut states = vec![start];
        let mut at = 0;
        while at < states.len() {
            for symbol in 0..symbols {
                let (next, ends) = self.step(&states[at], symbol)?;
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

    /// `None` when the doubt is more than this automaton can hold.
    fn step(&self, (early, late): &State, symbol: usize) -> Option<Next> {
        let mut ends = symbol == self.late.end();
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
        let (late, may_end) = self.step_late(*late, if ends { self.late.end() } else { symbol })?;
        Some((late.map(|late| (next, late)), may_end))
    }

    fn step_late(&self, late: Late, symbol: usize) -> Option<(Option<Late>, bool)> {
        let read = |state: u16| {
            let entry = self.late.entry(state, symbol);
            (entry & !MATCH, entry & MATCH != 0)
        };
        let doubtful = |state: u16| self.losing.contains(&state);
        Some(match late {
            Late::Start => match read(self.late.start).0 {
                DEAD if symbol == self.late.end() => (None, false),
                DEAD => (Some(Late::Gap { pending: None }), false),
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
                    return self.step_gap(pending, symbol);
                }
                if next == DEAD || matched || !doubtful(next) {
                    ((next != DEAD).then_some(Late::Sure(next)), matched)
                } else if pending.is_some() {
                    return None;
                } else {
                    let other = read(self.late.start).0;
                    let pending = (other != DEAD).then_some(other);
                    (Some(Late::Open { state: next, pending }), pending.is_some())
                }
            }
            Late::Gap { pending } => return self.step_gap(pending, symbol),
        })
    }

    fn step_gap(&self, pending: Option<u16>, symbol: usize) -> Option<(Option<Late>, bool)> {
        let begins = self.late.entry(self.late.start, symbol) & !MATCH;
        if let Some(pending) = pending {
            let entry = self.late.entry(pending, symbol);
            let next = entry & !MATCH;
            // The match is sure, so that the gap ended where it began.
            if entry & MATCH != 0 || (next != DEAD && !self.losing.contains(&next)) {
                return Some((None, false));
            }
            if next != DEAD {
                let next = Some(Late::Gap { pending: Some(next) });
                return (begins == DEAD).then_some((next, false));
            }
        }
        Some(if symbol == self.late.end() {
            (None, true)
        } else if begins == DEAD {
            (Some(Late::Gap { pending: None }), false)
        } else if self.losing.contains(&begins) {
            (Some(Late::Gap { pending: Some(begins) }), true)
        } else {
            (None, true)
        })
    }
}
