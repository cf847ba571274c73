//! Which pair is next.
//!
//! A merge lowers the counts of its two parts, which raises the score of every other pair with one of them: with one heap of
//! all pairs a step would touch thousands. So every pair belongs to one of its symbols, the *owner*, which is the more
//! frequent one when the pair appears; the other one is the *partner*. The pairs of an owner stand in a heap by count of the
//! pair / count of the partner, which the count of the owner does not change; the best pair of every owner stands in a heap by
//! score. When the count of a symbol falls, its own heap stays as it is, and only the pairs that it is the partner in move up:
//! few, because few symbols are more frequent.
//!
//! Heaps hold items that promise at least what is true. What moves a pair up puts in a new item; what moves it down (its count
//! falls, its first place is gone) is found out when the item comes to the top. An item may promise more on purpose: with a
//! count of the partner that is lower than the true one, so that no new item is needed each time that it falls.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::score::{Ratio, Score};
use crate::train::bpe::pairs::PairIndex;

/// The standing of a pair among those of its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) ratio: Ratio,
    /// Position of the first place where the pair is.
    pub(super) first: u32,
}

/// A pair in the heap of its owner.
#[derive(PartialEq, Eq)]
struct Item {
    standing: Standing,
    pair: PairIndex,
    /// The item counts if this is the version of the pair.
    version: u32,
}

impl Ord for Item {
    /// Greater is next: the higher ratio, then the earlier place.
    fn cmp(&self, other: &Self) -> Ordering {
        let (own, theirs) = (&self.standing, &other.standing);
        own.ratio
            .compare(theirs.ratio)
            .then_with(|| theirs.first.cmp(&own.first))
            .then_with(|| (other.pair, other.version).cmp(&(self.pair, self.version)))
    }
}

impl PartialOrd for Item {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The best pair of an owner in the heap of all owners.
struct Best {
    score: Score,
    first: u32,
    owner: u32,
    /// The item counts if this is the version of the owner.
    version: u32,
}

impl Ord for Best {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score
            .compare(&other.score)
            .then_with(|| other.first.cmp(&self.first))
            .then_with(|| (other.owner, other.version).cmp(&(self.owner, self.version)))
    }
}

impl PartialOrd for Best {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Best {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Best {}

#[derive(Default)]
struct Owner {
    pairs: BinaryHeap<Item>,
    version: u32,
}

/// What the queue asks of those who know the counts.
pub(super) trait Counts {
    /// The standing of a pair as it is now, which is put in next; `None` if it may not be merged.
    fn standing(&mut self, pair: PairIndex) -> Option<Standing>;
    /// The count of a symbol, above 0 if a pair of it may be merged.
    fn count(&self, symbol: u32) -> u64;
}

/// The queue of all pairs.
#[derive(Default)]
pub(super) struct Queue {
    owners: Vec<Owner>,
    best: BinaryHeap<Best>,
    /// By pair: how many items it has had.
    versions: Vec<u32>,
}

impl Queue {
    /// Put in a pair of `owner` which has moved up to `standing`, or is new.
    pub(super) fn push(&mut self, owner: u32, pair: PairIndex, standing: Standing, counts: &impl Counts) {
        if self.owners.len() <= owner as usize {
            self.owners.resize_with(owner as usize + 1, Owner::default);
        }
        let version = self.next_version(pair);
        let pairs = &mut self.owners[owner as usize].pairs;
        pairs.push(Item { standing, pair, version });
        if pairs.peek().is_some_and(|item| item.pair == pair && item.version == version) {
            self.push_best(owner, standing, counts);
        }
    }

    /// Note that the count of a symbol has fallen.
    pub(super) fn raise(&mut self, owner: u32, counts: &mut impl Counts) {
        if let Some((standing, _)) = self.best_of(owner, counts) {
            self.push_best(owner, standing, counts);
        }
    }

    /// The pair with the highest score; of equal ones that with the earliest place.
    pub(super) fn pop(&mut self, counts: &mut impl Counts) -> Option<PairIndex> {
        loop {
            let Best { score, first, owner, version } = self.best.pop()?;
            if version != self.owners[owner as usize].version {
                continue;
            }
            let Some((standing, pair)) = self.best_of(owner, counts) else { continue };
            let count = counts.count(owner);
            if (standing, count) == (Standing { ratio: score.ratio, first }, score.owner) {
                self.owners[owner as usize].pairs.pop();
                // What stands behind it is put in before the next pop: a merge lowers the count of the owner.
                return Some(pair);
            }
            self.push_best(owner, standing, counts);
        }
    }

    fn push_best(&mut self, owner: u32, Standing { ratio, first }: Standing, counts: &impl Counts) {
        let version = &mut self.owners[owner as usize].version;
        *version = version.wrapping_add(1);
        let score = Score::new(ratio, counts.count(owner));
        self.best.push(Best { score, first, owner, version: *version });
    }

    /// The first pair of an owner; items that are no longer true are corrected on the way.
    fn best_of(&mut self, owner: u32, counts: &mut impl Counts) -> Option<(Standing, PairIndex)> {
        loop {
            let pairs = &mut self.owners.get_mut(owner as usize)?.pairs;
            let item = pairs.peek_mut()?;
            let (pair, standing) = (item.pair, item.standing);
            if item.version != self.versions[pair as usize] {
                std::collections::binary_heap::PeekMut::pop(item);
                continue;
            }
            match counts.standing(pair) {
                Some(now) if now == standing => return Some((standing, pair)),
                now => {
                    std::collections::binary_heap::PeekMut::pop(item);
                    if let Some(standing) = now {
                        let version = self.next_version(pair);
                        self.owners[owner as usize].pairs.push(Item { standing, pair, version });
                    }
                }
            }
        }
    }

    fn next_version(&mut self, pair: PairIndex) -> u32 {
        if self.versions.len() <= pair as usize {
            self.versions.resize(pair as usize + 1, 0);
        }
        let version = &mut self.versions[pair as usize];
        *version = version.wrapping_add(1);
        *version
    }
}
