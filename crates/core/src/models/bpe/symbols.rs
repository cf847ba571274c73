//! The merge loop: symbols of one piece joined in order of rank, leftmost first.
//!
//! Short pieces scan for the lowest rank (few symbols, no allocation); long ones keep a heap of candidate pairs, so that the
//! cost is O(n log n) at worst. Source: Sennrich, Haddow and Birch 2016, section 3.2, with the order of merges as given by the
//! model rather than by counts.

use super::merges::{Merge, MergeTable};
use crate::steps;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A symbol of a piece: an id and the bytes of the piece that it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Token id.
    pub id: u32,
    /// First byte in the piece.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// Up to so many symbols a scan is quicker than a heap.
const SCANNED: usize = 40;
const NONE: u32 = u32::MAX;

/// Working memory of the merge loop, kept between pieces.
#[derive(Debug, Default)]
pub struct MergeScratch {
    candidates: Vec<Merge>,
    links: Vec<Link>,
    heap: BinaryHeap<Reverse<Candidate>>,
    skipped: Vec<Reverse<Candidate>>,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    previous: u32,
    next: u32,
    alive: bool,
}

/// A pair that may merge, ordered by rank, then by the position of its left symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    rank: u32,
    left: u32,
    id: u32,
}

/// Merge until no pair is left that has a merge.
pub fn merge_all(table: &MergeTable, symbols: &mut Vec<Symbol>, scratch: &mut MergeScratch) {
    if symbols.len() <= SCANNED {
        merge_by_scan(table, symbols, &mut scratch.candidates);
    } else {
        merge_by_heap(table, symbols, scratch, &mut || false);
    }
}

/// The same with dropout: each merge that comes up is passed over with probability `dropout`, and comes up again after the
/// next merge that is done. Source: Provilkov, Emelianenko and Voita 2020, section 3.
pub(super) fn merge_with_dropout(
    table: &MergeTable,
    symbols: &mut Vec<Symbol>,
    scratch: &mut MergeScratch,
    dropout: f32,
    random: &mut fastrand::Rng,
) {
    merge_by_heap(table, symbols, scratch, &mut || random.f32() < dropout);
}

const NO_MERGE: Merge = Merge { rank: NONE, id: NONE };

fn merge_by_scan(table: &MergeTable, symbols: &mut Vec<Symbol>, candidates: &mut Vec<Merge>) {
    let look = |a: Symbol, b: Symbol| table.get(a.id, b.id).unwrap_or(NO_MERGE);
    candidates.clear();
    candidates.extend(symbols.windows(2).map(|w| look(w[0], w[1])));
    loop {
        // Looked through, and what is behind moved.
        steps::count(2 * symbols.len());
        let mut best = NO_MERGE.rank;
        let mut at = 0;
        for (i, c) in candidates.iter().enumerate() {
            if c.rank < best {
                best = c.rank;
                at = i;
            }
        }
        if best == NO_MERGE.rank {
            return;
        }
        symbols[at].id = candidates[at].id;
        symbols[at].end = symbols[at + 1].end;
        symbols.remove(at + 1);
        candidates.remove(at);
        if at > 0 {
            candidates[at - 1] = look(symbols[at - 1], symbols[at]);
        }
        if at < candidates.len() {
            candidates[at] = look(symbols[at], symbols[at + 1]);
        }
    }
}

/// Levels of a heap of so many.
fn depth(count: usize) -> usize {
    count.checked_ilog2().unwrap_or(0) as usize + 1
}

fn merge_by_heap(
    table: &MergeTable,
    symbols: &mut Vec<Symbol>,
    scratch: &mut MergeScratch,
    pass_over: &mut dyn FnMut() -> bool,
) {
    let MergeScratch { links, heap, skipped, .. } = scratch;
    links.clear();
    links.extend((0..symbols.len() as u32).map(|i| Link {
        previous: i.wrapping_sub(1), // NONE for the first
        next: if i as usize + 1 == symbols.len() { NONE } else { i + 1 },
        alive: true,
    }));
    heap.clear();
    skipped.clear();
    let candidate = |symbols: &[Symbol], left: u32, right: u32| {
        let merge = table.get(symbols[left as usize].id, symbols[right as usize].id)?;
        Some(Reverse(Candidate { rank: merge.rank, left, id: merge.id }))
    };
    heap.extend((1..symbols.len() as u32).filter_map(|right| candidate(symbols, right - 1, right)));
    while let Some(top) = heap.pop() {
        steps::count(depth(heap.len()));
        if pass_over() {
            skipped.push(top);
            continue;
        }
        let Candidate { left, id, .. } = top.0;
        let Link { next: right, alive, previous } = links[left as usize];
        // Stale: the left symbol was merged away, or what stands there now merges to something else.
        if !alive || right == NONE {
            continue;
        }
        let now = table.get(symbols[left as usize].id, symbols[right as usize].id);
        if now.is_none_or(|m| m.id != id) {
            continue;
        }
        steps::count((skipped.len() + 2) * depth(heap.len()));
        heap.extend(skipped.drain(..));
        symbols[left as usize].id = id;
        symbols[left as usize].end = symbols[right as usize].end;
        links[right as usize].alive = false;
        let next = links[right as usize].next;
        links[left as usize].next = next;
        if next != NONE {
            links[next as usize].previous = left;
            heap.extend(candidate(symbols, left, next));
        }
        if previous != NONE {
            heap.extend(candidate(symbols, previous, left));
        }
    }
    let mut i = 0;
    symbols.retain(|_| {
        i += 1;
        links[i - 1].alive
    });
}
