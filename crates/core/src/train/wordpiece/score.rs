//! Scores as exact fractions.

use std::cmp::Ordering;

/// A score below its owner: count of a pair / count of the partner.
///
/// Pairs of one owner compare by it, whatever the count of the owner is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ratio {
    /// Count of the pair.
    pub(super) pair: u64,
    /// Count of the partner, at least that of the pair and at least 1.
    pub(super) partner: u64,
}

impl Ratio {
    /// The exact order.
    pub(super) fn compare(self, other: Self) -> Ordering {
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        product(self.pair, other.partner).cmp(&product(other.pair, self.partner))
    }
}

/// A score: count of a pair / (count of one part × count of the other part).
#[derive(Debug, Clone, Copy)]
pub(super) struct Score {
    /// The fraction without the count of the owner.
    pub(super) ratio: Ratio,
    /// Count of the owner.
    pub(super) owner: u64,
    /// The score with an error of less than [`MARGIN`].
    approximate: f64,
}

/// Relative: the six roundings of a score, each of at most 2^-53, with room to spare.
const MARGIN: f64 = 1e-14;

impl Score {
    pub(super) fn new(ratio: Ratio, owner: u64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "close values are compared exactly")]
        let approximate = ratio.pair as f64 / (ratio.partner as f64 * owner as f64);
        Self { ratio, owner, approximate }
    }

    /// The exact order.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let (a, b) = (self.approximate, other.approximate);
        if (a - b).abs() > (a + b) * MARGIN {
            return a.total_cmp(&b);
        }
        let denominator = |score: &Self| u128::from(score.ratio.partner) * u128::from(score.owner);
        product(denominator(other), self.ratio.pair).cmp(&product(denominator(self), other.ratio.pair))
    }
}

/// 128 × 64 bits: the upper 64 and the lower 128 of the product.
fn product(a: u128, b: u64) -> (u64, u128) {
    let low = u128::from(a as u64) * u128::from(b);
    // At most (2^64 - 1)^2 + 2^64 - 1, which fits.
    let high = (a >> 64) * u128::from(b) + (low >> 64);
    ((high >> 64) as u64, high << 64 | u128::from(low as u64))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn products_of_192_bits() {
        assert_eq!(product(u128::MAX, u64::MAX), (u64::MAX - 1, u128::MAX - u128::from(u64::MAX) + 1));
        assert_eq!(product(1 << 127, 6), (3, 0));
        assert_eq!(product(5, 7), (0, 35));
    }

    #[test]
    fn scores_that_floating_point_cannot_tell_apart() {
        let score = |pair, partner, owner| Score::new(Ratio { pair, partner }, owner);
        let n = 1 << 62;
        assert_eq!(score(n, n, n).compare(&score(n - 1, n - 1, n)), Ordering::Equal);
        assert_eq!(score(n, n, n).compare(&score(n - 1, n, n)), Ordering::Greater);
        assert_eq!(score(n - 1, n, n).compare(&score(n, n, n)), Ordering::Less);
        assert_eq!(score(2, 6, 5).compare(&score(1, 5, 3)), Ordering::Equal);
    }

    proptest! {
        #[test]
        fn small_scores_compare_as_their_cross_products(a in 1_u64..99, b in 1_u64..99, c in 1_u64..99, d in 1_u64..99,
            e in 1_u64..99, f in 1_u64..99) {
            let (one, other) = (Score::new(Ratio { pair: a, partner: b }, c), Score::new(Ratio { pair: d, partner: e }, f));
            prop_assert_eq!(one.compare(&other), (a * e * f).cmp(&(d * b * c)));
            prop_assert_eq!(one.ratio.compare(other.ratio), (a * e).cmp(&(d * b)));
        }
    }
}
