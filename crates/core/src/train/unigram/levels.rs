//! Numbers beyond the range of plain ones: powers of two that sums of neighbouring positions share, and weights of any size.

/// Positions whose sums share a power of two.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// The last of them.
    last: usize,
    /// Sums are to be multiplied by two to the power of it.
    exponent: i64,
}

/// The levels of a word. They begin one by one from its end to its start, and end from its start to its end.
pub(super) struct Levels {
    /// The leftmost one is the last.
    list: Vec<Level>,
    /// Characters of the longest link.
    longest: usize,
}

impl Levels {
    /// For links of up to `longest` characters.
    pub(super) fn new(longest: usize) -> Self {
        Self { list: Vec::new(), longest }
    }

    /// One level alone, with the exponent 0, of a word that ends here.
    pub(super) fn start(&mut self, end: usize) {
        self.list.clear();
        self.begin(end, 0);
    }

    /// Let a level begin that has its last position here.
    pub(super) fn begin(&mut self, last: usize, exponent: i64) {
        self.list.push(Level { last, exponent });
    }

    /// End the leftmost level.
    pub(super) fn end(&mut self) {
        self.list.pop();
    }

    /// The last position of the leftmost level.
    pub(super) fn last(&self) -> usize {
        self.list.last().map_or(0, |level| level.last)
    }

    /// The exponent of the leftmost level.
    pub(super) fn exponent(&self) -> i64 {
        self.list.last().map_or(0, |level| level.exponent)
    }

    /// The first position of the leftmost level from which the longest link leads into another one; the last position if there is
    /// no other.
    pub(super) fn border(&self) -> usize {
        if self.list.len() > 1 { (self.last() + 1).saturating_sub(self.longest) } else { self.last() }
    }

    /// The exponent at a position from the leftmost level on. It takes the logarithm of how many levels lie between: a piece can
    /// be much longer than a level.
    pub(super) fn exponent_at(&self, position: usize) -> i64 {
        let mut from = self.list.len().saturating_sub(1);
        let mut step = 1;
        while from > 0 && self.list[from].last < position {
            from = from.saturating_sub(step);
            step *= 2;
        }
        let behind = &self.list[from..];
        let levels = behind.partition_point(|level| level.last >= position);
        levels.checked_sub(1).map_or(0, |index| behind[index].exponent)
    }

    /// How many there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }
}

/// A positive number of any size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wide {
    /// From 1 to below 2.
    factor: f64,
    /// It is multiplied by two to the power of this, which is the logarithm to base 2, rounded down.
    pub(super) exponent: i64,
}

impl Wide {
    /// `exp(logarithm)`; `value` is that too, as far as it is in the range of plain numbers.
    pub(super) fn exp(value: f64, logarithm: f64) -> Self {
        if value.is_normal() {
            return Self::times_two_to(value, 0);
        }
        let exponent = (logarithm / std::f64::consts::LN_2).round();
        Self::times_two_to((logarithm - exponent * std::f64::consts::LN_2).exp(), exponent as i64)
    }

    /// A normal positive number times a power of two.
    fn times_two_to(number: f64, exponent: i64) -> Self {
        let fraction = number.to_bits() & ((1 << 52) - 1);
        Self { factor: f64::from_bits(fraction | 1_f64.to_bits()), exponent: log2(number) + exponent }
    }

    /// It times a power of two: 0 or infinite out of the range of normal numbers.
    pub(super) fn times_power(self, exponent: i64) -> f64 {
        match self.exponent + exponent {
            1024.. => f64::INFINITY,
            ..-1022 => 0.0,
            exponent => self.factor * f64::from_bits((1023 + exponent).cast_unsigned() << 52),
        }
    }
}

/// The logarithm to base 2, rounded down, of a normal positive number.
pub(super) fn log2(number: f64) -> i64 {
    (number.to_bits() >> 52).cast_signed() - 1023
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_exponent_at_a_position_is_that_of_its_level(lasts in prop::collection::btree_set(0_usize..200, 1..60)) {
            let mut levels = Levels::new(1);
            levels.start(200);
            for (exponent, &last) in (1..).zip(lasts.iter().rev()) {
                levels.begin(last, exponent);
            }
            let first = lasts.first().copied().unwrap_or(0);
            for position in first..=200 {
                let behind = lasts.iter().filter(|last| **last >= position).count();
                prop_assert_eq!(levels.exponent_at(position), i64::try_from(behind).unwrap());
            }
        }

        #[test]
        fn a_wide_number_comes_back_into_range(logarithm in -600.0..600.0_f64, exponent in -100_000_i64..100_000) {
            let far = logarithm + exponent as f64 * std::f64::consts::LN_2;
            let wide = Wide::exp(far.exp(), far);
            let near = wide.times_power(-exponent);
            prop_assert!((near.ln() - logarithm).abs() < 1e-9);
            prop_assert_eq!(wide.exponent, log2(near) + exponent);
        }
    }

    #[test]
    fn beyond_the_range_there_is_nothing_or_infinity() {
        let smallest = Wide::exp(f64::MIN_POSITIVE, 0.0);
        assert_eq!(smallest.times_power(2045).to_bits(), 2f64.powi(1023).to_bits());
        assert!(smallest.times_power(2046).is_infinite() && smallest.times_power(1 << 60).is_infinite());
        let largest = Wide::exp(2f64.powi(1023), 0.0);
        assert_eq!(largest.times_power(-2045).to_bits(), f64::MIN_POSITIVE.to_bits());
        assert!(Wide::exp(0.0, -1e9).times_power(1 << 20) == 0.0);
    }
}
