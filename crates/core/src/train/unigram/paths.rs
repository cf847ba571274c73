//! Best segmentations: of all words, for how often each piece is used, and of single pieces, for what would stand in for them.

use std::ops::Range;

use super::pieces::{NONE, Pieces};
use super::window::Window;
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
    /// Of a word: the scores of the best ways.
    scores: Window,
    /// By position of a word: the last piece of the best way there, and its length.
    last_steps: Vec<(u32, u32)>,
    /// By position of a piece.
    cells: Vec<Cell>,
    lattice: Lattice,
    /// What would stand in for the last piece, [`NONE`] for an unknown character.
    pub(super) path: Vec<u32>,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(pieces: &'a Pieces) -> Self {
        Self {
            pieces,
            unknown_score: pieces.unknown_score(),
            scores: Window::new(pieces.longest_length(), f64::NEG_INFINITY),
            last_steps: Vec::new(),
            cells: Vec::new(),
            lattice: Lattice::default(),
            path: Vec::new(),
        }
    }

    /// Find the best segmentation of a word, and tell its pieces, [`NONE`] for an unknown character, from the last to the first.
    /// Of equal ones that is it which was found first, from the left. `goes_on` is asked now and then; after a no nothing is told.
    pub(super) fn word(&mut self, range: Range<usize>, goes_on: &impl Fn() -> bool, mut tell: impl FnMut(u32)) {
        let n = range.len();
        self.last_steps.clear();
        self.last_steps.resize(n + 1, (NONE, 1));
        self.scores.start(n, 0.0);
        let mut from = 0;
        while from < n {
            let (scores, most) = self.scores.ahead();
            let to = (from + most).min(n);
            let steps = &mut self.last_steps[from..];
            extend(self.pieces, self.unknown_score, range.start + from..range.start + to, scores, steps);
            self.scores.advance(to - from);
            from = to;
            if from < n && !goes_on() {
                return;
            }
        }
        let mut end = n;
        while end > 0 {
            let (piece, length) = self.last_steps[end];
            tell(piece);
            end -= length as usize;
        }
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

/// Go on from some positions by all pieces; `scores` and `steps` begin with the first of them.
fn extend(pieces: &Pieces, unknown_score: f64, positions: Range<usize>, scores: &mut [f64], steps: &mut [(u32, u32)]) {
    for (at, position) in positions.enumerate() {
        let here = scores[at];
        let mut shortest = 0;
        for (piece, link) in pieces.matches(position) {
            let end = at + link.length as usize;
            let score = here + link.value;
            if score > scores[end] {
                scores[end] = score;
                steps[end] = (piece, link.length);
            }
            shortest = link.length;
        }
        if shortest != 1 && here + unknown_score > scores[at + 1] {
            scores[at + 1] = here + unknown_score;
            steps[at + 1] = (NONE, 1);
        }
    }
}
