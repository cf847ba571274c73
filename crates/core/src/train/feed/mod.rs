//! Feeding: a corpus is read once, cut into units of work, and its pieces are counted on several threads.
//!
//! Units are numbered in the order of the corpus. A thread has its own [`WordCounter`], which keeps the unit in which it
//! met a word first; so the words of all threads can be put in the order of their first appearance, and the result does
//! not depend on how many threads there were. Threads are started for one call and end with it: nothing is left that a
//! fork could break.

mod batches;
mod files;
mod json;
mod options;
mod program;
mod spill;
mod team;
#[cfg(test)]
mod tests;

pub use batches::{TextBatch, count_batches};
pub use files::count_files;
pub use options::{CountOptions, LineFormat};

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::error::Result;
use crate::train::counter::{CountedWords, WordCounter};
use crate::train::counts::WordCounts;
use crate::train::progress::Progress;

use spill::Spill;

/// What the items of a corpus are made of; shared by all threads.
pub trait PieceSource: Sync {
    /// What one thread needs to work.
    type Scratch: Default + Send;

    /// Give every piece of one item to `sink`, in order. A piece may be any bytes that [`Self::finish`] understands.
    ///
    /// # Errors
    /// Whatever makes the item impossible to cut; it ends the counting.
    fn pieces(&self, item: &str, scratch: &mut Self::Scratch, sink: &mut dyn FnMut(&[u8])) -> Result<()>;

    /// Give the words that a piece stands for to `sink`, in order. Called once for each distinct piece and thread; pieces that give
    /// the same word are counted together.
    ///
    /// # Errors
    /// Whatever makes the piece impossible to spell.
    fn finish(&self, piece: &[u8], sink: &mut dyn FnMut(&str)) -> Result<()>;
}

/// Put together what the threads counted: words in the order of their first appearance.
///
/// # Errors
/// Whatever `progress` returns.
fn combine<S: PieceSource>(source: &S, counters: Vec<WordCounter>, progress: &mut dyn Progress) -> Result<WordCounts> {
    let counters: Vec<CountedWords> = counters.into_iter().map(WordCounter::finish).collect();
    let mut words = Speller::new(source);
    let mut heads = vec![0; counters.len()];
    // A unit belongs to one thread, and a thread meets its units in order: a merge by unit restores the order of the corpus.
    while let Some((unit, thread)) =
        counters.iter().zip(&heads).enumerate().filter_map(|(i, (c, &head))| Some((c.unit(head)?, i))).min()
    {
        while counters[thread].unit(heads[thread]) == Some(unit) {
            words.add(&counters[thread].bytes(heads[thread]), counters[thread].count(heads[thread]))?;
            heads[thread] += 1;
        }
        progress.advance(0)?;
    }
    Ok(words.words)
}

/// The same for what the threads wrote to disk.
///
/// # Errors
/// [`crate::error::Error::Io`] with the path; whatever `progress` returns.
fn combine_runs<S: PieceSource>(source: &S, spill: &Spill, progress: &mut dyn Progress) -> Result<WordCounts> {
    progress.stage("Merge counts", 0)?;
    let pieces = spill.merge(progress)?;
    let mut words = Speller::new(source);
    for (i, (piece, count)) in pieces.iter().enumerate() {
        words.add(piece, count)?;
        if i % (1 << 14) == 0 {
            progress.advance(0)?;
        }
    }
    Ok(words.words)
}

/// Takes pieces in order, and keeps the words that they stand for.
struct Speller<'a, S> {
    source: &'a S,
    words: WordCounts,
    known: HashTable<u32>,
    hasher: RandomState,
}

impl<'a, S: PieceSource> Speller<'a, S> {
    fn new(source: &'a S) -> Self {
        Self { source, words: WordCounts::new(), known: HashTable::new(), hasher: RandomState::default() }
    }

    fn add(&mut self, piece: &[u8], count: i64) -> Result<()> {
        let Self { source, words, known, hasher } = self;
        source.finish(piece, &mut |word| {
            let entry = known.entry(
                hasher.hash_one(word),
                |&i| words.word(i as usize) == word,
                |&i| hasher.hash_one(words.word(i as usize)),
            );
            match entry {
                Entry::Occupied(entry) => words.add(*entry.get() as usize, count),
                Entry::Vacant(entry) => {
                    entry.insert(words.len() as u32);
                    words.push(word, count);
                }
            }
        })
    }
}
