//! Where pieces begin, from the masks of a window.
//!
//! Bit i of a mask is character i; `mask << 1` is about the character before, `mask >> 1` about the one behind. The window
//! begins with a piece, so that nothing before it matters: the zero that a shift brings in stands for that.

use super::super::family::{Contraction, Lead, Rules};
use super::{Block, Masks, Tier, low};

/// The bits of `mask` that a run of its bits leads to from `from`, a part of it.
fn run_from(from: u64, mask: u64) -> u64 {
    // A carry runs through each run that is begun; what it changes is that run from there on.
    mask & (mask.wrapping_add(from) ^ mask | from)
}

/// Apostrophes that begin a contraction of one or two letters, at their characters.
#[derive(Clone, Copy, Default)]
struct Contractions {
    one: u64,
    two: u64,
    /// A look at ASCII cannot tell: the long s may follow.
    doubtful: u64,
}

/// The places (bytes of the window) where pieces end that do not depend on text behind the window.
#[inline(always)]
#[expect(clippy::inline_always, reason = "part of the loop")]
pub(super) fn cuts<T: Tier>(tier: T, block: &Block<T::Vector>, masks: &Masks, rules: Rules) -> u64 {
    let mut stop = masks.stop;
    let line = masks.line;
    let mut letter = masks.letter;
    let mut both = 0;
    if rules.cased {
        // Marks behind letters are letters of either case; the automaton sees to others.
        let within = run_from((letter << 1) & masks.mark, masks.mark);
        stop |= masks.mark & !within;
        letter |= within;
        both = letter & !(masks.upper | masks.lower);
    }
    let word = letter | masks.number | masks.space | masks.run;
    let all = low(masks.len);
    let other = all & !word;
    let letter_start = letter & !(letter << 1);
    let other_start = other & !(other << 1);
    let behind_blank = if rules.lead == Lead::None { 0 } else { masks.blank << 1 };

    let mut short = Contractions::default();
    if rules.contraction != Contraction::None && masks.quote & (letter >> 1) != 0 {
        let mut quotes = masks.quote & other_start & (letter >> 1);
        quotes &= if rules.contraction == Contraction::Joined { letter << 1 } else { !behind_blank };
        if quotes != 0 {
            short = contractions(tier, block, quotes, rules.fold);
            stop |= short.doubtful;
        }
    }
    let short_any = short.one | short.two;
    let short_end = short.one << 2 | short.two << 3;
    if rules.contraction == Contraction::Joined {
        // An apostrophe behind a contraction begins a word.
        stop |= short_end & masks.quote;
    }

    // What goes in front of letters.
    let single = other_start & !(other >> 1) & !behind_blank;
    let lead = match rules.lead {
        Lead::None => short_any,
        Lead::Blank => masks.blank | short_any,
        Lead::Any => (masks.space & !line) | single,
    };
    let mut start = letter_start & !(lead << 1);
    if rules.narrow {
        let ascii = all & !block.by_character(tier, block.high);
        let behind_single = letter_start & single << 1;
        // Only ASCII goes in front of ASCII, and the word ends with it.
        start |= behind_single & !(ascii << 1 & ascii);
        let reach = run_from(behind_single & ascii << 1 & ascii, letter & ascii);
        start |= reach << 1 & letter & !ascii;
    }
    start |= masks.run & !(masks.run << 1);
    start |= if rules.others_first { other_start } else { other_start & !behind_blank };
    if rules.contraction == Contraction::Joined {
        start &= !short_any;
    }
    start |= short_end & letter;

    if rules.cased {
        // Behind a small letter, or characters without case behind one, a capital begins a word.
        let small = masks.lower & !(short.one << 1 | short.two << 1 | short.two << 2);
        let small = small | run_from((small << 1) & both, both);
        start |= masks.upper & (small << 1);
        // Whether capitals go on behind characters without case depends on what follows them.
        stop |= masks.upper & (both << 1) & !(small << 1);
    }

    let number_start = masks.number & !(masks.number << 1);
    start |= match rules.digits {
        0 => number_start & !behind_blank,
        1 => masks.number,
        most => number_start | groups(number_start, masks.number, u32::from(most)),
    };

    // White space, but for line breaks that belong to what is before them.
    let mut space = masks.space;
    if rules.tail {
        let tail = run_from(other << 1 & line, line);
        if rules.slash && tail != 0 {
            stop |= tail << 1 & block.by_character(tier, tier.equal(block.raw, b'/'));
        }
        space &= !tail;
    }
    start |= space & !(space << 1);
    let mut first = masks.run;
    if rules.digits_first {
        first |= masks.number;
    }
    if rules.others_first {
        first |= other;
    }
    let follower = all & !masks.space & !first;
    let last = space & (follower >> 1);
    if rules.lines {
        start |= last & !line;
        let line = line & space;
        let plain = space & !line;
        let behind_line = line << 1 & plain;
        if behind_line != 0 {
            start |= behind_last_line(behind_line, plain, line);
        }
    } else if rules.lead != Lead::None {
        start |= last;
    }

    let (certain, closed) = trusted(masks, rules, stop, space);
    let start = start & certain & !1;
    let places = block.by_byte(tier, start);
    if closed { places | (block.valid + 1) } else { places }
}

/// Which starts do not depend on text behind the window or its first `stop`, and whether there is none.
#[inline(always)]
#[expect(clippy::inline_always, reason = "part of the loop")]
fn trusted(masks: &Masks, rules: Rules, stop: u64, space: u64) -> (u64, bool) {
    let len = if stop == 0 { masks.len } else { stop.trailing_zeros() };
    if masks.at_end && len == masks.len {
        if rules.lines && rules.end_whole {
            let first = len - (!(space << (64 - len))).leading_zeros();
            return (low(first + 1), true);
        }
        return (u64::MAX, true);
    }
    // Nothing but the run of white space at the end looks further ahead than two characters.
    let mut certain = low(len.saturating_sub(2));
    if rules.lines {
        let open = space & !masks.line & low(len);
        let first = len - (!(open << (64 - len.max(1)))).leading_zeros().min(len);
        // Where that begins white space, it begins a piece; behind a line break, that is open.
        let begins = low(first + 1) & !low(first);
        certain &= if masks.line << 1 & begins != 0 { low(first) } else { low(first + 1) };
    }
    (certain, false)
}

/// In each run of `number` that begins at `start`, every `most`-th character.
#[inline(always)]
#[expect(clippy::inline_always, reason = "part of the loop")]
fn groups(start: u64, number: u64, most: u32) -> u64 {
    // Characters with `most` numbers before them in their run.
    let mut behind = number;
    for i in 1..=most {
        behind &= number << i;
    }
    let mut all = 0;
    let mut next = start << most & behind;
    while next != 0 {
        all |= next;
        next = next << most & behind;
    }
    all
}

/// Of `begins`, where `plain` white space begins behind a line break: those with no line break later in the white space.
#[inline(always)]
#[expect(clippy::inline_always, reason = "part of the loop")]
fn behind_last_line(begins: u64, plain: u64, line: u64) -> u64 {
    // Each addition carries to the character behind the plain stretch.
    let mut early = plain.wrapping_add(begins) & !plain & line;
    let mut late = begins;
    while early != 0 {
        let before = late & (early & early.wrapping_neg()).wrapping_sub(1);
        if before != 0 {
            late &= !(1 << before.ilog2());
        }
        early &= early - 1;
    }
    late
}

/// What the apostrophes at `quotes` begin.
#[inline(always)]
#[expect(clippy::inline_always, reason = "part of the loop")]
fn contractions<T: Tier>(tier: T, block: &Block<T::Vector>, quotes: u64, fold: bool) -> Contractions {
    let quotes = block.by_byte(tier, quotes);
    let is = |byte: u8| {
        let capital = if fold { tier.equal(block.raw, byte.to_ascii_uppercase()) } else { 0 };
        tier.equal(block.raw, byte) | capital
    };
    let one = quotes & ((is(b's') | is(b't') | is(b'm') | is(b'd')) >> 1);
    let (l, e) = (is(b'l'), is(b'e'));
    let two = quotes & (((is(b'r') | is(b'v')) >> 1 & e >> 2) | (l >> 1 & l >> 2));
    let doubtful = if fold { quotes & block.high >> 1 } else { 0 };
    let of = |mask: u64| block.by_character(tier, mask);
    Contractions { one: of(one), two: of(two), doubtful: of(doubtful) }
}
