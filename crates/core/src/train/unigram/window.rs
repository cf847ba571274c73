//! Numbers by position of a word, of which those within reach of the longest link alone are kept.

use super::expect::STRIDE;

/// The numbers of the position at hand and of those behind it.
pub(super) struct Window {
    cells: Vec<f64>,
    /// Where the position at hand is in `cells`.
    at: usize,
    /// Characters of the longest link.
    longest: usize,
    /// What a position has at first.
    blank: f64,
}

impl Window {
    /// For links of up to `longest` characters.
    pub(super) fn new(longest: usize, blank: f64) -> Self {
        Self { cells: Vec::new(), at: 0, longest, blank }
    }

    /// Go to the start of a word of `n` characters, which has the number `first`.
    pub(super) fn start(&mut self, n: usize, first: f64) {
        self.at = 0;
        self.cells.clear();
        self.cells.resize(n.min(self.turn() + self.longest) + 1, self.blank);
        self.cells[0] = first;
    }

    /// The numbers from the position at hand on, and for how many positions they reach far enough: at most [`STRIDE`].
    pub(super) fn ahead(&mut self) -> (&mut [f64], usize) {
        let most = (self.turn() - self.at).min(STRIDE);
        (&mut self.cells[self.at..], most)
    }

    /// Go on by so many positions, no more than that.
    pub(super) fn advance(&mut self, positions: usize) {
        self.at += positions;
        let turn = self.turn();
        if self.at == turn {
            self.cells.copy_within(turn.., 0);
            let kept = self.cells.len() - turn;
            self.cells[kept..].fill(self.blank);
            self.at = 0;
        }
    }

    /// After so many positions the numbers move to the front, which are no more than that.
    fn turn(&self) -> usize {
        self.longest.max(STRIDE)
    }
}
