//! Several stages in turn: each cuts the pieces of the one before.

use super::alphabet::ClassTable;
use super::dfa::{DEAD, Dfa, MATCH};
use super::stage::{Open, Stage, Window};
use crate::steps;
use hashbrown::HashSet;

/// Bytes that the first window spans beyond what the asked number of pieces will take.
const SLACK: usize = 256;

/// Bytes of text that a piece is taken to have when the first window is chosen.
const PIECE: usize = 8;

/// Ends of pieces from `from` on, as [`super::Scanner::scan`].
///
/// A stage may have to read far for the end of its piece (a text without digits is one gap of `\p{N}{1,3}`), while few
/// pieces are asked for. So the text is looked at through a window that grows only when nothing could be found in it.
pub(super) fn scan(stages: &[Stage], table: &ClassTable, text: &str, from: usize, ends: &mut [u32]) -> usize {
    let mut count = 0;
    let mut at = from;
    let mut width = SLACK + PIECE * ends.len();
    while at < text.len() && count < ends.len() {
        let mut close = text.len().min(at.saturating_add(width));
        while !text.is_char_boundary(close) {
            close += 1;
        }
        let window = Window { bytes: &text.as_bytes()[..close], closed: close == text.len() };
        let found = scan_window(stages, table, window, at, &mut ends[count..]);
        match found.checked_sub(1) {
            Some(last) => at = ends[count + last] as usize,
            None => width = width.saturating_mul(2),
        }
        count += found;
    }
    count
}

/// Ends of the pieces that can be told within `window`.
fn scan_window(stages: &[Stage], table: &ClassTable, window: Window<'_>, from: usize, ends: &mut [u32]) -> usize {
    // How far the current piece of each stage is known to go, and whether it ends there.
    let mut pieces: Vec<(usize, bool)> = vec![(from, true); stages.len()];
    let mut at = from;
    steps::count(stages.len());
    for (count, end) in ends.iter_mut().enumerate() {
        if at >= window.bytes.len() {
            return count;
        }
        let mut outer = (window.bytes.len(), window.closed);
        for (stage, piece) in stages.iter().zip(&mut pieces) {
            if piece.0 <= at && piece.1 {
                let inside = Window { bytes: &window.bytes[..outer.0], closed: outer.1 };
                *piece = match stage.piece_end(table, inside, at) {
                    Ok(end) => (end, end < outer.0 || outer.1),
                    Err(Open { least }) => (least, false),
                };
            }
            outer = *piece;
        }
        let (piece, closed) = outer;
        if !closed {
            return count;
        }
        at = piece;
        *end = at as u32;
    }
    ends.len()
}

/// Can scanning begin at the start of any piece of the last stage?
///
/// A start may lie inside a piece of an earlier stage. Gaps do no harm: the next match is found from anywhere in them. A
/// match must end in the same place when it is read from such a start; or else no later stage may cut it.
pub(super) fn is_restartable(stages: &[Stage]) -> bool {
    let mut cut = vec![0u64; stages.first().map_or(0, |stage| stage.dfa.end())];
    stages.iter().enumerate().all(|(i, stage)| {
        let later = &stages[i + 1..];
        let holds = later.is_empty()
            || ends_alike_from_inside(&stage.dfa, &cut)
            || later.iter().all(|other| !cuts_matches(&other.dfa, &stage.dfa));
        for (all, own) in cut.iter_mut().zip(stage.always_cut()) {
            *all |= own;
        }
        holds
    })
}

/// Does every match end in the same place when it is read from any character inside it? `cut` holds the pairs of classes
/// that an earlier stage keeps apart.
fn ends_alike_from_inside(dfa: &Dfa, cut: &[u64]) -> bool {
    #[derive(Clone, Copy, PartialEq, Eq, Hash)]
    struct Pair {
        whole: u16,
        inside: u16,
        /// The class read last.
        last: usize,
        /// Has the whole ended a match since the other began? Only then did that begin inside a match.
        begun_inside: bool,
        /// Has the other ended one later?
        ahead: bool,
        /// Has the other read nothing yet?
        fresh: bool,
    }
    let begin = |(whole, last)| Pair { whole, inside: dfa.start, last, begun_inside: false, ahead: false, fresh: true };
    let mut todo: Vec<Pair> = reached_within(dfa, cut).into_iter().map(begin).collect();
    let mut seen: HashSet<Pair> = todo.iter().copied().collect();
    while let Some(pair) = todo.pop() {
        for symbol in 0..dfa.symbols {
            let is_end = symbol == dfa.end() || cut[pair.last] >> symbol & 1 == 1;
            let symbol = if is_end { dfa.end() } else { symbol };
            let (whole, inside) = (dfa.entry(pair.whole, symbol), dfa.entry(pair.inside, symbol));
            let (whole_ends, inside_ends) = (whole & MATCH != 0, inside & MATCH != 0);
            let mut next = Pair { whole: whole & !MATCH, inside: inside & !MATCH, last: symbol, fresh: false, ..pair };
            // A match that ends where the other begins does not hold that place inside.
            if whole_ends && !pair.fresh {
                if !inside_ends {
                    return false;
                }
                next.begun_inside = true;
                next.ahead = false;
            } else if inside_ends {
                next.ahead = true;
                if pair.whole == DEAD && pair.begun_inside {
                    return false;
                }
            }
            if next.whole == DEAD && next.begun_inside && next.ahead {
                return false;
            }
            let over = next.inside == DEAD || (next.whole == DEAD && !next.begun_inside);
            // Once the other is dead the whole must not end a match: that is seen while the whole lives.
            let goes_on = if next.inside == DEAD { next.whole != DEAD } else { !over };
            if goes_on && !is_end && seen.insert(next) {
                todo.push(next);
            }
        }
    }
    true
}

/// The states that live behind at least one character, with the class read last, in texts without a pair of `cut`.
fn reached_within(dfa: &Dfa, cut: &[u64]) -> Vec<(u16, usize)> {
    let mut reached: Vec<(u16, usize)> = Vec::new();
    let mut at = 0;
    let mut from = (dfa.start, None);
    loop {
        for class in 0..dfa.end() {
            let joined = from.1.is_none_or(|last: usize| cut[last] >> class & 1 == 0);
            let next = (dfa.entry(from.0, class) & !MATCH, class);
            if joined && next.0 != DEAD && !reached.contains(&next) {
                reached.push(next);
            }
        }
        let Some(&(state, last)) = reached.get(at) else { return reached };
        from = (state, Some(last));
        at += 1;
    }
}

/// May `later` end a piece inside a match of `earlier`?
fn cuts_matches(later: &Dfa, earlier: &Dfa) -> bool {
    let alphabet = earlier.alphabet();
    let classes: Vec<usize> = (0..earlier.end()).filter(|class| alphabet >> class & 1 == 1).collect();
    // The states that texts of these classes lead to.
    let mut reached = vec![later.start];
    let mut at = 0;
    let (mut dies, mut matches) = (false, false);
    let mut open_ended = false;
    while at < reached.len() {
        let state = reached[at];
        let at_end = later.entry(state, later.end()) & MATCH != 0;
        matches |= at_end;
        open_ended |= !at_end && state != later.start;
        for &class in &classes {
            let entry = later.entry(state, class);
            matches |= entry & MATCH != 0;
            let next = entry & !MATCH;
            dies |= next == DEAD;
            if next != DEAD && !reached.contains(&next) {
                reached.push(next);
            }
        }
        at += 1;
    }
    // No match at all: one gap. Or nothing but matches that go on to the end: one match.
    matches && (dies || open_ended)
}
