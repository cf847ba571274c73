//! All words as symbols in one array, where a merge is a few writes in place.
//!
//! A word is a run of slots closed by [`END`]; the array begins with [`END`] too. A symbol made of `k` initial symbols takes `k`
//! slots: its id in the first; if k > 1, `TAG | k` in the second and in the last. All other slots inside carry [`TAG`], so no
//! slot but a first one ever equals an id. So both neighbours are found in constant time however long the word is, and
//! the length of a symbol is at hand for `max_token_length`.

use crate::error::{Error, Result};

/// Marks slots that do not begin a symbol; ids are below.
pub(in crate::train) const TAG: u32 = 1 << 31;
/// Closes a word; no length reaches it.
pub(in crate::train) const END: u32 = u32::MAX;
/// Slots (as a power of two) that share an entry of the index from position to count.
const BLOCK_LOG2: u32 = 6;

/// All words, one behind the other; words of the same count best lie together.
#[derive(Default)]
pub(in crate::train) struct Symbols {
    pub(in crate::train) slots: Vec<u32>,
    /// First slot of each word.
    starts: Vec<u32>,
    /// Words of the same count form a step: its first slot, and [`END`] behind the last.
    step_starts: Vec<u32>,
    step_counts: Vec<i64>,
    /// Position >> [`BLOCK_LOG2`] → the step that this block begins in.
    step_of_block: Vec<u32>,
    /// Words of one symbol, which are not in `slots`: the symbol and the count.
    alone: Vec<(u32, i64)>,
}

impl Symbols {
    /// How many slots there are.
    pub(in crate::train) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The count of the word at position `at`; `step` is where to begin to look: 0, or what an earlier call for a lower
    /// position left there.
    #[inline]
    pub(in crate::train) fn count(&self, at: u32, step: &mut usize) -> i64 {
        let mut i = (*step).max(self.step_of_block[(at >> BLOCK_LOG2) as usize] as usize);
        while self.step_starts[i + 1] <= at {
            i += 1;
        }
        *step = i;
        self.step_counts[i]
    }

    /// Call `each` with every symbol and the count of its word, while no symbol was merged yet.
    pub(in crate::train) fn for_each_initial_symbol(&self, mut each: impl FnMut(u32, i64)) {
        self.alone.iter().for_each(|&(id, count)| each(id, count));
        let mut step = 0;
        for (at, &id) in (0..).zip(&self.slots) {
            if id != END {
                each(id, self.count(at, &mut step));
            }
        }
    }

    /// The number of the word that position `at` belongs to.
    pub(in crate::train) fn word(&self, at: u32) -> usize {
        self.starts.partition_point(|&start| start <= at) - 1
    }

    /// Call `each` with every pair of neighbours, the position of its first symbol, and the count of its word, while no
    /// symbol was merged yet.
    pub(in crate::train) fn for_each_initial_pair(
        &self,
        range: std::ops::Range<usize>,
        mut each: impl FnMut(u32, u32, u32, i64),
    ) {
        let mut step = 0;
        for at in range {
            let (left, right) = (self.slots[at], self.slots[at + 1]);
            if left != END && right != END {
                each(left, right, at as u32, self.count(at as u32, &mut step));
            }
        }
    }
}

/// Takes words one by one.
pub(in crate::train) struct SymbolsBuilder {
    symbols: Symbols,
    /// First slot of the word that is being built.
    start: usize,
}

impl SymbolsBuilder {
    pub(in crate::train) fn new() -> Self {
        Self { symbols: Symbols { slots: vec![END], ..Symbols::default() }, start: 1 }
    }

    /// Append a symbol to the word.
    #[inline]
    pub(in crate::train) fn push(&mut self, id: u32) {
        debug_assert!(id < TAG, "ids are below 2^31");
        self.symbols.slots.push(id);
    }

    /// Close the word. One of less than two symbols has no pairs and takes no slots.
    ///
    /// # Errors
    /// [`Error::Training`] if positions do not fit in 31 bits.
    pub(in crate::train) fn end_word(&mut self, count: i64) -> Result<()> {
        let Symbols { slots, starts, step_starts, step_counts, alone, .. } = &mut self.symbols;
        if slots.len() - self.start < 2 {
            alone.extend(slots.drain(self.start..).map(|id| (id, count)));
            return Ok(());
        }
        slots.push(END);
        if slots.len() >= TAG as usize {
            let reason = "the distinct words have more than 2^31 characters; a pre-tokenizer would make them shorter";
            return Err(Error::Training(reason.to_owned()));
        }
        starts.push(self.start as u32);
        if step_counts.last() != Some(&count) {
            step_counts.push(count);
            step_starts.push(self.start as u32);
        }
        self.start = slots.len();
        Ok(())
    }

    pub(in crate::train) fn finish(self) -> Symbols {
        let mut symbols = self.symbols;
        symbols.step_starts.push(END);
        let mut step = 0;
        for block in 0..=symbols.slots.len() >> BLOCK_LOG2 {
            while symbols.step_starts.get(step + 1).is_some_and(|&start| start <= (block << BLOCK_LOG2) as u32) {
                step += 1;
            }
            symbols.step_of_block.push(step as u32);
        }
        symbols
    }
}
