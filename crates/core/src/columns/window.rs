//! Truncation as arithmetic on lengths: nothing is cut here, only ranges are made.

use super::{Direction, Strategy, Truncation};
use crate::error::{Error, Result};
use std::ops::Range;

/// The windows over `length` tokens of at most `max` each; each shares `stride` tokens with the one laid before. The first window is
/// the result, the others are its overflow. With `max` 0 the result is empty and everything overflows.
///
/// `stride < max` must hold wherever `max` is above 0 and below `length`; see [`shorten`].
pub fn windows(length: usize, max: usize, stride: usize, direction: Direction) -> Vec<Range<usize>> {
    if max >= length {
        return std::iter::once(0..length).collect();
    }
    if max == 0 {
        return vec![0..0, 0..length];
    }
    let step = max - stride.min(max - 1);
    let mut out = Vec::new();
    let mut at = 0;
    loop {
        let end = (at + max).min(length);
        out.push(match direction {
            Direction::Right => at..end,
            Direction::Left => length - end..length - at,
        });
        if end == length {
            return out;
        }
        at += step;
    }
}

/// How many tokens each sequence may keep so that both together have at most `max`.
///
/// # Errors
/// `Error::Setting` where the strategy cuts a sequence that is too short or not there, or the stride is not below what is kept.
pub fn shorten(lengths: [usize; 2], pair: bool, max: usize, truncation: &Truncation) -> Result<[usize; 2]> {
    let total = lengths[0] + lengths[1];
    if total <= max {
        return Ok(lengths);
    }
    let excess = total - max;
    let kept = if max == 0 {
        [0, 0]
    } else {
        match truncation.strategy {
            Strategy::LongestFirst if pair => longest_first(lengths, max),
            Strategy::LongestFirst => [max, 0],
            Strategy::OnlyFirst => [only(lengths[0], excess, max)?, lengths[1]],
            Strategy::OnlySecond if pair => [lengths[0], only(lengths[1], excess, max)?],
            Strategy::OnlySecond => {
                return Err(Error::Setting("truncation `only_second` of an input that has no second sequence".into()));
            }
        }
    };
    for (length, kept) in lengths.into_iter().zip(kept) {
        if kept > 0 && kept < length && truncation.stride >= kept {
            return Err(Error::Setting(format!(
                "truncation stride `{}` is not below the `{kept}` tokens that this input may keep of a sequence (max_length `{}`)",
                truncation.stride, truncation.max_length
            )));
        }
    }
    Ok(kept)
}

fn only(length: usize, excess: usize, max: usize) -> Result<usize> {
    if length > excess {
        return Ok(length - excess);
    }
    Err(Error::Setting(format!(
        "the sequence to truncate has `{length}` tokens, too few to remove the `{excess}` that exceed `{max}`"
    )))
}

/// The shorter one is kept whole where possible; for equal lengths the odd token goes to the second sequence.
fn longest_first(lengths: [usize; 2], max: usize) -> [usize; 2] {
    let mut short = lengths[0].min(lengths[1]);
    let mut long = if short > max { short } else { short.max(max - short) };
    if short + long > max {
        short = max / 2;
        long = short + max % 2;
    }
    if lengths[0] > lengths[1] { [long, short] } else { [short, long] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(max: usize, stride: usize, direction: Direction) -> Vec<&'static str> {
        windows(8, max, stride, direction).into_iter().map(|w| &"abcdefgh"[w]).collect()
    }

    #[test]
    fn windows_are_laid_from_the_side_that_is_kept() {
        assert_eq!(shown(3, 1, Direction::Right), ["abc", "cde", "efg", "gh"]);
        assert_eq!(shown(3, 1, Direction::Left), ["fgh", "def", "bcd", "ab"]);
        assert_eq!(shown(3, 0, Direction::Left), ["fgh", "cde", "ab"]);
        assert_eq!(shown(5, 1, Direction::Left), ["defgh", "abcd"]);
        assert_eq!(shown(0, 0, Direction::Right), ["", "abcdefgh"]);
    }

    #[test]
    fn the_shorter_sequence_is_kept_whole_where_possible() {
        assert_eq!(longest_first([7, 3], 5), [3, 2]);
        assert_eq!(longest_first([2, 3], 3), [1, 2]);
        assert_eq!(longest_first([3, 7], 8), [3, 5]);
        assert_eq!(longest_first([7, 3], 8), [5, 3]);
        assert_eq!(longest_first([4, 4], 5), [2, 3]);
    }
}
