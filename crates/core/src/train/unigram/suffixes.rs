//! Repeated substrings of the corpus: a suffix array with the lengths of common prefixes, and the intervals of it in which all
//! suffixes begin alike.
//!
//! Pieces have few characters, and end where a word does. So suffixes are only sorted as far as that, by radix (the first two
//! characters) and then by keys of as many characters as fit into 64 bits; beyond, their order does not matter. That
//! takes less memory than a linear construction of the whole suffix array, and buckets can be sorted in parallel.
//! Source: Abouelhoda, Kurtz, Ohlebusch 2004, "Replacing suffix trees with enhanced suffix arrays" (the intervals).

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::PoisonError;

use super::crew::{Crew, Watch};
use super::radix::{Buckets, Keys, PART};
use crate::error::Result;

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
            if to - from < 2 || buckets.is_at_border(bucket) {
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

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::train::progress::NoProgress;

    /// The substrings that occur more than once with different symbols behind them: how often.
    fn repeats(symbols: &[u32], longest: usize) -> BTreeMap<&[u32], u32> {
        let mut found: BTreeMap<&[u32], (u32, BTreeSet<u32>)> = BTreeMap::new();
        for from in 0..symbols.len() {
            for to in from + 2..symbols.len().min(from + longest + 1) {
                let (count, behind) = found.entry(&symbols[from..to]).or_default();
                *count += 1;
                behind.insert(symbols[to]);
            }
        }
        let is_inner = |(text, (_, behind)): &(&[u32], (u32, BTreeSet<u32>))| behind.len() > 1 && !text.contains(&0);
        found.into_iter().filter(is_inner).map(|(text, (count, _))| (text, count)).collect()
    }

    proptest! {
        /// Few symbols and many, which go by one symbol at first instead of two, and of which fewer fit into a key.
        #[test]
        fn all_repeats_are_found_most_promising_first(
            mut symbols in prop::collection::vec(prop::sample::select(vec![0_u32, 1, 1, 1, 2, 2, 3]), 0..300),
            factor in prop::sample::select(vec![1_u32, 1000, 300_000]),
            longest in 2_u32..40,
            limit in prop::sample::select(vec![3_usize, 1000]),
        ) {
            for symbol in &mut symbols {
                *symbol *= factor;
            }
            symbols.push(0);
            let mut progress = NoProgress;
            let mut crew = Crew::new(2, &mut progress);
            let sorted = sort(&symbols, 3 * factor, longest, limit, &mut crew).unwrap();
            let text = |r: &Repeat| &symbols[sorted.order[r.low as usize] as usize..][..r.length as usize];
            let expected = repeats(&symbols, longest as usize);
            let mut ranked: Vec<(usize, &[u32])> =
                expected.iter().map(|(text, &count)| (count as usize * text.len(), *text)).collect();
            ranked.sort_by(|a, b| b.cmp(a));
            ranked.truncate(limit);
            let found: Vec<_> = sorted.repeats.iter().map(|r| ((r.count * r.length) as usize, text(r))).collect();
            prop_assert_eq!(found, ranked);
            for repeat in &sorted.repeats {
                let text = text(repeat);
                let range = repeat.low as usize..(repeat.low + repeat.count) as usize;
                prop_assert!(sorted.order[range].iter().all(|&at| symbols[at as usize..].starts_with(text)));
            }
        }
    }
}
