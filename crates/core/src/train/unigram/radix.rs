//! Suffixes by their first characters, and the next ones packed into numbers.

use std::ops::Range;
use std::sync::Mutex;

use super::corpus::BORDER;

/// Most buckets of the radix sort.
const BUCKETS: usize = 1 << 22;
/// Suffixes that one thread takes at a time, about.
pub(super) const PART: usize = 1 << 15;

/// Suffixes by their first symbols, one or two.
pub(super) struct Buckets {
    /// Number of symbols with the border if a bucket has two, else 1.
    radix: usize,
    /// By bucket: where it begins; one more at the end.
    pub(super) starts: Vec<u32>,
}

impl Buckets {
    pub(super) fn new(symbols: &[u32], most: u32) -> Self {
        let size = most as usize + 1;
        let radix = if size.saturating_mul(size) <= BUCKETS { size } else { 1 };
        let mut buckets = Self { radix, starts: vec![0; (size + 1) * radix + 1] };
        // Counted one place further on, so that the sums are where the buckets begin.
        for pair in symbols.windows(2).filter(|pair| pair[0] != BORDER) {
            let bucket = buckets.of(pair);
            buckets.starts[bucket + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut buckets.starts {
            sum += *start;
            *start = sum;
        }
        buckets
    }

    /// The bucket of what begins with these symbols.
    pub(super) fn of(&self, pair: &[u32]) -> usize {
        pair[0] as usize * self.radix + if self.radix == 1 { 0 } else { pair[1] as usize }
    }

    /// The first bucket of a symbol.
    pub(super) fn first(&self, symbol: u32) -> usize {
        symbol as usize * self.radix
    }

    /// Symbols that all suffixes of a bucket have in common.
    pub(super) fn depth(&self) -> u32 {
        if self.radix == 1 { 1 } else { 2 }
    }

    /// All suffixes, those of a bucket in the order of the text.
    pub(super) fn distribute(&self, symbols: &[u32]) -> Vec<u32> {
        let mut next = self.starts.clone();
        let mut order = vec![0; self.starts.last().map_or(0, |&n| n as usize)];
        for (at, pair) in (0..).zip(symbols.windows(2)).filter(|(_, pair)| pair[0] != BORDER) {
            let place = &mut next[self.of(pair)];
            order[*place as usize] = at;
            *place += 1;
        }
        order
    }

    /// Whether the suffixes of a bucket are only one character long.
    pub(super) fn is_at_border(&self, bucket: usize) -> bool {
        self.radix > 1 && bucket.is_multiple_of(self.radix)
    }

    /// Ranges of buckets with their suffixes.
    pub(super) fn parts<'a>(&self, order: &'a mut [u32]) -> Vec<Mutex<(Range<usize>, &'a mut [u32])>> {
        let mut parts = Vec::new();
        let mut rest = order;
        let mut from = 0;
        for bucket in 1..self.starts.len() {
            let size = (self.starts[bucket] - self.starts[from]) as usize;
            if size >= PART || bucket + 1 == self.starts.len() {
                let (part, behind) = rest.split_at_mut(size);
                parts.push(Mutex::new((from..bucket, part)));
                rest = behind;
                from = bucket;
            }
        }
        parts
    }
}

/// Symbols packed into numbers.
pub(super) struct Keys<'a> {
    pub(super) symbols: &'a [u32],
    /// Of a symbol.
    pub(super) bits: u32,
    /// Most symbols of a repeat.
    pub(super) longest: u32,
}

impl Keys<'_> {
    /// Symbols of a key.
    pub(super) fn width(&self) -> u32 {
        u64::BITS / self.bits
    }

    /// The symbols of a suffix from `depth` on, in the upper bits; zeros from the end of the word on, and behind the one
    /// that tells the longest repeats apart.
    pub(super) fn of(&self, suffix: u32, depth: u32) -> u64 {
        let from = (suffix + depth) as usize;
        let count = self.width().min(self.longest + 1 - depth) as usize;
        let mut shift = u64::BITS;
        let mut key = 0;
        for &symbol in self.symbols[from..].iter().take(count).take_while(|&&symbol| symbol != BORDER) {
            shift -= self.bits;
            key |= u64::from(symbol) << shift;
        }
        key
    }

    /// How many symbols two different keys have in common.
    pub(super) fn common(&self, a: u64, b: u64) -> u32 {
        (a ^ b).leading_zeros() / self.bits
    }

    /// Whether suffixes with this key at `depth` may differ further on.
    pub(super) fn goes_on(&self, key: u64, depth: u32) -> bool {
        let width = self.width();
        let last = key >> (u64::BITS - width * self.bits) & ((1 << self.bits) - 1);
        last != u64::from(BORDER) && depth + width <= self.longest
    }
}
