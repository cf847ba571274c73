//! Entries with scores as a double-array trie: 16 bytes a node, so that a step down and its score cost one load.

use crate::models::trie::{Layout, ROOT};
use crate::steps;

/// Scores beyond this (far from any logarithm of a probability) count as this in sums, so that no sum of 2^32 of them overflows.
const EXTREME: f64 = 1e290;

/// What an unknown character costs more than the worst entry.
const UNKNOWN_PENALTY: f64 = 10.0;

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) base: u32,
    pub(super) check: u32,
    /// Minus infinity where no entry ends.
    pub(super) score: f64,
}

/// A set of entries; the index of an entry is its id. Of equal entries the last one counts.
#[derive(Clone, Debug)]
pub struct PieceTrie {
    pub(super) nodes: Vec<Node>,
    /// By node: the id of the entry that ends there.
    pub(super) ids: Vec<u32>,
    /// Nodes at which an entry ends.
    ends: Vec<u32>,
    unknown_score: f64,
}

/// An entry that the text begins with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    /// Its length in bytes, at least 1.
    pub length: u32,
    /// Its id.
    pub id: u32,
    /// Its score.
    pub score: f64,
}

impl PieceTrie {
    /// Build it from entries and their scores, all finite.
    pub fn new<'a>(entries: impl IntoIterator<Item = (&'a str, f64)>) -> Self {
        let (texts, scores): (Vec<&str>, Vec<f64>) = entries.into_iter().unzip();
        let Layout { slots, ends } = Layout::new(&texts);
        let node = |s: &crate::models::trie::Slot| Node { base: s.base, check: s.check, score: f64::NEG_INFINITY };
        let mut ids = vec![u32::MAX; slots.len()];
        for &(node, id) in &ends {
            ids[node as usize] = id;
        }
        let mut trie = Self {
            nodes: slots.iter().map(node).collect(),
            ids,
            ends: ends.into_iter().map(|(node, _)| node).collect(),
            unknown_score: 0.0,
        };
        trie.set_scores(&scores);
        trie
    }

    /// Give the entries other scores, by id, all finite.
    ///
    /// # Panics
    /// When there are fewer scores than entries.
    pub fn set_scores(&mut self, scores: &[f64]) {
        for &node in &self.ends {
            let score = scores[self.ids[node as usize] as usize];
            self.nodes[node as usize].score = score.clamp(-EXTREME, EXTREME);
        }
        let worst = scores.iter().copied().fold(f64::INFINITY, f64::min);
        self.unknown_score = (worst - UNKNOWN_PENALTY).clamp(-EXTREME, EXTREME);
    }

    /// The score of a character that no entry stands for.
    pub fn unknown_score(&self) -> f64 {
        self.unknown_score
    }

    /// The entries that `text` begins with, from the shortest to the longest.
    pub fn matches(&self, text: &[u8]) -> impl Iterator<Item = Match> {
        let mut at = ROOT;
        let nodes = text.iter().map_while(move |&byte| {
            steps::count(1);
            let next = self.nodes[at as usize].base ^ u32::from(byte);
            let is_child = self.nodes[next as usize].check == at;
            at = next;
            is_child.then_some(next)
        });
        nodes.enumerate().filter_map(|(i, node)| {
            let score = self.nodes[node as usize].score;
            (score > f64::NEG_INFINITY).then(|| Match { length: i as u32 + 1, id: self.ids[node as usize], score })
        })
    }
}
