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

use crate::error::Result;
use crate::train::counter::{CountedWords, WordCounter};
use crate::train::counts::{Tally, WordCounts};
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
    let mut words = Tally::default();
    let mut heads = vec![0; counters.len()];
    // A unit belongs to one thread, and a thread meets its units in order: a merge by unit restores the order of the corpus.
    while let Some((unit, thread)) =
        counters.iter().zip(&heads).enumerate().filter_map(|(i, (c, &head))| Some((c.unit(head)?, i))).min()
    {
        while counters[thread].unit(heads[thread]) == Some(unit) {
            let counter = &counters[thread];
            spell(source, &counter.bytes(heads[thread]), counter.count(heads[thread]), &mut words)?;
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
    let mut words = Tally::default();
    for (i, (piece, count)) in pieces.iter().enumerate() {
        spell(source, piece, count, &mut words)?;
        if i % (1 << 14) == 0 {
            progress.advance(0)?;
        }
    }
    Ok(words.words)
}

/// Count the words that a piece stands for.
fn spell<S: PieceSource>(source: &S, piece: &[u8], count: i64, words: &mut Tally) -> Result<()> {
    source.finish(piece, &mut |word| words.add(word, count))
}
