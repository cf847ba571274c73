//! Expectation maximization with a sparse prior: how often is each piece expected, and what score follows from that.
//!
//! Source of the step with digamma: Liang and Klein 2007, "Structured Bayesian nonparametric models with variational inference".

use super::corpus::Extent;
use super::crew::{Crew, Watch, blocks};
use super::expect::{Sums, Unknown, Weighted};
use super::pieces::Pieces;
use crate::error::Result;
use crate::train::counts::WordCounts;

/// Positions of a block, about.
const BLOCK: usize = 1 << 17;
/// Most blocks: each costs as much as all pieces, beside its words.
const MOST_BLOCKS: usize = 64;
/// A piece that is expected less often goes.
const LEAST: f64 = 0.5;
/// What a character gains in the first round, about the information that it carries (in nats).
const FIRST_GAIN: f64 = 2.0;
/// Most that a character gains: scores are hardly ever so low that it carries more, and very long pieces keep their digits.
const MOST_GAIN: f64 = 1000.0;

/// The corpus, and how it is gone through.
pub(super) struct Fitting<'a> {
    pub(super) words: &'a WordCounts,
    pub(super) extent: &'a Extent,
    /// Borders of blocks of words.
    pub(super) blocks: Vec<usize>,
    /// What a count is multiplied by.
    scale: f64,
    /// Information that a character carries on average, by the model of the last round.
    gain: f64,
}

/// What one block is expected to have.
struct Partial {
    expected: Vec<f64>,
    sums: Sums,
    /// Sum of the logarithms of the probabilities of the words.
    log_probability: f64,
}

impl<'a> Fitting<'a> {
    pub(super) fn new(words: &'a WordCounts, extent: &'a Extent, scale: f64) -> Self {
        let size = BLOCK.max(extent.positions() / MOST_BLOCKS);
        Self { words, extent, blocks: blocks(&extent.starts, size), scale, gain: FIRST_GAIN }
    }

    /// What going through the corpus once adds to the progress.
    pub(super) fn size(&self) -> u64 {
        self.extent.positions() as u64
    }

    /// One round: new scores from expected counts. Pieces that are hardly expected go.
    pub(super) fn improve(&mut self, pieces: &mut Pieces, crew: &mut Crew) -> Result<()> {
        let (expected, log_probability) = self.expect(pieces, crew)?;
        let characters = self.extent.positions() - self.extent.words();
        if characters > 0 && log_probability.is_finite() {
            self.gain = (-log_probability / characters as f64).min(MOST_GAIN);
        }
        maximize(pieces, expected);
        Ok(())
    }

    /// How often each piece is expected in the corpus, and the logarithm of the probability of all distinct words.
    fn expect(&self, pieces: &mut Pieces, crew: &mut Crew) -> Result<(Vec<f64>, f64)> {
        let gain = self.gain;
        pieces.set_values(|score, length| (score + gain * f64::from(length)).exp());
        let pieces = &*pieces;
        let score = pieces.unknown_score();
        let weighted = Weighted { pieces, unknown: Unknown { score, weight: (score + gain).exp() }, gain };
        let mut total = vec![0.0; pieces.len()];
        let mut log_probability = 0.0;
        let longest = pieces.longest_length();
        let partial = || Partial { expected: vec![0.0; pieces.len()], sums: Sums::new(longest), log_probability: 0.0 };
        let work = |partial: &mut Partial, block: usize, watch: &Watch| {
            let Partial { expected, sums, log_probability } = partial;
            for index in self.blocks[block]..self.blocks[block + 1] {
                let range = self.extent.word(index);
                if !range.is_empty() {
                    let count = self.words.count(index) as f64 * self.scale;
                    *log_probability += weighted.add(range, count, sums, expected, &|| watch.goes_on());
                }
            }
            watch.advance(self.extent.size(self.blocks[block]..self.blocks[block + 1]));
        };
        let settle = |partial: &mut Partial, _: usize| {
            for (sum, part) in total.iter_mut().zip(&mut partial.expected) {
                *sum += std::mem::take(part);
            }
            log_probability += std::mem::take(&mut partial.log_probability);
        };
        crew.run(self.blocks.len() - 1, self.size(), partial, work, settle)?;
        Ok((total, log_probability))
    }
}

/// Set the scores by the expected counts.
fn maximize(pieces: &mut Pieces, expected: Vec<f64>) {
    let is_kept = |count: f64, least: f64| count > 0.0 && count >= least;
    // If all pieces were below the limit, none would be left to tell the scores.
    let least = if expected.iter().any(|&count| is_kept(count, LEAST)) { LEAST } else { 0.0 };
    let total: f64 = expected.iter().filter(|&&count| is_kept(count, least)).sum();
    let log_total = digamma(total);
    let mut order = std::mem::take(&mut pieces.order);
    order.retain(|&piece| is_kept(expected[piece as usize], least));
    for (score, count) in pieces.scores.iter_mut().zip(expected) {
        *score = digamma(count) - log_total;
    }
    if order.len() == pieces.len() {
        pieces.order = order;
    } else {
        pieces.keep(order);
    }
}

/// The derivative of the logarithm of the gamma function, for positive numbers.
///
/// Source: its asymptotic series in `x - 1/2`, after the recurrence has brought the argument to 7 or more; as in the reference.
pub(super) fn digamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 7.0 {
        shift -= 1.0 / x;
        x += 1.0;
    }
    x -= 0.5;
    let square = 1.0 / (x * x);
    let series = ((-127.0 / 30720.0 * square + 31.0 / 8064.0) * square - 7.0 / 960.0) * square + 1.0 / 24.0;
    shift + x.ln() + series * square
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source: `-0.5772156649015329` is the negative of Euler's constant; the recurrence `digamma(x + 1) = digamma(x) + 1 / x`.
    #[test]
    fn digamma_has_its_known_values() {
        assert!((digamma(1.0) + 0.577_215_664_901_532_9).abs() < 1e-8);
        assert!((digamma(0.5) + 1.963_510_026_021_423).abs() < 1e-8);
        assert!((digamma(1e9) - 1e9_f64.ln()).abs() < 1e-8);
        for x in [0.5, 1.7, 6.9, 7.0, 40.0] {
            assert!((digamma(x + 1.0) - digamma(x) - 1.0 / x).abs() < 1e-8);
        }
    }
}
