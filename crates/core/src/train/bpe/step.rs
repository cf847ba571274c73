//! One step: a pair is replaced everywhere, and what that changes is summed up by neighbour.
//!
//! All occurrences of one step share the pair, so its changes differ in the neighbour alone: sums in arrays by id take the
//! place of a hash lookup for every occurrence.

use super::pairs::PairIndex;
use super::symbols::{END, Symbols, TAG};
use crate::error::Result;
use crate::train::progress::Progress;

/// Positions between two calls of [`Progress::advance`].
const STRIDE: usize = 1 << 18;
/// Positions that are looked at together.
const BLOCK: usize = 64;

/// Sums over one step, by the id of the neighbour on one side.
#[derive(Clone, Copy, Default)]
pub(in crate::train) struct Change {
    pub(in crate::train) removed: i64,
    pub(in crate::train) added: i64,
    /// How often it was added.
    pub(in crate::train) times: u32,
    /// Where its next position goes in the pool.
    pub(in crate::train) cursor: u32,
}

/// What one step changes; kept only to reuse its memory.
#[derive(Default)]
pub(in crate::train) struct Step {
    pub(in crate::train) before: Side,
    pub(in crate::train) after: Side,
    /// Sum of the counts of the words for every replacement.
    pub(in crate::train) merged: i64,
    /// Pairs that were added, with how many positions each has, in the order in which these lie at the end of the pool.
    pub(in crate::train) grown: Vec<(PairIndex, u32)>,
}

/// The neighbours on one side.
#[derive(Default)]
pub(in crate::train) struct Side {
    pub(in crate::train) changes: Vec<Change>,
    pub(in crate::train) touched: Vec<u32>,
    /// Neighbour and position of each pair that was added.
    pub(in crate::train) positions: Vec<(u32, u32)>,
}

impl Side {
    #[inline]
    fn remove(&mut self, neighbour: u32, count: i64) {
        let change = &mut self.changes[neighbour as usize];
        if change.removed == 0 && change.times == 0 {
            self.touched.push(neighbour);
        }
        change.removed += count;
    }

    #[inline]
    fn add(&mut self, neighbour: u32, count: i64, at: u32) {
        let change = &mut self.changes[neighbour as usize];
        if change.removed == 0 && change.times == 0 {
            self.touched.push(neighbour);
        }
        change.added += count;
        change.times += 1;
        self.positions.push((neighbour, at));
    }
}

/// Replace a pair at `positions` (ascending) by `id`, and note what that removes and adds.
///
/// A position where the pair no longer is gets skipped. Two symbols of together `max_length` slots or more are not noted as
/// added, unless that is [`u32::MAX`].
///
/// # Errors
/// Whatever `progress` returns.
pub(in crate::train) fn replace_all(
    symbols: &mut Symbols,
    changes: &mut Step,
    positions: &[u32],
    pair: (u32, u32),
    id: u32,
    max_length: u32,
    progress: &mut dyn Progress,
) -> Result<()> {
    for chunk in positions.chunks(STRIDE) {
        if max_length == u32::MAX {
            replace::<false>(symbols, changes, chunk, pair, id, max_length);
        } else {
            replace::<true>(symbols, changes, chunk, pair, id, max_length);
        }
        progress.advance(0)?;
    }
    Ok(())
}

/// The same for some of them; `max_length` counts if `LIMITED`.
fn replace<const LIMITED: bool>(
    symbols: &mut Symbols,
    changes: &mut Step,
    positions: &[u32],
    (left, right): (u32, u32),
    id: u32,
    max_length: u32,
) {
    // Length of the symbol at a position, by the slot behind it.
    let length = |behind: u32| if behind < TAG || behind == END { 1 } else { behind & !TAG };
    let mut step = 0;
    let mut alive = [0; BLOCK];
    for block in positions.chunks(BLOCK) {
        // Without branches, so that the cache misses of a block are under way together: 15 % of a training on 200 MB.
        let mut n = 0;
        for &at in block {
            alive[n] = at;
            n += usize::from(symbols.slots[at as usize] == left);
        }
        for &at in &alive[..n] {
            let slots = &mut symbols.slots;
            let p = at as usize;
            // Again: an overlapping pair may have taken it meanwhile.
            if slots[p] != left || slots[p + 1] == END {
                continue;
            }
            let second = p + length(slots[p + 1]) as usize;
            if slots[second] != right {
                continue;
            }
            let next = second + length(slots[second + 1]) as usize;
            let merged = (next - p) as u32;
            slots[p] = id;
            slots[second] = TAG;
            slots[p + 1] = TAG | merged;
            slots[next - 1] = TAG | merged;

            let before = slots[p - 1];
            let previous = p - length(before) as usize;
            let after = slots[next];
            let count = symbols.count(at, &mut step);
            changes.merged += count;
            let slots = &symbols.slots;
            if before != END {
                let neighbour = slots[previous];
                changes.before.remove(neighbour, count);
                if !LIMITED || (p - previous) as u32 + merged < max_length {
                    changes.before.add(neighbour, count, previous as u32);
                }
            }
            if after != END {
                changes.after.remove(after, count);
                if !LIMITED || length(slots[next + 1]) + merged < max_length {
                    // An id that is not new may stand here already: one pair must not come from both sides.
                    if after == id { &mut changes.before } else { &mut changes.after }.add(after, count, at);
                }
            }
        }
    }
}
