//! The loop: the next pair, its replacement everywhere, the changed counts.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::queue::{Counts, Queue, Standing};
use super::score::Ratio;
use crate::error::Result;
use crate::train::bpe::BpeTrainer;
use crate::train::bpe::alphabet::in_order;
use crate::train::bpe::pairs::{Key, PairIndex, key};
use crate::train::bpe::step::{Change, Side, Step, replace_all};
use crate::train::bpe::symbols::{END, Symbols, TAG};
use crate::train::counts::WordCounts;
use crate::train::progress::Progress;

/// Positions, or pairs, between two calls of [`Progress::advance`].
const STRIDE: usize = 1 << 18;

/// An item of the queue may promise a count of the partner that is lower by this part.
const SLACK: u64 = 8;

/// Learn entries by likelihood; the index is the id.
///
/// # Errors
/// As [`BpeTrainer::train`].
pub(super) fn train(trainer: &BpeTrainer, words: &WordCounts, progress: &mut dyn Progress) -> Result<Vec<String>> {
    let (mut vocabulary, symbols) = trainer.begin(words, &in_order(words), progress)?;
    progress.stage("Count pairs", symbols.len() as u64 - 1)?;
    let mut merger = Merger::new(symbols, vocabulary.len(), trainer.min_frequency);
    let mut queue = Queue::default();
    merger.count_pairs(&mut queue, progress)?;
    progress.stage("Compute merges", trainer.vocab_size as u64)?;
    progress.advance(vocabulary.len().min(trainer.vocab_size) as u64)?;
    while vocabulary.len() < trainer.vocab_size {
        let Some(pair) = queue.pop(&mut merger) else { break };
        let (left, right) = merger.parts(pair);
        let known = vocabulary.len();
        let id = vocabulary.intern(&trainer.joined(&vocabulary, left, right));
        merger.merge(pair, id, &mut queue, progress)?;
        progress.advance((vocabulary.len() - known) as u64)?;
    }
    Ok(vocabulary.into_tokens())
}

/// A pair of neighbours.
struct Pair {
    left: u32,
    right: u32,
    /// How often they are neighbours now, weighted by the counts of the words.
    count: u64,
    /// Where they are or were neighbours, ascending.
    positions: Vec<u32>,
    /// Positions before this index are known to be gone.
    head: u32,
    /// The count of the partner that the item in the queue has, at most the true one.
    promised: u64,
    left_owns: bool,
    /// Whether the partner knows of the pair.
    lent: bool,
}

impl Pair {
    fn owner(&self) -> u32 {
        if self.left_owns { self.left } else { self.right }
    }

    fn partner(&self) -> u32 {
        if self.left_owns { self.right } else { self.left }
    }

    fn is_at(&self, symbols: &Symbols, at: u32) -> bool {
        let (slots, p) = (&symbols.slots, at as usize);
        if slots[p] != self.left || slots[p + 1] == END {
            return false;
        }
        let length = if slots[p + 1] < TAG { 1 } else { slots[p + 1] & !TAG };
        slots[p + length as usize] == self.right
    }
}

/// Words and counts of a training.
struct Merger {
    symbols: Symbols,
    /// By id: how often the symbol is in the words, weighted.
    counts: Vec<u64>,
    pairs: Vec<Pair>,
    by_key: HashMap<Key, PairIndex, RandomState>,
    /// By id: the pairs that it is the partner in.
    borrowed: Vec<Vec<PairIndex>>,
    min_frequency: u64,
    step: Step,
}

impl Counts for Merger {
    fn standing(&mut self, pair: PairIndex) -> Option<Standing> {
        let pair = &mut self.pairs[pair as usize];
        if pair.count < self.min_frequency {
            return None;
        }
        // A place that is gone never comes back: symbols only grow.
        let rest = &pair.positions[pair.head as usize..];
        let gone = rest.iter().position(|&at| pair.is_at(&self.symbols, at))?;
        pair.head += gone as u32;
        let first = pair.positions[pair.head as usize];
        pair.promised = self.counts[pair.partner() as usize];
        Some(Standing { ratio: Ratio { pair: pair.count, partner: pair.promised }, first })
    }

    fn count(&self, symbol: u32) -> u64 {
        self.counts[symbol as usize]
    }
}

impl Merger {
    fn new(symbols: Symbols, ids: usize, min_frequency: u64) -> Self {
        let mut this = Self {
            symbols,
            counts: Vec::new(),
            pairs: Vec::new(),
            by_key: HashMap::default(),
            borrowed: Vec::new(),
            min_frequency: min_frequency.max(1),
            step: Step::default(),
        };
        this.grow(ids);
        this
    }

    fn grow(&mut self, ids: usize) {
        self.counts.resize(ids, 0);
        self.borrowed.resize(ids, Vec::new());
        self.step.before.changes.resize(ids, Change::default());
        self.step.after.changes.resize(ids, Change::default());
    }

    fn parts(&self, pair: PairIndex) -> (u32, u32) {
        let pair = &self.pairs[pair as usize];
        (pair.left, pair.right)
    }

    /// The number of a pair, a new one if it was not seen yet. The symbols have their counts.
    fn intern(&mut self, left: u32, right: u32) -> PairIndex {
        let Self { by_key, pairs, counts, .. } = self;
        *by_key.entry(key(left, right)).or_insert_with(|| {
            let left_owns = counts[left as usize] >= counts[right as usize];
            pairs.push(Pair {
                left,
                right,
                count: 0,
                positions: Vec::new(),
                head: 0,
                promised: 0,
                left_owns,
                lent: false,
            });
            pairs.len() as u32 - 1
        })
    }

    /// Count all symbols and pairs, and fill the queue.
    fn count_pairs(&mut self, queue: &mut Queue, progress: &mut dyn Progress) -> Result<()> {
        let counts = &mut self.counts;
        self.symbols.for_each_initial_symbol(|id, count| counts[id as usize] += count.cast_unsigned());
        let last = self.symbols.len() - 1;
        let mut found: Vec<(u32, u32, u32, i64)> = Vec::new();
        for start in (0..last).step_by(STRIDE) {
            let range = start..(start + STRIDE).min(last);
            let done = range.len();
            self.symbols.for_each_initial_pair(range, |left, right, at, count| found.push((left, right, at, count)));
            for (left, right, at, count) in found.drain(..) {
                let pair = self.intern(left, right);
                let pair = &mut self.pairs[pair as usize];
                pair.count += count.cast_unsigned();
                pair.positions.push(at);
            }
            progress.advance(done as u64)?;
        }
        for pair in 0..self.pairs.len() as u32 {
            self.queue_grown(pair, queue);
        }
        Ok(())
    }

    /// Put a pair whose count has grown into the queue.
    fn queue_grown(&mut self, index: PairIndex, queue: &mut Queue) {
        let Some(standing) = self.standing(index) else { return };
        let pair = &mut self.pairs[index as usize];
        if !pair.lent {
            pair.lent = true;
            self.borrowed[pair.partner() as usize].push(index);
        }
        queue.push(self.pairs[index as usize].owner(), index, standing, self);
    }

    /// Replace a pair by `id` everywhere.
    fn merge(&mut self, index: PairIndex, id: u32, queue: &mut Queue, progress: &mut dyn Progress) -> Result<()> {
        let (left, right) = self.parts(index);
        self.grow(self.counts.len().max(id as usize + 1));
        let pair = &mut self.pairs[index as usize];
        let positions = std::mem::take(&mut pair.positions);
        let head = std::mem::take(&mut pair.head) as usize;
        self.step.merged = 0;
        replace_all(&mut self.symbols, &mut self.step, &positions[head..], (left, right), id, u32::MAX, progress)?;
        let merged = self.step.merged.cast_unsigned();
        self.counts[left as usize] -= merged;
        self.counts[right as usize] -= merged;
        self.counts[id as usize] += merged;

        let mut grown = Vec::new();
        let Step { mut before, mut after, .. } = std::mem::take(&mut self.step);
        self.grow_pairs(&mut before, |neighbour| (neighbour, id), &mut grown);
        self.grow_pairs(&mut after, |neighbour| (id, neighbour), &mut grown);
        self.shrink_pairs(&mut before, |neighbour| (neighbour, left));
        self.shrink_pairs(&mut after, |neighbour| (right, neighbour));
        self.step = Step { before, after, ..Step::default() };
        // Nothing is left of it. (Where it overlapped with itself, the loop above took off only some of it.)
        self.pairs[index as usize].count = 0;

        for &pair in &grown {
            self.queue_grown(pair, queue);
        }
        self.raise(left, queue);
        if right != left {
            self.raise(right, queue);
        }
        Ok(())
    }

    /// Count the pairs that hold the new symbol, and note where they are.
    fn grow_pairs(&mut self, side: &mut Side, pair_of: impl Fn(u32) -> (u32, u32), grown: &mut Vec<PairIndex>) {
        for &neighbour in &side.touched {
            let Change { added, times, .. } = side.changes[neighbour as usize];
            if times > 0 {
                let (left, right) = pair_of(neighbour);
                let index = self.intern(left, right);
                let pair = &mut self.pairs[index as usize];
                pair.count += added.cast_unsigned();
                pair.positions.reserve(times as usize);
                side.changes[neighbour as usize].cursor = index;
                grown.push(index);
            }
        }
        for (neighbour, at) in side.positions.drain(..) {
            let index = side.changes[neighbour as usize].cursor;
            self.pairs[index as usize].positions.push(at);
        }
        for &neighbour in &side.touched {
            let Change { times, cursor, .. } = side.changes[neighbour as usize];
            if times > 0 {
                let pair = &mut self.pairs[cursor as usize];
                // Only an id that is not new brings places in front of others.
                if !pair.positions.is_sorted() {
                    pair.positions.sort_unstable();
                    pair.head = 0;
                }
            }
        }
    }

    /// Take off the pairs that were destroyed.
    fn shrink_pairs(&mut self, side: &mut Side, pair_of: impl Fn(u32) -> (u32, u32)) {
        for neighbour in side.touched.drain(..) {
            let Change { removed, .. } = std::mem::take(&mut side.changes[neighbour as usize]);
            if removed > 0 {
                let (left, right) = pair_of(neighbour);
                let index = self.intern(left, right);
                let pair = &mut self.pairs[index as usize];
                pair.count -= removed.cast_unsigned();
                if pair.count == 0 {
                    pair.positions = Vec::new();
                    pair.head = 0;
                }
            }
        }
    }

    /// Queue anew the pairs of a symbol whose count has fallen below what their items have.
    fn raise(&mut self, symbol: u32, queue: &mut Queue) {
        let count = self.counts[symbol as usize];
        let mut borrowed = std::mem::take(&mut self.borrowed[symbol as usize]);
        borrowed.retain(|&index| {
            let pair = &mut self.pairs[index as usize];
            if pair.count < self.min_frequency {
                pair.lent = false;
                return false;
            }
            if pair.promised > count {
                // Small counts stay exact: there many pairs are equal, and the first place decides.
                pair.promised = count - count / SLACK;
                let ratio = Ratio { pair: pair.count, partner: pair.promised };
                // The first place may be gone: then the true one is behind it.
                let standing = Standing { ratio, first: pair.positions[pair.head as usize] };
                queue.push(pair.owner(), index, standing, self);
            }
            true
        });
        self.borrowed[symbol as usize] = borrowed;
        queue.raise(symbol, self);
    }
}
