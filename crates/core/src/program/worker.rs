//! Working memory, one set per thread at work, kept between calls.

use super::border_memo::BorderMemos;
use super::cache::{Cache, ChunkToken};
use super::tokens::Tokens;
use crate::added_tokens::Segment;
use crate::models::{ModelScratch, Token};
use std::sync::Mutex;

/// What a thread needs to encode. It never influences a result.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) cache: Cache,
    pub(super) sequences: [Tokens; 2],
    pub(super) memory: Memory,
}

/// The part of a [`Worker`] that lives for one piece or one stretch.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub(super) model: ModelScratch,
    pub(super) found: Vec<Token>,
    pub(super) chunk: Vec<ChunkToken>,
    pub(super) raw_segments: Vec<Segment>,
    pub(super) normalized_segments: Vec<Segment>,
    pub(super) prefixed: String,
    pub(super) borders: BorderMemos,
}

impl Worker {
    pub(super) fn new() -> Self {
        Self { cache: Cache::new(), sequences: Default::default(), memory: Memory::default() }
    }
}

/// How many workers are kept when nobody uses them.
const KEPT: usize = 16;

/// Workers that nobody uses at the moment.
///
/// No lock is ever waited for: a place that is taken is passed over. So threads do not hinder each other, and a process forked
/// while another thread holds a place only loses the worker in it.
#[derive(Debug, Default)]
pub(super) struct Pool {
    places: [Mutex<Option<Box<Worker>>>; KEPT],
}

impl Pool {
    /// Run `work` with a worker.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Worker) -> T) -> T {
        let kept = self.places.iter().find_map(|place| place.try_lock().ok()?.take());
        let mut worker = kept.unwrap_or_else(|| Box::new(Worker::new()));
        let result = work(&mut worker);
        for place in &self.places {
            if let Ok(mut place) = place.try_lock()
                && place.is_none()
            {
                *place = Some(worker);
                break;
            }
        }
        result
    }
}
