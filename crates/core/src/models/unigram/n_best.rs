//! The `n` best paths of a lattice.
//!
//! Every path but the best one leaves an earlier one somewhere (seen from the end) and goes on from there along the best way
//! to that place, so each is made exactly once, from its parent. Only the best `n` that are waiting are kept: memory is
//! O(n) beside the paths, time O(n · nodes · log n).
//! Source: Eppstein 1998, "Finding the k Shortest Paths" (side tracks off the tree of best ways), without the heaps.

use super::lattice::{Lattice, Path};
use crate::steps;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// A path that is known by the node with which it leaves its parent.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    score: f64,
    /// Order in which they were found; of equal scores the first comes first.
    number: u64,
    parent: usize,
    node: u32,
    /// Sum of the scores from `node` to the end.
    rest: f64,
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}

impl Lattice {
    /// The `n` best paths, best first; fewer if there are no more. The first is that of [`Self::best_ways`].
    pub fn n_best(&self, n: usize) -> Vec<Path> {
        if n == 0 {
            return Vec::new();
        }
        let ways = self.best_ways();
        let mut waiting: BTreeSet<Waiting> = BTreeSet::new();
        let mut number = 0;
        let mut paths: Vec<Path> = Vec::new();
        let mut leaving = Waiting { score: ways.scores[self.length() as usize], number, parent: 0, node: 0, rest: 0.0 };
        loop {
            // The part behind the place where the parent is left, from the last node to the first; then the best way there.
            let mut nodes: Vec<u32> = Vec::new();
            let mut at = self.length();
            if let Some(parent) = paths.get(leaving.parent) {
                let left_at = self.nodes()[leaving.node as usize].end;
                let behind = |&&node: &&u32| self.nodes()[node as usize].start >= left_at;
                nodes.extend(parent.nodes.iter().rev().take_while(behind));
                nodes.push(leaving.node);
                at = self.nodes()[leaving.node as usize].start;
            }
            let mut rest = leaving.rest;
            let room = n - paths.len() - 1;
            while at > 0 {
                steps::count(1 + self.ending_at(at).len());
                let best = ways.nodes[at as usize];
                for &node in self.ending_at(at).iter().filter(|&&node| node != best) {
                    number += 1;
                    let rest = rest + self.nodes()[node as usize].score;
                    let score = ways.scores[self.nodes()[node as usize].start as usize] + rest;
                    waiting.insert(Waiting { score, number, parent: paths.len(), node, rest });
                    if waiting.len() > room {
                        waiting.pop_last();
                    }
                }
                nodes.push(best);
                rest += self.nodes()[best as usize].score;
                at = self.nodes()[best as usize].start;
            }
            steps::count(nodes.len());
            nodes.reverse();
            paths.push(Path { score: leaving.score, nodes });
            match waiting.pop_first() {
                Some(next) if paths.len() < n => leaving = next,
                _ => return paths,
            }
        }
    }
}
