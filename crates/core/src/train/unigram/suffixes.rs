//! Repeated substrings of the corpus: a suffix array with the lengths of common prefixes, and the intervals of it in which all
//! suffixes begin alike.
//!
//! Pieces have few characters, and end where a word does. So suffixes are only sorted as far as that, by radix (the first two
//! characters) and then by keys of as many characters as fit into 64 bits; beyond, their order does not matter. That
//! takes less memory than a linear construction of the whole suffix array, and buckets can be sorted in parallel.
//! Source: Abouelhoda, Kurtz, Ohlebusch 2004, "Replacing suffix trees with enhanced suffix arrays" (the intervals).

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::corpus::BORDER;
use super::crew::{Crew, Watch};
use crate::error::Result;

/// Most buckets of the radix sort.
const BUCKETS: usize = 1 << 22;
/// Suffixes that one thread takes at a time, about.
const PART: usize = 1 << 15;
/// Suffixes that are alike as far as they were sorted.
const ALIKE: u32 = u32::MAX;

/// A substring that occurs more than once, with different characters (or ends of words) behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Repeat {
    /// Index of the first of its suffixes.
    pub(super) low: u32,
    /// How many there are.
    pub(super) count: u32,
    /// In characters.
    pub(super) length: u32,
}

impl Repeat {
    /// From the most to the least promising: by the characters that it covers; of equals, that of the greater characters first.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let covered = |r: &Self| u64::from(r.count) * u64::from(r.length);
        // Substrings stand in the order of their suffixes, those that begin alike in the order of their lengths.
        (covered(other), other.low, other.length).cmp(&(covered(self), self.low, self.length))
    }
}

/// The suffixes of all words.
pub(super) struct Suffixes {
    /// Their positions in the order of their first characters, as many as a piece can have and one more.
    pub(super) order: Vec<u32>,
    /// By symbol: where its suffixes begin in `order`; one more at the end.
    pub(super) first: Vec<u32>,
    /// The repeats of two characters or more, most promising first.
    pub(super) repeats: Vec<Repeat>,
}

/// Sort the suffixes of a text of symbols up to `most`, and find the `limit` most promising repeats of up to `longest` characters.
pub(super) fn sort(symbols: &[u32], most: u32, longest: u32, limit: usize, crew: &mut Crew) -> Result<Suffixes> {
    let buckets = Buckets::new(symbols, most);
    let mut order = buckets.distribute(symbols);
    let first: Vec<u32> = (0..=most + 1).map(|symbol| buckets.starts[buckets.first(symbol)]).collect();
    let mut best = Best { limit, found: Vec::new() };
    if longest >= 2 && limit > 0 {
        let keys = Keys { symbols, bits: u32::BITS - most.leading_zeros(), longest };
        let parts = buckets.parts(&mut order);
        let sorter = || Sorter { keys: &keys, best: Best { limit, found: Vec::new() }, ..Sorter::new(&keys) };
        let work = |sorter: &mut Sorter, part: usize, watch: &Watch| {
            let (range, suffixes) = &mut *parts[part].lock().unwrap_or_else(PoisonError::into_inner);
            sorter.sort_part(&buckets, range.clone(), suffixes, watch);
        };
        let settle = |sorter: &mut Sorter, _: usize| best.take(&mut sorter.best.found);
        crew.run(parts.len(), symbols.len() as u64, sorter, work, settle)?;
    }
    best.found.sort_unstable_by(Repeat::order);
    best.found.truncate(limit);
    Ok(Suffixes { order, first, repeats: best.found })
}

/// Suffixes by their first symbols, one or two.
struct Buckets {
    /// Number of symbols with the border if a bucket has two, else 1.
    radix: usize,
    /// By bucket: where it begins; one more at the end.
    starts: Vec<u32>,
}

impl Buckets {
    fn new(symbols: &[u32], most: u32) -> Self {
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
    fn of(&self, pair: &[u32]) -> usize {
        pair[0] as usize * self.radix + if self.radix == 1 { 0 } else { pair[1] as usize }
    }

    /// The first bucket of a symbol.
    fn first(&self, symbol: u32) -> usize {
        symbol as usize * self.radix
    }

    /// Symbols that all suffixes of a bucket have in common.
    fn depth(&self) -> u32 {
        if self.radix == 1 { 1 } else { 2 }
    }

    /// All suffixes, those of a bucket in the order of the text.
    fn distribute(&self, symbols: &[u32]) -> Vec<u32> {
        let mut next = self.starts.clone();
        let mut order = vec![0; self.starts.last().map_or(0, |&n| n as usize)];
        for (at, pair) in (0..).zip(symbols.windows(2)).filter(|(_, pair)| pair[0] != BORDER) {
            let place = &mut next[self.of(pair)];
            order[*place as usize] = at;
            *place += 1;
        }
        order
    }

    /// Ranges of buckets with their suffixes.
    fn parts<'a>(&self, order: &'a mut [u32]) -> Vec<Mutex<(Range<usize>, &'a mut [u32])>> {
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
struct Keys<'a> {
    symbols: &'a [u32],
    /// Of a symbol.
    bits: u32,
    /// Most symbols of a repeat.
    longest: u32,
}

impl Keys<'_> {
    /// Symbols of a key.
    fn width(&self) -> u32 {
        u64::BITS / self.bits
    }

    /// The symbols of a suffix from `depth` on, in the upper bits; zeros from the end of the word on, and behind the one
    /// that tells the longest repeats apart.
    fn of(&self, suffix: u32, depth: u32) -> u64 {
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
    fn common(&self, a: u64, b: u64) -> u32 {
        (a ^ b).leading_zeros() / self.bits
    }

    /// Whether suffixes with this key at `depth` may differ further on.
    fn goes_on(&self, key: u64, depth: u32) -> bool {
        let width = self.width();
        let last = key >> (u64::BITS - width * self.bits) & ((1 << self.bits) - 1);
        last != u64::from(BORDER) && depth + width <= self.longest
    }
}

/// Sorts buckets, one thread's.
struct Sorter<'a> {
    keys: &'a Keys<'a>,
    entries: Vec<(u64, u32)>,
    /// By entry: how many symbols it has in common with the one before it.
    common: Vec<u32>,
    /// Ranges of entries that are alike up to a depth.
    pending: Vec<(Range<usize>, u32)>,
    /// Open intervals: common symbols, and where they begin.
    open: Vec<(u32, u32)>,
    best: Best,
}

impl<'a> Sorter<'a> {
    fn new(keys: &'a Keys<'a>) -> Self {
        let best = Best { limit: 0, found: Vec::new() };
        Self { keys, entries: Vec::new(), common: Vec::new(), pending: Vec::new(), open: Vec::new(), best }
    }

    fn sort_part(&mut self, buckets: &Buckets, range: Range<usize>, suffixes: &mut [u32], watch: &Watch) {
        let base = buckets.starts[range.start];
        let mut unreported = 0;
        for bucket in range {
            let (from, to) = (buckets.starts[bucket] - base, buckets.starts[bucket + 1] - base);
            unreported += u64::from(to - from);
            let is_pair_at_border = buckets.radix > 1 && bucket.is_multiple_of(buckets.radix);
            if to - from < 2 || is_pair_at_border {
                continue;
            }
            let suffixes = &mut suffixes[from as usize..to as usize];
            if !self.sort_bucket(suffixes, buckets.depth(), watch) {
                return;
            }
            self.find_repeats(base + from);
            if unreported >= PART as u64 {
                watch.advance(std::mem::take(&mut unreported));
            }
        }
        watch.advance(unreported);
    }

    /// Sort suffixes that have `depth` symbols in common; false if the run was stopped.
    fn sort_bucket(&mut self, suffixes: &mut [u32], depth: u32, watch: &Watch) -> bool {
        let Self { keys, entries, common, pending, .. } = self;
        entries.clear();
        entries.extend(suffixes.iter().map(|&suffix| (0, suffix)));
        common.clear();
        common.resize(entries.len(), 0);
        pending.clear();
        pending.push((0..entries.len(), depth));
        while let Some((range, depth)) = pending.pop() {
            if range.len() >= PART && !watch.goes_on() {
                return false;
            }
            let offset = range.start;
            let entries = &mut entries[range];
            for (key, suffix) in &mut *entries {
                *key = keys.of(*suffix, depth);
            }
            entries.sort_unstable_by_key(|&(key, _)| key);
            let mut from = 0;
            for group in entries.chunk_by(|a, b| a.0 == b.0) {
                let to = from + group.len();
                if from > 0 {
                    common[offset + from] = depth + keys.common(entries[from - 1].0, entries[from].0);
                }
                if group.len() > 1 {
                    if keys.goes_on(group[0].0, depth) {
                        pending.push((offset + from..offset + to, depth + keys.width()));
                    } else {
                        common[offset + from + 1..offset + to].fill(ALIKE);
                    }
                }
                from = to;
            }
        }
        for (suffix, entry) in suffixes.iter_mut().zip(&*entries) {
            *suffix = entry.1;
        }
        true
    }

    /// Go through the intervals of the bucket that was sorted last; `base` is the index of its first suffix.
    fn find_repeats(&mut self, base: u32) {
        let Self { keys, common, open, best, .. } = self;
        open.clear();
        for at in 1..=common.len() {
            let length = common.get(at).copied().unwrap_or(0);
            let mut from = at as u32 - 1;
            while let Some(&(inner, low)) = open.last().filter(|(inner, _)| *inner > length) {
                if inner >= 2 && inner <= keys.longest {
                    best.push(Repeat { low: base + low, count: at as u32 - low, length: inner });
                }
                from = low;
                open.pop();
            }
            if open.last().is_none_or(|(outer, _)| *outer < length) {
                open.push((length, from));
            }
        }
    }
}

/// The most promising repeats, and some more.
struct Best {
    limit: usize,
    found: Vec<Repeat>,
}

impl Best {
    fn push(&mut self, repeat: Repeat) {
        self.found.push(repeat);
        self.shrink();
    }

    fn take(&mut self, others: &mut Vec<Repeat>) {
        self.found.append(others);
        self.shrink();
    }

    /// Drop those that cannot be among the best, when they are so many that it pays.
    fn shrink(&mut self) {
        if self.found.len() / 2 > self.limit.max(PART) {
            self.found.select_nth_unstable_by(self.limit, Repeat::order);
            self.found.truncate(self.limit);
        }
    }
}
