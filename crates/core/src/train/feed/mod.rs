//! Feeding: a corpus is read once, cut into units of work, and its pieces are counted on several threads.
//!
//! Units are numbered in the order of the corpus. A thread has its own [`WordCounter`], which keeps the unit in which it
//! met a word first; so the words of all threads can be put in the order of their first appearance, and the result does
//! not depend on how many threads there were. Threads are started for one call and end with it: nothing is left that a
//! fork could break.

mod batches;
mod files;
mod team;
#[cfg(test)]
mod tests;

pub use batches::{TextBatch, count_batches};
pub use files::count_files;

use crate::error::Result;
use crate::train::counter::WordCounter;
use crate::train::counts::WordCounts;

/// What the items of a corpus are made of; shared by all threads.
pub trait PieceSource: Sync {
    /// What one thread needs to work.
    type Scratch: Default + Send;

    /// Give every piece of one item to `sink`, in order. A piece may be any bytes that [`Self::finish`] understands.
    ///
    /// # Errors
    /// Whatever makes the item impossible to cut; it ends the counting.
    fn pieces(&self, item: &str, scratch: &mut Self::Scratch, sink: &mut dyn FnMut(&[u8])) -> Result<()>;

    /// Append to `out` (which is empty) the word that a piece stands for. Called once or twice for each distinct piece and
    /// thread; pieces that give the same word are counted together.
    fn finish(&self, piece: &[u8], out: &mut String);
}

/// Put together what the threads counted: words in the order of their first appearance.
fn combine<S: PieceSource>(source: &S, counters: &[WordCounter]) -> WordCounts {
    let mut finished = WordCounter::new();
    let mut word = String::new();
    let mut heads = vec![0; counters.len()];
    // A unit belongs to one thread, and a thread meets its units in order: a merge by unit restores the order of the corpus.
    while let Some((unit, thread)) =
        counters.iter().zip(&heads).enumerate().filter_map(|(i, (c, &head))| Some((c.unit(head)?, i))).min()
    {
        while counters[thread].unit(heads[thread]) == Some(unit) {
            counters[thread].with(heads[thread], |piece, count, _| {
                word.clear();
                source.finish(piece, &mut word);
                finished.add(word.as_bytes(), count, unit);
            });
            heads[thread] += 1;
        }
    }
    let mut words = WordCounts::new();
    finished.for_each(|word, count, _| {
        // Every word was put in as a `str`.
        if let Ok(word) = std::str::from_utf8(word) {
            words.push(word, count);
        }
    });
    words
}
