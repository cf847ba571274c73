//! Counting of items that a caller brings, batch by batch.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::team::{self, Worker};
use super::{CountOptions, PieceSource};
use crate::error::Result;
use crate::train::counts::WordCounts;
use crate::train::progress::Progress;

/// Batches that wait for each thread.
const WAITING: usize = 2;

/// Some items, end to end.
#[derive(Debug, Default)]
pub struct TextBatch {
    text: String,
    /// End of each item in `text`.
    ends: Vec<usize>,
}

impl TextBatch {
    /// From this many bytes on a batch is worth a thread's while; [`count_batches`] takes batches of any size.
    pub const GOOD_SIZE: usize = 1 << 18;

    /// Append an item.
    pub fn push(&mut self, item: &str) {
        self.text.push_str(item);
        self.ends.push(self.text.len());
    }

    /// Bytes of all items.
    pub fn size(&self) -> usize {
        self.text.len()
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    fn count<S: PieceSource>(&self, worker: &mut Worker<S>, unit: u32) -> Result<()> {
        let mut start = 0;
        for &end in &self.ends {
            worker.count(&self.text[start..end], unit)?;
            start = end;
        }
        Ok(())
    }
}

/// Count the pieces of items that `pull` puts into one empty batch after another, until it returns `false` (the batch may
/// hold the last items then).
///
/// `pull` runs on the calling thread while the others count; when enough batches wait, that thread counts too. So `pull` may
/// hold a lock (Python's) that `source` needs as well, as long as it gives it back when it returns. `items` is how many
/// are expected, 0 when unknown; progress is in items. Memory is that of a few batches.
///
/// # Errors
/// What `pull` returns, unless an item before that was wrong; errors of `source` and `progress`.
pub fn count_batches<S: PieceSource>(
    pull: &mut dyn FnMut(&mut TextBatch) -> Result<bool>,
    items: u64,
    source: &S,
    options: &CountOptions,
    progress: &mut dyn Progress,
) -> Result<WordCounts> {
    progress.stage("Read items", items)?;
    let queue = Queue::new(options.threads);
    let lead = |worker: &mut Worker<S>, progress: &mut dyn Progress| {
        // Also if `pull` panics: the others would wait for ever.
        let close = CloseOnDrop(&queue);
        let mut unit = 0;
        while !worker.stopped() {
            let mut batch = queue.spare();
            let more = match pull(&mut batch) {
                Ok(more) => more,
                Err(error) => {
                    worker.failed_behind(unit, error);
                    break;
                }
            };
            // What is too much for the others is counted here: the oldest batch, so that all are counted in order.
            if !batch.is_empty()
                && let Some(oldest) = queue.push((unit, batch))
            {
                queue.count(worker, oldest);
            }
            worker.report(progress);
            if !more {
                break;
            }
            unit += 1;
        }
        drop(close);
        while let Some(batch) = queue.try_pop()
            && !worker.stopped()
        {
            queue.count(worker, batch);
            worker.report(progress);
        }
    };
    let help = |worker: &mut Worker<S>| {
        while let Some(batch) = queue.pop()
            && !worker.stopped()
        {
            queue.count(worker, batch);
        }
    };
    team::run(source, options, progress, lead, help)
}

/// The batches that wait, in order, with the number of their unit.
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    /// Batches that may wait.
    limit: usize,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<(u32, TextBatch)>,
    spare: Vec<TextBatch>,
    closed: bool,
}

impl Queue {
    fn new(threads: usize) -> Self {
        Self { state: Mutex::default(), changed: Condvar::new(), limit: WAITING * threads.saturating_sub(1) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spare(&self) -> TextBatch {
        self.lock().spare.pop().unwrap_or_default()
    }

    /// Put a batch behind the others; if that is one too many, the first comes out.
    fn push(&self, batch: (u32, TextBatch)) -> Option<(u32, TextBatch)> {
        let mut state = self.lock();
        state.waiting.push_back(batch);
        if state.waiting.len() > self.limit {
            return state.waiting.pop_front();
        }
        self.changed.notify_one();
        None
    }

    /// The next batch; waits for one unless the queue is closed.
    fn pop(&self) -> Option<(u32, TextBatch)> {
        let mut state = self.lock();
        loop {
            match state.waiting.pop_front() {
                None if !state.closed => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                batch => return batch,
            }
        }
    }

    fn try_pop(&self) -> Option<(u32, TextBatch)> {
        self.lock().waiting.pop_front()
    }

    fn count<S: PieceSource>(&self, worker: &mut Worker<S>, (unit, mut batch): (u32, TextBatch)) {
        let outcome = batch.count(worker, unit);
        worker.finished(unit, batch.len() as u64, outcome);
        batch.clear();
        self.lock().spare.push(batch);
    }
}

struct CloseOnDrop<'a>(&'a Queue);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.changed.notify_all();
    }
}
