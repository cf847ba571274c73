//! All ways to cut a text into entries: best paths, random paths, expected counts.
//!
//! Positions are bytes. At a character that no entry of that one character stands for, an unknown one does, as in
//! [`PieceTrie::best_path`].

use super::pieces::PieceTrie;
use super::viterbi::{Step, width};
use crate::steps;

/// The id of an unknown character in a lattice.
pub const UNKNOWN: u32 = u32::MAX;

/// An entry where it matches the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Id of the entry, or [`UNKNOWN`].
    pub id: u32,
    /// Its score.
    pub score: f64,
}

impl Node {
    /// The node as a step of a path.
    pub fn step(self) -> Step {
        Step { start: self.start, end: self.end, id: (self.id != UNKNOWN).then_some(self.id) }
    }
}

/// A path and its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Sum of the scores.
    pub score: f64,
    /// Indices of nodes, from the first to the last.
    pub nodes: Vec<u32>,
}

/// The best way to each position.
#[derive(Clone, Debug, Default)]
pub struct BestWays {
    /// By position; minus infinity where none leads.
    pub scores: Vec<f64>,
    /// By position: the last node of the way.
    pub nodes: Vec<u32>,
}

/// See the module. One is filled again for each text, and keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Lattice {
    length: u32,
    /// By start, then by end.
    nodes: Vec<Node>,
    /// Indices of nodes by end, then by start.
    by_end: Vec<u32>,
    /// By position: where its nodes begin in `by_end`; one more at the end.
    ends: Vec<u32>,
}

impl Lattice {
    /// Make it the lattice of `text`.
    pub fn fill(&mut self, trie: &PieceTrie, text: &str) {
        let bytes = text.as_bytes();
        self.length = bytes.len() as u32;
        self.nodes.clear();
        let mut start = 0;
        while start < bytes.len() {
            let after = (start + width(bytes[start])) as u32;
            let from = start as u32;
            let first = self.nodes.len();
            self.nodes.extend(trie.matches(&bytes[start..]).map(|m| Node {
                start: from,
                end: from + m.length,
                id: m.id,
                score: m.score,
            }));
            if self.nodes.get(first).is_none_or(|n| n.end != after) {
                let unknown = Node { start: from, end: after, id: UNKNOWN, score: trie.unknown_score() };
                self.nodes.insert(first, unknown);
            }
            start = after as usize;
        }
        self.order_by_end();
    }

    /// Make it the lattice of these nodes, which stand in the order of their starts, then of their ends.
    pub fn set_nodes(&mut self, length: u32, nodes: Vec<Node>) {
        self.length = length;
        self.nodes = nodes;
        self.order_by_end();
    }

    fn order_by_end(&mut self) {
        let Self { length, nodes, by_end, ends } = self;
        ends.clear();
        ends.resize(*length as usize + 2, 0);
        steps::count(ends.len() + 2 * nodes.len());
        for node in &*nodes {
            ends[node.end as usize + 1] += 1;
        }
        for i in 1..ends.len() {
            ends[i] += ends[i - 1];
        }
        by_end.clear();
        by_end.resize(nodes.len(), 0);
        for (i, node) in nodes.iter().enumerate() {
            let at = &mut ends[node.end as usize];
            by_end[*at as usize] = i as u32;
            *at += 1;
        }
        // Each entry now is where the next position begins.
        ends.rotate_right(1);
        ends[0] = 0;
    }

    /// Length of the text in bytes.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// The nodes by start, then by end.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Indices of the nodes that end at a position, by start.
    pub fn ending_at(&self, position: u32) -> &[u32] {
        let at = position as usize;
        &self.by_end[self.ends[at] as usize..self.ends[at + 1] as usize]
    }

    /// The best way to each position; of equal ones that with the longest last node.
    pub fn best_ways(&self) -> BestWays {
        let mut ways = BestWays {
            scores: vec![f64::NEG_INFINITY; self.length as usize + 1],
            nodes: vec![UNKNOWN; self.length as usize + 1],
        };
        ways.scores[0] = 0.0;
        for (i, node) in self.nodes.iter().enumerate() {
            let score = ways.scores[node.start as usize] + node.score;
            if score > ways.scores[node.end as usize] {
                ways.scores[node.end as usize] = score;
                ways.nodes[node.end as usize] = i as u32;
            }
        }
        ways
    }

    /// Logarithms of the sums over all ways to each position, with every step of the sum multiplied by `alpha` once more: what
    /// is reached at `p` counts `alpha * (score + sums[start])`. With `alpha` 1 these are the forward probabilities.
    pub fn forward(&self, alpha: f64, sums: &mut Vec<f64>) {
        sums.clear();
        sums.resize(self.length as usize + 1, f64::NEG_INFINITY);
        sums[0] = 0.0;
        for end in 1..=self.length {
            steps::count(1 + self.ending_at(end).len());
            let terms = self.ending_at(end).iter().map(|&n| self.nodes[n as usize]);
            sums[end as usize] = log_sum_exp(terms.map(|n| alpha * (n.score + sums[n.start as usize])));
        }
    }

    /// Logarithms of the sums over all ways from each position to the end.
    pub fn backward(&self, sums: &mut Vec<f64>) {
        sums.clear();
        sums.resize(self.length as usize + 1, f64::NEG_INFINITY);
        sums[self.length as usize] = 0.0;
        let mut rest = self.nodes.as_slice();
        for start in (0..self.length).rev() {
            let from = rest.partition_point(|n| n.start < start);
            let (before, here) = rest.split_at(from);
            sums[start as usize] = log_sum_exp(here.iter().map(|n| n.score + sums[n.end as usize]));
            rest = before;
        }
    }

    /// How often each node is expected, `weight` times: `add(id, count)` for each of them. Returns the logarithm of the sum over
    /// all paths, `weight` times.
    pub fn add_expected(&self, weight: f64, scratch: &mut [Vec<f64>; 2], mut add: impl FnMut(u32, f64)) -> f64 {
        let [forward, backward] = scratch;
        self.forward(1.0, forward);
        self.backward(backward);
        let total = forward[self.length as usize];
        for node in &self.nodes {
            let (before, behind) = (forward[node.start as usize], backward[node.end as usize]);
            add(node.id, weight * (before + node.score + behind - total).exp());
        }
        weight * total
    }

    /// A path drawn at random, by filtering forward and sampling backward: the last node first, each with a weight of
    /// `exp(sums[start] + alpha * score)`, with the sums of [`Self::forward`].
    pub fn sample(&self, alpha: f64, random: &mut fastrand::Rng) -> Vec<u32> {
        let mut sums = Vec::new();
        self.forward(alpha, &mut sums);
        let mut path = Vec::new();
        let mut weights = Vec::new();
        let mut end = self.length;
        while end > 0 {
            let nodes = self.ending_at(end);
            steps::count(nodes.len());
            weights.clear();
            weights.extend(nodes.iter().map(|&n| {
                let node = self.nodes[n as usize];
                sums[node.start as usize] + alpha * node.score
            }));
            let drawn = nodes[draw(&mut weights, random)];
            path.push(drawn);
            end = self.nodes[drawn as usize].start;
        }
        path.reverse();
        path
    }

    /// One of the `n` best paths, drawn with a weight of `exp(alpha * score)`.
    pub fn sample_of_best(&self, n: usize, alpha: f64, random: &mut fastrand::Rng) -> Vec<u32> {
        let mut paths = self.n_best(n);
        let mut weights: Vec<f64> = paths.iter().map(|path| alpha * path.score).collect();
        match weights.len() {
            0 => Vec::new(),
            _ => paths.swap_remove(draw(&mut weights, random)).nodes,
        }
    }
}

/// The logarithm of the sum of the exponentials, added up one by one. A term that is more than 50 below the sum so far (or the
/// other way round) is left out: it would not change its digits.
fn log_sum_exp(terms: impl Iterator<Item = f64>) -> f64 {
    let add = |x: f64, y: f64| {
        let (low, high) = if x > y { (y, x) } else { (x, y) };
        if high > low + 50.0 || high.is_infinite() { high } else { high + ((low - high).exp() + 1.0).ln() }
    };
    terms.reduce(add).unwrap_or(f64::NEG_INFINITY)
}

/// Draw an index with the probabilities that `logarithms` are in proportion to; there is at least one.
fn draw(logarithms: &mut [f64], random: &mut fastrand::Rng) -> usize {
    let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for value in &mut *logarithms {
        // The largest may be infinite, and infinity less itself is no number.
        sum += if *value >= largest { 1.0 } else { (*value - largest).exp() };
        *value = sum;
    }
    let drawn = random.f64() * sum;
    logarithms.partition_point(|&bound| bound <= drawn).min(logarithms.len() - 1)
}
