//! How often each piece is expected in a word: the sum over all its segmentations, by forward and backward sums.
//!
//! Weights are probabilities times `exp(gain)` for each character, which keeps sums near 1 and changes no result, since all
//! segmentations of a word have the same characters. Where sums of a word leave the range in which nothing is lost, it is
//! done in logarithms.

use super::pieces::Pieces;

/// As long as the sums from the right are between this and its inverse, nothing is lost: what underflows on the way from the left is
/// below 1e-60 of the whole.
const LARGE: f64 = 1e120;
/// Positions between two looks at whether to go on.
pub(super) const STRIDE: usize = 1 << 16;

/// Working memory.
#[derive(Default)]
pub(super) struct Sums {
    forward: Vec<f64>,
    backward: Vec<f64>,
}

/// What an unknown character counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unknown {
    /// The logarithm of its probability.
    pub(super) score: f64,
    /// Its probability times the gain of one character.
    pub(super) weight: f64,
}

/// The values of the links are weights.
pub(super) struct Weighted<'a> {
    pub(super) pieces: &'a Pieces,
    pub(super) unknown: Unknown,
    pub(super) gain: f64,
}

impl Weighted<'_> {
    /// Add how often each piece is expected in the word at `range`, `count` times, to `expected`. Returns the logarithm of the
    /// probability of the word. `goes_on` is asked now and then; after a no the result is of no use.
    pub(super) fn add(
        &self,
        range: std::ops::Range<usize>,
        count: f64,
        sums: &mut Sums,
        expected: &mut [f64],
        goes_on: &impl Fn() -> bool,
    ) -> f64 {
        let n = range.len();
        for cells in [&mut sums.forward, &mut sums.backward] {
            cells.clear();
            cells.resize(n + 1, 0.0);
        }
        match self.backward(range.start, &mut sums.backward, goes_on) {
            Some(total) => {
                self.forward(range.start, count / total, sums, expected, goes_on);
                total.ln() - self.gain * n as f64
            }
            None => self.add_by_logarithms(range.start, count, sums, expected, goes_on),
        }
    }

    /// Sums over all ways from each position to the end. `None` if one is out of range.
    fn backward(&self, start: usize, backward: &mut [f64], goes_on: &impl Fn() -> bool) -> Option<f64> {
        let n = backward.len() - 1;
        backward[n] = 1.0;
        for i in (0..n).rev() {
            let mut sum = 0.0;
            let mut shortest = 0;
            for (_, link) in self.pieces.matches(start + i) {
                sum += link.value * backward[i + link.length as usize];
                shortest = link.length;
            }
            if shortest != 1 {
                sum += self.unknown.weight * backward[i + 1];
            }
            if !(LARGE.recip()..LARGE).contains(&sum) || (i % STRIDE == STRIDE - 1 && !goes_on()) {
                return None;
            }
            backward[i] = sum;
        }
        Some(backward[0])
    }

    /// Sums over all ways to each position, and with them the expected counts; `scale` is the count by the sum of all.
    fn forward(&self, start: usize, scale: f64, sums: &mut Sums, expected: &mut [f64], goes_on: &impl Fn() -> bool) {
        let Sums { forward, backward } = sums;
        forward[0] = 1.0;
        for i in 0..forward.len() - 1 {
            let here = forward[i];
            let scaled = here * scale;
            let mut shortest = 0;
            for (piece, link) in self.pieces.matches(start + i) {
                let end = i + link.length as usize;
                forward[end] += here * link.value;
                expected[piece as usize] += scaled * link.value * backward[end];
                shortest = link.length;
            }
            if shortest != 1 {
                forward[i + 1] += here * self.unknown.weight;
            }
            if i % STRIDE == STRIDE - 1 && !goes_on() {
                return;
            }
        }
    }

    /// The same with logarithms of sums.
    fn add_by_logarithms(
        &self,
        start: usize,
        count: f64,
        sums: &mut Sums,
        expected: &mut [f64],
        goes_on: &impl Fn() -> bool,
    ) -> f64 {
        let Self { pieces, unknown, .. } = self;
        let Sums { forward, backward } = sums;
        let n = backward.len() - 1;
        let score = |piece: u32| pieces.scores[piece as usize];
        backward[n] = 0.0;
        for i in (0..n).rev() {
            let mut sum = f64::NEG_INFINITY;
            let mut shortest = 0;
            for (piece, link) in pieces.matches(start + i) {
                sum = log_sum(sum, score(piece) + backward[i + link.length as usize]);
                shortest = link.length;
            }
            if shortest != 1 {
                sum = log_sum(sum, unknown.score + backward[i + 1]);
            }
            backward[i] = sum;
            if i % STRIDE == STRIDE - 1 && !goes_on() {
                return 0.0;
            }
        }
        let total = backward[0];
        forward.fill(f64::NEG_INFINITY);
        forward[0] = 0.0;
        for i in 0..n {
            let here = forward[i];
            let mut shortest = 0;
            for (piece, link) in pieces.matches(start + i) {
                let end = i + link.length as usize;
                let there = here + score(piece);
                forward[end] = log_sum(forward[end], there);
                expected[piece as usize] += count * (there + backward[end] - total).exp();
                shortest = link.length;
            }
            if shortest != 1 {
                forward[i + 1] = log_sum(forward[i + 1], here + unknown.score);
            }
            if i % STRIDE == STRIDE - 1 && !goes_on() {
                return 0.0;
            }
        }
        total
    }
}

/// `ln(exp(a) + exp(b))`; what is more than 50 below the other would not change its digits.
fn log_sum(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if high > low + 50.0 { high } else { high + (low - high).exp().ln_1p() }
}
