//! The best way to cut a text into entries.
//!
//! Sums are taken from the left, and of equal sums the one whose last entry is the longest stays: a later one has to be
//! strictly better.

use super::pieces::PieceTrie;
use crate::models::trie::ROOT;
use crate::steps;

/// The node that stands for an unknown character.
const UNKNOWN: u32 = u32::MAX;

/// The best way to the end of a prefix of the text.
#[derive(Clone, Copy, Debug)]
struct Cell {
    score: f64,
    /// Where its last entry starts.
    start: u32,
    /// Node of its last entry.
    node: u32,
}

const UNREACHED: Cell = Cell { score: f64::NEG_INFINITY, start: 0, node: UNKNOWN };

/// One entry, or one unknown character, of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Id of the entry; `None` for an unknown character.
    pub id: Option<u32>,
}

/// Working memory of the search, kept between texts.
#[derive(Debug, Default)]
pub struct ViterbiScratch {
    cells: Vec<Cell>,
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Sum of the scores of the path.
    pub score: f64,
    /// Start of the last unknown character on the best way to some prefix, be it or not on the path.
    pub unknown: Option<u32>,
}

impl PieceTrie {
    /// Find the best path through `text`: its score is returned, its steps are appended to `path` from the *last* to the first.
    pub fn best_path(&self, text: &str, scratch: &mut ViterbiScratch, path: &mut Vec<Step>) -> Found {
        let unknown = self.fill(text.as_bytes(), &mut scratch.cells);
        let cells = &scratch.cells;
        let mut end = text.len() as u32;
        while end > 0 {
            steps::count(1);
            let Cell { start, node, .. } = cells[end as usize];
            let id = (node != UNKNOWN).then(|| self.ids[node as usize]);
            path.push(Step { start, end, id });
            end = start;
        }
        Found { score: cells[text.len()].score, unknown }
    }

    /// Fill the cells from the left. Cost: for each character a walk down the trie, at most as long as the longest entry.
    fn fill(&self, text: &[u8], cells: &mut Vec<Cell>) -> Option<u32> {
        let unknown_score = self.unknown_score();
        let nodes = self.nodes.as_slice();
        let root_base = nodes[ROOT as usize].base;
        let mut unknown = None;
        cells.clear();
        cells.resize(text.len() + 1, UNREACHED);
        cells[0].score = 0.0;
        let mut start = 0;
        while start < text.len() {
            let here = cells[start].score;
            let from = start as u32;
            let (mut at, mut base) = (ROOT, root_base);
            let mut step = |byte: u8| {
                steps::count(1);
                let next = base ^ u32::from(byte);
                let node = nodes[next as usize];
                let is_child = node.check == at;
                (at, base) = (next, node.base);
                is_child.then_some((next, node.score))
            };
            let (character, rest) = text[start..].split_at(width(text[start]));
            let after = start + character.len();
            let Some((reached, behind)) = cells[after..].split_first_mut() else { break }; // there is one more than bytes
            // No entry ends within a character.
            let mut entry = Some((ROOT, f64::NEG_INFINITY));
            for &byte in character {
                entry = entry.and_then(|_| step(byte));
            }
            match entry {
                Some((node, score)) if score > f64::NEG_INFINITY => {
                    let score = here + score;
                    if score > reached.score {
                        *reached = Cell { score, start: from, node };
                    }
                }
                _ => {
                    let score = here + unknown_score;
                    if score > reached.score {
                        *reached = Cell { score, start: from, node: UNKNOWN };
                        unknown = Some(from);
                    }
                }
            }
            if entry.is_some() {
                for (&byte, cell) in rest.iter().zip(behind) {
                    let Some((node, score)) = step(byte) else { break };
                    let score = here + score;
                    if score > cell.score {
                        *cell = Cell { score, start: from, node };
                    }
                }
            }
            start = after;
        }
        unknown
    }
}

/// Bytes of the character that starts with this one.
pub(super) fn width(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    }
}
