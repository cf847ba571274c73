//! The `n` best paths of a lattice in the very order of the reference, ties included, which training depends on.
//!
//! A* from the end of the text: the estimate for what is missing is the best way there, so it is exact. Partial paths of equal
//! value come out as the reference's heap has it: four children a node; what is put in rises past its equals; what is taken out
//! is replaced by the last one, which sinks to the bottom and then rises again.
//! Source: Hart, Nilsson and Raphael 1968, "A Formal Basis for the Heuristic Determination of Minimum Cost Paths"; the order of
//! ties as observed in tokenizers 0.23.3.

use super::lattice::{Lattice, Path};

/// The tail of a path: a node and what follows it.
#[derive(Clone, Copy, Debug)]
struct Tail {
    /// `None` for the start of the text, at which a path is complete.
    node: Option<u32>,
    /// Index of the rest among the tails that were taken out; `None` behind the last node.
    next: Option<u32>,
    /// Sum of the scores of the tail.
    score: f64,
    /// The same with the best way to its start.
    estimate: f64,
}

const CHILDREN: usize = 4;

#[derive(Debug, Default)]
struct Agenda(Vec<Tail>);

impl Agenda {
    fn push(&mut self, tail: Tail) {
        self.0.push(tail);
        self.rise(self.0.len() - 1);
    }

    fn pop(&mut self) -> Option<Tail> {
        if self.0.is_empty() {
            return None;
        }
        let top = self.0.swap_remove(0);
        let mut at = 0;
        loop {
            let children = at * CHILDREN + 1..(at * CHILDREN + 1 + CHILDREN).min(self.0.len());
            let estimate = |i: usize| self.0[i].estimate;
            let Some(largest) = children.reduce(|best, i| if estimate(i) > estimate(best) { i } else { best }) else {
                break;
            };
            self.0.swap(at, largest);
            at = largest;
        }
        if !self.0.is_empty() {
            self.rise(at);
        }
        Some(top)
    }

    fn rise(&mut self, mut at: usize) {
        while at > 0 {
            let parent = (at - 1) / CHILDREN;
            if self.0[parent].estimate > self.0[at].estimate {
                break;
            }
            self.0.swap(at, parent);
            at = parent;
        }
    }
}

impl Lattice {
    /// The `n` best paths in the order of the reference. For short texts (the entries of a vocabulary) and small `n`: where
    /// many paths are equal, the agenda may grow with their number; [`Self::n_best`] has no such case.
    pub fn n_best_by_agenda(&self, n: usize) -> Vec<Path> {
        let ways = self.best_ways();
        let mut agenda = Agenda::default();
        let mut taken: Vec<Tail> = Vec::new();
        let mut paths = Vec::new();
        let mut tail = Some(Tail { node: None, next: None, score: 0.0, estimate: 0.0 });
        let mut end = self.length(); // of the text, then the start of each tail
        while let Some(this) = tail.filter(|_| paths.len() < n) {
            let is_complete = this.node.is_none() && !taken.is_empty();
            if is_complete {
                let rest = |next: Option<u32>| next.map(|i| taken[i as usize]);
                let tails = std::iter::successors(rest(this.next), |t| rest(t.next));
                paths.push(Path { score: this.score, nodes: tails.filter_map(|t| t.node).collect() });
            } else {
                let next = Some(taken.len() as u32);
                taken.push(this);
                let before = |estimate: f64, score: f64, node| Tail {
                    node,
                    next,
                    score: score + this.score,
                    estimate: estimate + this.score,
                };
                if end == 0 {
                    agenda.push(before(0.0, 0.0, None));
                }
                for &index in self.ending_at(end) {
                    let node = self.nodes()[index as usize];
                    agenda.push(before(ways.scores[node.start as usize] + node.score, node.score, Some(index)));
                }
            }
            tail = agenda.pop();
            end = tail.and_then(|t| t.node).map_or(0, |node| self.nodes()[node as usize].start);
        }
        paths
    }
}
