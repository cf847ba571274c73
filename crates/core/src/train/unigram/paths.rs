//! Best segmentations: of all words, for how often each piece is used, and of single pieces, for what would stand in for them.

use super::expect::STRIDE;
use super::pieces::{NONE, Pieces};
use crate::models::unigram::lattice::{self, Lattice, Node};

/// Sums that are nearer to each other than this may be equal but for the order in which they were added up.
const NEAR: f64 = 1e-9;

/// The best way to a position.
#[derive(Debug, Clone, Copy)]
struct Cell {
    score: f64,
    /// Its last piece, [`NONE`] for an unknown character.
    piece: u32,
    /// Where that starts.
    start: u32,
    /// Whether another way is about as good.
    is_close: bool,
}

const UNREACHED: Cell = Cell { score: f64::NEG_INFINITY, piece: NONE, start: 0, is_close: false };

/// What the best segmentations of a piece say about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Its text is better cut into others.
    Beaten,
    /// Its text cannot be cut into others.
    Needed,
    /// Others could stand in for it; they are the path.
    Replaceable,
}

/// Searches best segmentations. The values of the links are scores.
pub(super) struct Searcher<'a> {
    pieces: &'a Pieces,
    unknown_score: f64,
    cells: Vec<Cell>,
    lattice: Lattice,
    /// The pieces of the last path, [`NONE`] for an unknown character.
    pub(super) path: Vec<u32>,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(pieces: &'a Pieces) -> Self {
        let unknown_score = pieces.unknown_score();
        Self { pieces, unknown_score, cells: Vec::new(), lattice: Lattice::default(), path: Vec::new() }
    }

    /// Find the best segmentation of a word. Of equal ones that stays which was found first, from the left. `goes_on` is
    /// asked now and then; after a no the path is of no use.
    pub(super) fn word(&mut self, range: std::ops::Range<usize>, goes_on: &impl Fn() -> bool) {
        self.cells.clear();
        self.cells.resize(range.len() + 1, UNREACHED);
        self.cells[0].score = 0.0;
        for i in 0..range.len() {
            let here = self.cells[i].score;
            let mut shortest = 0;
            for (piece, link) in self.pieces.matches(range.start + i) {
                let score = here + link.value;
                let cell = &mut self.cells[i + link.length as usize];
                if score > cell.score {
                    *cell = Cell { score, piece, start: i as u32, is_close: false };
                }
                shortest = link.length;
            }
            if shortest != 1 && here + self.unknown_score > self.cells[i + 1].score {
                self.cells[i + 1] =
                    Cell { score: here + self.unknown_score, piece: NONE, start: i as u32, is_close: false };
            }
            if i % STRIDE == STRIDE - 1 && !goes_on() {
                break;
            }
        }
        self.trace();
    }

    /// Read the path off the cells; whether another one is about as good.
    fn trace(&mut self) -> bool {
        self.path.clear();
        let mut at = self.cells.len() - 1;
        let mut is_close = false;
        while at > 0 {
            let cell = self.cells[at];
            self.path.push(cell.piece);
            is_close |= cell.is_close;
            at = cell.start as usize;
        }
        self.path.reverse();
        is_close
    }

    /// Compare a piece with the best segmentation of its text into others.
    pub(super) fn piece(&mut self, piece: u32) -> Role {
        let (own, length) =
            (self.pieces.links[piece as usize].value, self.pieces.links[piece as usize].length as usize);
        if length == 1 {
            return Role::Needed;
        }
        let start = self.pieces.at[piece as usize] as usize;
        self.cells.clear();
        self.cells.resize(length + 1, UNREACHED);
        self.cells[0].score = 0.0;
        for i in 0..length {
            let here = self.cells[i].score;
            let mut reach = |piece, end: usize, score: f64| {
                let cell = &mut self.cells[end];
                let is_close = (score - cell.score).abs() <= NEAR * score.abs().max(1.0);
                if score > cell.score {
                    *cell = Cell { score, piece, start: i as u32, is_close };
                } else {
                    cell.is_close |= is_close;
                }
            };
            let mut shortest = 0;
            for (other, link) in self.pieces.matches(start + i) {
                let end = i + link.length as usize;
                if end <= length && other != piece {
                    reach(other, end, here + link.value);
                }
                shortest = link.length;
            }
            if shortest != 1 {
                reach(NONE, i + 1, here + self.unknown_score);
            }
        }
        let others = self.cells[length].score;
        let is_close = (own - others).abs() <= NEAR * own.abs().max(1.0);
        if !is_close && own < others {
            Role::Beaten
        } else if self.trace() || is_close {
            self.piece_by_agenda(piece)
        } else {
            Role::Replaceable
        }
    }

    /// The same where paths are equal or nearly so: which of them comes first is up to the search of the reference.
    #[cold]
    fn piece_by_agenda(&mut self, piece: u32) -> Role {
        let start = self.pieces.at[piece as usize];
        let length = self.pieces.links[piece as usize].length;
        let mut nodes = Vec::new();
        for i in 0..length {
            let from = nodes.len();
            let mut shortest = 0;
            for (other, link) in self.pieces.matches((start + i) as usize) {
                if i + link.length <= length {
                    nodes.push(Node { start: i, end: i + link.length, id: other, score: link.value });
                }
                shortest = link.length;
            }
            if shortest != 1 {
                nodes.push(Node { start: i, end: i + 1, id: lattice::UNKNOWN, score: self.unknown_score });
            }
            nodes[from..].reverse();
        }
        self.lattice.set_nodes(length, nodes);
        let paths = self.lattice.n_best_by_agenda(2);
        let id = |&node: &u32| self.lattice.nodes()[node as usize].id;
        let is_itself = |path: &lattice::Path| path.nodes.len() == 1 && id(&path.nodes[0]) == piece;
        match &paths[..] {
            [best, ..] if !is_itself(best) => Role::Beaten,
            [_, second] => {
                self.path.clear();
                self.path.extend(second.nodes.iter().map(id));
                Role::Replaceable
            }
            _ => Role::Needed,
        }
    }
}
