//! Training: word counts in, vocabularies out.
//!
//! [`feed`] reads a corpus in parallel and counts what a [`feed::PieceSource`] makes of it; [`counts::WordCounts`] is what
//! every trainer learns from; [`bpe`] learns merges, [`wordpiece`] too, [`unigram`] drops pieces, [`wordlevel`] takes words;
//! [`trainer`] makes models of them. Nothing here depends on the number of threads: words keep the order in which they first
//! appear in the corpus.

pub mod bpe;
pub mod counter;
pub mod counts;
mod counts_file;
pub mod feed;
pub mod parity;
pub mod progress;
pub mod trainer;
pub mod unigram;
mod usage;
mod varint;
pub mod wordlevel;
pub mod wordpiece;

pub use bpe::{BpeTrained, BpeTrainer, Extension};
pub use counter::WordCounter;
pub use counts::WordCounts;
pub use feed::{CountOptions, LineFormat, PieceSource, TextBatch, count_batches, count_files};
pub use parity::ParityBpeTrainer;
pub use progress::{NoProgress, Progress};
pub use trainer::AnyTrainer;
pub use unigram::{UnigramTrained, UnigramTrainer};
pub use usage::usage;
pub use wordlevel::WordLevelTrainer;
pub use wordpiece::WordPieceTrainer;
