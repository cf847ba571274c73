//! Piece ends of the commonest patterns, 64 bytes at a time.
//!
//! A window of text that begins with a piece becomes masks, a bit a character: which are letters, which white space, and so
//! on. A few dozen operations on these words say in front of which characters pieces begin. The ends that do not depend on
//! text behind the window are taken, and the next window begins at the last of them; nothing is carried from one window to
//! the next. Where a window yields nothing, the automaton of the pattern finds one piece.
//!
//! Source of the idea: R. D. Cameron and others, Parabix; the use for splitting is that of gigatoken and tokenizers 1.0.

mod algebra;
pub(super) mod pairs;
mod portable;
mod stack;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::alphabet::ClassTable;
use super::family::{Member, Rules, bits};
use super::stage::Rule;
use crate::steps;
use stack::Stack;

/// Bytes of a window.
const WINDOW: usize = 64;

/// The masks of a window, a bit a character: bit 0 is its first. Bits behind `len` are 0.
#[derive(Clone, Copy, Default)]
struct Masks {
    /// Characters of the window, at most 64.
    len: u32,
    /// Does the text end with the window?
    at_end: bool,
    letter: u64,
    number: u64,
    space: u64,
    line: u64,
    upper: u64,
    lower: u64,
    mark: u64,
    run: u64,
    stop: u64,
    blank: u64,
    quote: u64,
}

/// A window of at most 64 bytes: its bytes (`raw`) and the bits of its characters at their first bytes.
#[derive(Clone, Copy)]
struct Block<V> {
    raw: V,
    bits: V,
    /// The bytes of the text, at most 64, a bit each.
    valid: u64,
    /// First bytes of characters.
    starts: u64,
    /// Bytes that are not ASCII.
    high: u64,
    at_end: bool,
}

impl<V: Copy> Block<V> {
    /// A mask of bytes as one of characters.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop")]
    fn by_character<T: Tier>(&self, tier: T, mask: u64) -> u64 {
        if self.starts == self.valid { mask & self.valid } else { tier.extract(mask, self.starts) }
    }

    /// A mask of characters as one of their first bytes.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop")]
    fn by_byte<T: Tier>(&self, tier: T, mask: u64) -> u64 {
        if self.starts == self.valid { mask } else { tier.deposit(mask, self.starts) }
    }
}

/// The low `count` bits, of 64.
fn low(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// What the loop needs of a processor.
trait Tier: Copy {
    /// 64 bytes.
    type Vector: Copy;

    /// The bytes from `at` on, or up to the end of the text and zeros behind it.
    fn load(self, bytes: &[u8], at: usize) -> Self::Vector;
    fn vector(self, bytes: &[u8; 64]) -> Self::Vector;
    fn array(self, vector: Self::Vector) -> [u8; 64];
    /// A bit for each byte that is 0x80 or more.
    fn high(self, vector: Self::Vector) -> u64;
    /// A bit for each byte that has one of `bits`.
    fn having(self, vector: Self::Vector, bits: u8) -> u64;
    /// A bit for each byte that is `byte`.
    fn equal(self, vector: Self::Vector, byte: u8) -> u64;
    /// `table` at each byte, for bytes below 0x80.
    fn look_up(self, vector: Self::Vector, table: &[u8; 128]) -> Self::Vector;
    /// The bits of `mask` at the places of `at`, side by side.
    fn extract(self, mask: u64, at: u64) -> u64;
    /// The inverse: the bits of `mask` in turn, at the places of `at`.
    fn deposit(self, mask: u64, at: u64) -> u64;
    /// Write the places of the bits of `mask`, with `base` added, into `out`.
    fn positions(self, mask: u64, base: u32, out: &mut [u32; 64]);
}

/// What a scan by masks needs.
#[derive(Clone)]
pub(super) struct Program {
    logic: Logic,
    table: ClassTable,
    kind: Kind,
}

/// From the masks of a window to the ends of pieces.
#[derive(Clone)]
enum Logic {
    Family(Rules),
    Stack(Stack),
}

/// The abilities of a processor that are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// None.
    Portable,
    /// AVX2 and BMI.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 with byte permutation and compression.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Kind {
    /// All that this processor has, the best last.
    pub(super) fn available() -> Vec<Self> {
        let mut kinds = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        kinds.extend(x86::available());
        kinds
    }
}

/// How far a scan came.
pub(super) struct Progress {
    /// Ends written.
    pub(super) count: usize,
    /// Where the next piece begins.
    pub(super) at: usize,
}

impl Program {
    fn new(logic: Logic, table: ClassTable) -> Self {
        let kind = Kind::available().pop().unwrap_or(Kind::Portable);
        Self { logic, table, kind }
    }

    /// The program of a member of the family, for the best that this processor has.
    pub(super) fn of_member(member: Member) -> Self {
        Self::new(Logic::Family(member.rules), member.bits)
    }

    /// The program of stages that cut around sets, if these are such.
    pub(super) fn of_stack(rules: &[Rule]) -> Option<Self> {
        stack::recognize(rules).map(|(stack, table)| Self::new(Logic::Stack(stack), table))
    }

    /// The same program by other means.
    #[cfg(test)]
    pub(super) fn with_kind(&self, kind: Kind) -> Self {
        Self { kind, ..self.clone() }
    }

    /// Find ends of pieces from `from`, the start of a piece, as long as `ends` has room and windows yield any.
    pub(super) fn scan(&self, bytes: &[u8], from: usize, ends: &mut [u32]) -> Progress {
        match self.kind {
            Kind::Portable => choose(portable::Portable, self, bytes, from, ends),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => x86::scan_avx2(self, bytes, from, ends),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => x86::scan_avx512(self, bytes, from, ends),
        }
    }
}

/// The loop for the logic of `program`; it becomes part of a function for each tier.
#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled anew with the abilities of each tier")]
fn choose<T: Tier>(tier: T, program: &Program, bytes: &[u8], from: usize, ends: &mut [u32]) -> Progress {
    let table = &program.table;
    match &program.logic {
        Logic::Family(rules) => {
            let cuts = |block: &Block<T::Vector>| algebra::cuts(tier, block, &masks(tier, *rules, block), *rules);
            run(tier, table, cuts, bytes, from, ends)
        }
        Logic::Stack(stack) => run(tier, table, |block| stack::cuts(tier, block, stack), bytes, from, ends),
    }
}

/// The loop over windows; `cuts` gives the places of a window where pieces end.
#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled anew with the abilities of each tier")]
fn run<T: Tier>(
    tier: T,
    table: &ClassTable,
    cuts: impl Fn(&Block<T::Vector>) -> u64,
    bytes: &[u8],
    from: usize,
    ends: &mut [u32],
) -> Progress {
    let mut at = from;
    let mut count = 0;
    while at < bytes.len() && count < ends.len() {
        steps::count(WINDOW);
        let cuts = cuts(&window(tier, table, bytes, at));
        if cuts == 0 {
            break;
        }
        let found = cuts.count_ones() as usize;
        if let Some(out) = ends[count..].first_chunk_mut::<64>() {
            tier.positions(cuts, at as u32, out);
            count += found;
            at += 63 - cuts.leading_zeros() as usize;
        } else {
            let mut out = [0; 64];
            tier.positions(cuts, at as u32, &mut out);
            let taken = found.min(ends.len() - count);
            ends[count..count + taken].copy_from_slice(&out[..taken]);
            count += taken;
            at = out[taken - 1] as usize;
        }
    }
    Progress { count, at }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "part of the loop")]
fn window<T: Tier>(tier: T, table: &ClassTable, bytes: &[u8], at: usize) -> Block<T::Vector> {
    let raw = tier.load(bytes, at);
    let left = bytes.len() - at;
    // A bit is kept for the end of the text itself.
    let at_end = left < 64;
    let valid = if at_end { (1 << left) - 1 } else { u64::MAX };
    let high = tier.high(raw);
    let bits = tier.look_up(raw, table.ascii());
    if high == 0 {
        return Block { raw, bits, valid, starts: valid, high, at_end };
    }
    // The bits of other characters stand at their first bytes; those of the bytes that follow are not looked at.
    let leads = high & tier.having(raw, 0x40);
    let mut array = tier.array(bits);
    let mut rest = leads;
    while rest != 0 {
        let place = rest.trailing_zeros() as usize;
        array[place] = table.at(bytes, at + place).0;
        rest &= rest - 1;
    }
    Block { raw, bits: tier.vector(&array), valid, starts: valid & (!high | leads), high, at_end }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "part of the loop")]
fn masks<T: Tier>(tier: T, rules: Rules, block: &Block<T::Vector>) -> Masks {
    let by_character = |mask: u64| block.by_character(tier, mask);
    let having = |bit: u8| by_character(tier.having(block.bits, bit));
    let cased = |bit: u8| if rules.cased { having(bit) } else { 0 };
    Masks {
        len: block.starts.count_ones(),
        at_end: block.at_end,
        letter: having(bits::LETTER),
        number: having(bits::NUMBER),
        space: having(bits::SPACE),
        line: having(bits::LINE),
        upper: cased(bits::UPPER),
        lower: cased(bits::LOWER),
        mark: cased(bits::MARK),
        run: if rules.runs { having(bits::RUN) } else { 0 },
        stop: having(bits::STOP),
        blank: by_character(tier.equal(block.raw, b' ')),
        quote: by_character(tier.equal(block.raw, b'\'')),
    }
}
