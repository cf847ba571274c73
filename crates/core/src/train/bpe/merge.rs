//! The loop: the next pair, its replacement everywhere, the changed counts.

use hashbrown::{HashMap, HashSet};

use super::pairs::{EntryIndex, Key, NO_ENTRY, PairIndex, Pairs, key};
use super::queue::{Entry, Queue};
use super::step::{Change, Side, Step, replace_all};
use super::symbols::Symbols;
use crate::error::Result;
use crate::train::progress::Progress;

/// Positions between two calls of [`Progress::advance`].
const STRIDE: usize = 1 << 20;
/// Unused slots of the pool that are not worth a collection.
const GARBAGE: usize = 1 << 16;

/// Words, pairs and queue of a training.
///
/// An *entry* of the queue is a pair with the positions where one step created it. Usually a pair is created in one step
/// only. If a text is reached in two ways, the step that reaches it again may create pairs that have an entry already: the
/// reference then merges each entry only in the words that the entry knows, and so does this ([`Self::with_others`]).
pub(super) struct Merger {
    symbols: Symbols,
    max_length: u32,
    pairs: Pairs,
    queue: Queue,
    entries: Vec<Entry>,
    /// Positions of the entries, each a slice of it.
    pool: Vec<u32>,
    /// Slots of `pool` that no waiting entry uses.
    garbage: usize,
    /// The entries of pairs that have had more than one.
    crowded: HashMap<PairIndex, Vec<EntryIndex>>,
    /// Whether no pair has had a second entry.
    simple: bool,
    step: Step,
}

/// An entry that was taken from the queue to be merged.
#[derive(Clone, Copy)]
pub(super) struct Next {
    entry: EntryIndex,
    key: Key,
}

impl Next {
    /// The ids of the pair.
    pub(super) fn pair(&self) -> (u32, u32) {
        ((self.key >> 32) as u32, self.key as u32)
    }
}

impl Merger {
    /// `ids` is how many ids there are so far.
    pub(super) fn new(symbols: Symbols, max_token_length: Option<usize>, ids: usize) -> Self {
        let mut step = Step::default();
        step.before.changes.resize(ids, Change::default());
        step.after.changes.resize(ids, Change::default());
        Self {
            symbols,
            max_length: max_token_length.and_then(|n| u32::try_from(n).ok()).unwrap_or(u32::MAX),
            pairs: Pairs::new(),
            queue: Queue::new(),
            entries: Vec::new(),
            pool: Vec::new(),
            garbage: 0,
            crowded: HashMap::new(),
            simple: true,
            step,
        }
    }

    /// How many units [`Self::count_pairs`] reports.
    pub(super) fn size(&self) -> u64 {
        self.symbols.len() as u64 - 1
    }

    /// Whether no pair can have been merged twice.
    pub(super) fn is_simple(&self) -> bool {
        self.simple
    }

    /// Count all pairs and fill the queue.
    pub(super) fn count_pairs(&mut self, progress: &mut dyn Progress) -> Result<()> {
        let Self { symbols, pairs, entries, pool, queue, .. } = self;
        let last = symbols.len() - 1;
        let mut found: Vec<PairIndex> = Vec::with_capacity(last);
        let mut times: Vec<u32> = Vec::new();
        for start in (0..last).step_by(STRIDE) {
            let range = start..(start + STRIDE).min(last);
            let done = range.len();
            symbols.for_each_initial_pair(range, |left, right, _, count| {
                let pair = pairs.intern(key(left, right));
                if pair as usize == times.len() {
                    times.push(0);
                }
                pairs.get_mut(pair).count += count;
                times[pair as usize] += 1;
                found.push(pair);
            });
            progress.advance(done as u64)?;
        }
        pool.resize(found.len(), 0);
        let mut start = 0;
        for (pair, &len) in times.iter().enumerate() {
            let pair = pair as u32;
            let record = pairs.get_mut(pair);
            record.waiting = 1;
            record.latest = pair;
            queue.push(record.count.cast_unsigned(), record.key, pair);
            entries.push(Entry { pair, len: 0, start });
            start += len as usize;
        }
        // Entry and pair numbers are the same so far.
        let mut found = found.into_iter();
        for start in (0..last).step_by(STRIDE) {
            symbols.for_each_initial_pair(start..(start + STRIDE).min(last), |_, _, at, _| {
                let pair = found.next().unwrap_or_default();
                let entry = &mut entries[pair as usize];
                pool[entry.start + entry.len as usize] = at;
                entry.len += 1;
            });
            progress.advance(0)?;
        }
        Ok(())
    }

    /// The entry to be merged next; `None` if no pair is frequent enough.
    pub(super) fn next(&mut self, min_frequency: u64) -> Option<Next> {
        loop {
            let Self { queue, entries, pairs, .. } = self;
            let (count, entry) = queue.pop(|entry| pairs.get(entries[entry as usize].pair).key)?;
            let pair = pairs.get(entries[entry as usize].pair);
            // A negative count (max_token_length makes them) reads as a huge one, as in the reference.
            let current = pair.count.cast_unsigned();
            if current == count {
                return (count >= min_frequency.max(1)).then_some(Next { entry, key: pair.key });
            }
            queue.push(current, pair.key, entry);
        }
    }

    /// Replace the pair of `next` by `id` in the words of its entry, and queue the pairs that this creates.
    pub(super) fn merge(&mut self, next: Next, id: u32, progress: &mut dyn Progress) -> Result<()> {
        let (left, right) = next.pair();
        let ids = self.step.before.changes.len().max(id as usize + 1);
        self.step.before.changes.resize(ids, Change::default());
        self.step.after.changes.resize(ids, Change::default());

        let entry = self.entries[next.entry as usize];
        let range = entry.start..entry.start + entry.len as usize;
        let positions = self.with_others(entry.pair, next.entry, range.clone());
        let positions = match &positions {
            Some(positions) => positions.as_slice(),
            None => &self.pool[range],
        };
        replace_all(&mut self.symbols, &mut self.step, positions, (left, right), id, self.max_length, progress)?;
        self.entries[next.entry as usize].len = 0;
        self.garbage += entry.len as usize;
        self.pairs.get_mut(entry.pair).waiting -= 1;

        self.grow_pairs(id);
        self.shrink_pairs(left, right);
        self.queue_grown();
        if self.garbage > GARBAGE && self.garbage > self.pool.len() / 3 {
            self.collect_garbage();
        }
        Ok(())
    }

    /// The positions to merge if they are not just those of the entry as they are: other entries of the same pair know more
    /// positions in the words of this entry, or they are not in order.
    fn with_others(&mut self, pair: PairIndex, entry: EntryIndex, range: std::ops::Range<usize>) -> Option<Vec<u32>> {
        let own = &self.pool[range];
        let others = if self.pairs.get(pair).waiting > 1 { self.crowded.get_mut(&pair) } else { None };
        if others.is_none() && own.is_sorted() {
            return None;
        }
        let mut positions = own.to_vec();
        if let Some(others) = others {
            let words: HashSet<usize> = own.iter().map(|&at| self.symbols.word(at)).collect();
            others.retain(|&other| other != entry);
            for &other in &*others {
                let Entry { start, len, .. } = self.entries[other as usize];
                let theirs = &self.pool[start..start + len as usize];
                positions.extend(theirs.iter().filter(|&&at| words.contains(&self.symbols.word(at))));
            }
        }
        // From left to right: where symbols overlap (a a a) that decides.
        positions.sort_unstable();
        Some(positions)
    }

    /// Count the pairs that hold the new symbol, and note where they are.
    fn grow_pairs(&mut self, id: u32) {
        let Self { pairs, pool, step: Step { before, after, grown, .. }, .. } = self;
        // The new symbol beside itself may be met from both sides if its id is not new; `replace` puts it on one side.
        let mut grow = |side: &mut Side, key_of: &dyn Fn(u32) -> Key| {
            let start = pool.len();
            pool.resize(start + side.positions.len(), 0);
            let mut offset = 0;
            for &neighbour in &side.touched {
                let change = &mut side.changes[neighbour as usize];
                if change.times > 0 {
                    let pair = pairs.intern(key_of(neighbour));
                    pairs.get_mut(pair).count += change.added;
                    change.cursor = offset;
                    grown.push((pair, change.times));
                    offset += change.times;
                }
            }
            for (neighbour, at) in side.positions.drain(..) {
                let cursor = &mut side.changes[neighbour as usize].cursor;
                pool[start + *cursor as usize] = at;
                *cursor += 1;
            }
        };
        grow(before, &|neighbour| key(neighbour, id));
        grow(after, &|neighbour| key(id, neighbour));
    }

    /// Take off the pairs that were destroyed.
    fn shrink_pairs(&mut self, left: u32, right: u32) {
        let Self { pairs, step: Step { before, after, .. }, .. } = self;
        let mut shrink = |side: &mut Side, key_of: &dyn Fn(u32) -> Key| {
            for neighbour in side.touched.drain(..) {
                let change = std::mem::take(&mut side.changes[neighbour as usize]);
                if change.removed > 0 {
                    let pair = pairs.intern(key_of(neighbour));
                    pairs.get_mut(pair).count -= change.removed;
                }
            }
        };
        shrink(before, &|neighbour| key(neighbour, left));
        shrink(after, &|neighbour| key(right, neighbour));
    }

    /// Put the pairs of this step into the queue.
    fn queue_grown(&mut self) {
        let Self { pairs, queue, entries, crowded, step: Step { grown, .. }, pool, garbage, simple, .. } = self;
        let mut start = pool.len() - grown.iter().map(|&(_, len)| len as usize).sum::<usize>();
        for (pair, len) in grown.drain(..) {
            let record = pairs.get_mut(pair);
            if record.count > 0 {
                let entry = entries.len() as u32;
                if record.latest != NO_ENTRY {
                    *simple = false;
                    if record.waiting == 0 {
                        crowded.remove(&pair);
                    } else {
                        crowded.entry(pair).or_insert_with(|| vec![record.latest]).push(entry);
                    }
                }
                record.latest = entry;
                record.waiting += 1;
                queue.push(record.count.cast_unsigned(), record.key, entry);
                entries.push(Entry { pair, len, start });
            } else {
                *garbage += len as usize;
            }
            start += len as usize;
        }
    }

    /// Close the gaps of the pool.
    #[cold]
    fn collect_garbage(&mut self) {
        let mut end = 0;
        // Entries lie in the pool in their order, so each moves towards the front.
        for entry in &mut self.entries {
            self.pool.copy_within(entry.start..entry.start + entry.len as usize, end);
            entry.start = end;
            end += entry.len as usize;
        }
        self.pool.truncate(end);
        self.garbage = 0;
    }
}
