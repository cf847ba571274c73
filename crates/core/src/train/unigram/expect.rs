//! How often each piece is expected in a word: the sum over all its segmentations, by forward and backward sums.
//!
//! Weights are probabilities times `exp(gain)` for each character, which keeps sums near 1 and changes no result, since all
//! segmentations of a word have the same characters. Where sums of a long word leave the range in which nothing is lost, a new
//! level begins, with a power of two of its own: sums from the right are divided by it, sums from the left are multiplied, and
//! a link from one level to another is multiplied by the quotient of their powers. So the product of a sum from the left, a weight and
//! a sum from the right is the same everywhere, and has one divisor.

use std::ops::Range;

use super::levels::{Levels, Wide, log2};
use super::pieces::{Link, Pieces};
use super::window::Window;

#[cfg(test)]
mod tests;

/// As long as the sums from the right are between this and its inverse, nothing is lost: what underflows on the way from the left is
/// below 1e-60 of the whole.
const LARGE: f64 = 1e120;
/// Positions between two looks at whether to go on.
pub(super) const STRIDE: usize = 1 << 16;
/// A score below this counts as this: the sum of so many for as many characters as there can be is an exponent of 64 bits.
const LOWEST: f64 = -536_870_912.0;

/// Working memory.
pub(super) struct Sums {
    forward: Window,
    /// By position of the word.
    backward: Vec<f64>,
    levels: Levels,
}

impl Sums {
    /// Memory for links of up to `longest` characters.
    pub(super) fn new(longest: usize) -> Self {
        Self { forward: Window::new(longest, 0.0), backward: Vec::new(), levels: Levels::new(longest) }
    }
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
        range: Range<usize>,
        count: f64,
        sums: &mut Sums,
        expected: &mut [f64],
        goes_on: &impl Fn() -> bool,
    ) -> f64 {
        let n = range.len();
        let Sums { forward, backward, levels } = sums;
        if backward.len() <= n {
            backward.resize(n + 1, 0.0);
        }
        backward[n] = 1.0;
        if n > STRIDE || self.backward_part::<false>(range.clone(), backward, levels).is_some() {
            return self.add_long(range, count, sums, expected, goes_on);
        }
        let total = backward[0];
        forward.start(n, 1.0);
        self.forward_part::<false>(range, count / total, forward.ahead().0, backward, levels, expected);
        total.ln() - self.gain * n as f64
    }

    /// The same for words that need several levels, or questions on the way.
    #[inline(never)]
    fn add_long(
        &self,
        range: Range<usize>,
        count: f64,
        sums: &mut Sums,
        expected: &mut [f64],
        goes_on: &impl Fn() -> bool,
    ) -> f64 {
        if !self.backward(range.clone(), sums, goes_on) {
            return 0.0;
        }
        let n = range.len() as f64;
        let (total, exponent) = (sums.backward[0], sums.levels.exponent());
        self.forward(range, count / total, sums, expected, goes_on);
        total.ln() - self.gain * n + exponent as f64 * std::f64::consts::LN_2
    }

    /// Sums over all ways from each position to the end. Returns whether it went on to the start.
    fn backward(&self, range: Range<usize>, sums: &mut Sums, goes_on: &impl Fn() -> bool) -> bool {
        let Sums { backward, levels, .. } = sums;
        levels.start(range.end);
        let mut done = range.end;
        while done > range.start {
            let is_across = done > levels.border();
            let from = if is_across { levels.border() } else { range.start };
            let from = from.max(range.start).max(done.saturating_sub(STRIDE));
            let sums = &mut backward[from - range.start..];
            let odd = if is_across {
                self.backward_part::<true>(from..done, sums, levels)
            } else {
                self.backward_part::<false>(from..done, sums, levels)
            };
            if let Some(position) = odd {
                let sums = &mut sums[position - from..];
                sums[0] = self.begin_level(position, sums, levels);
            }
            done = odd.unwrap_or(from);
            if done > range.start && !goes_on() {
                return false;
            }
        }
        true
    }

    /// The same for some positions of the leftmost level; `sums` begins with the first of them. `ACROSS`: whether their links
    /// can lead into another level. Returns the position where it left off, as the sum there is out of range.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "calls took 3 % more instructions of a training on English words")]
    fn backward_part<const ACROSS: bool>(
        &self,
        positions: Range<usize>,
        sums: &mut [f64],
        levels: &Levels,
    ) -> Option<usize> {
        let last = levels.last();
        for (at, position) in positions.enumerate().rev() {
            let mut sum = 0.0;
            let mut shortest = 0;
            for (piece, link) in self.pieces.matches(position) {
                let length = link.length as usize;
                let is_across = ACROSS && position + length > last;
                let weight = if is_across { self.across(piece, link, position, levels) } else { link.value };
                sum += weight * sums[at + length];
                shortest = link.length;
            }
            if shortest != 1 {
                sum += self.unknown.weight * sums[at + 1];
            }
            if !(LARGE.recip()..LARGE).contains(&sum) {
                return Some(position);
            }
            sums[at] = sum;
        }
        None
    }

    /// Sums over all ways to each position, and with them the expected counts; `scale` is the count by the sum of all.
    fn forward(
        &self,
        range: Range<usize>,
        scale: f64,
        sums: &mut Sums,
        expected: &mut [f64],
        goes_on: &impl Fn() -> bool,
    ) {
        let Sums { forward, backward, levels } = sums;
        forward.start(range.len(), 1.0);
        let mut from = range.start;
        while from < range.end {
            if from > levels.last() {
                levels.end();
            }
            let (ahead, most) = forward.ahead();
            let backward = &backward[from - range.start..];
            let is_across = from >= levels.border();
            let to = if is_across { levels.last() + 1 } else { levels.border() };
            let to = to.min(range.end).min(from + most);
            if is_across {
                self.forward_part::<true>(from..to, scale, ahead, backward, levels, expected);
            } else {
                self.forward_part::<false>(from..to, scale, ahead, backward, levels, expected);
            }
            forward.advance(to - from);
            from = to;
            if from < range.end && !goes_on() {
                return;
            }
        }
    }

    /// The same for some positions of the leftmost level; `forward` and `backward` begin with the first of them.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as above")]
    fn forward_part<const ACROSS: bool>(
        &self,
        positions: Range<usize>,
        scale: f64,
        forward: &mut [f64],
        backward: &[f64],
        levels: &Levels,
        expected: &mut [f64],
    ) {
        let last = levels.last();
        for (at, position) in positions.enumerate() {
            let here = forward[at];
            let scaled = here * scale;
            let mut shortest = 0;
            for (piece, link) in self.pieces.matches(position) {
                let length = link.length as usize;
                let is_across = ACROSS && position + length > last;
                let weight = if is_across { self.across(piece, link, position, levels) } else { link.value };
                forward[at + length] += here * weight;
                expected[piece as usize] += scaled * weight * backward[at + length];
                shortest = link.length;
            }
            if shortest != 1 {
                let is_across = ACROSS && position == last;
                let weight = if is_across { self.unknown_across(position, levels) } else { self.unknown.weight };
                forward[at + 1] += here * weight;
            }
        }
    }

    /// The weight of a link from a position of the leftmost level into another one. It overflows only where the level has to end: it
    /// is at most the quotient of the sums at its ends.
    #[cold]
    fn across(&self, piece: u32, link: Link, position: usize, levels: &Levels) -> f64 {
        let end = position + link.length as usize;
        self.weight(piece, link).times_power(levels.exponent_at(end) - levels.exponent())
    }

    /// The same for an unknown character.
    #[cold]
    fn unknown_across(&self, position: usize, levels: &Levels) -> f64 {
        self.unknown_weight().times_power(levels.exponent_at(position + 1) - levels.exponent())
    }

    /// Begin a level at a position, with an exponent that makes the largest term of its sum about 1. Returns the sum; `sums`
    /// begins with the position.
    #[cold]
    fn begin_level(&self, position: usize, sums: &[f64], levels: &mut Levels) -> f64 {
        let mut terms = Vec::new();
        let mut shortest = 0;
        for (piece, link) in self.pieces.matches(position) {
            terms.push((self.weight(piece, link), link.length as usize));
            shortest = link.length;
        }
        if shortest != 1 {
            terms.push((self.unknown_weight(), 1));
        }
        let exponent_behind = |length: usize| levels.exponent_at(position + length);
        let size = |&(weight, length): &(Wide, usize)| weight.exponent + log2(sums[length]) + exponent_behind(length);
        let exponent = terms.iter().map(size).max().unwrap_or(0);
        let term =
            |&(weight, length): &(Wide, usize)| weight.times_power(exponent_behind(length) - exponent) * sums[length];
        let sum = terms.iter().map(term).sum();
        levels.begin(position, exponent);
        sum
    }

    fn weight(&self, piece: u32, link: Link) -> Wide {
        let score = self.pieces.scores[piece as usize].max(LOWEST);
        Wide::exp(link.value, score + self.gain * f64::from(link.length))
    }

    fn unknown_weight(&self) -> Wide {
        Wide::exp(self.unknown.weight, self.unknown.score.max(LOWEST) + self.gain)
    }
}
