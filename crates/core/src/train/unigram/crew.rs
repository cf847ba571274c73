//! Threads that work on blocks, while the calling thread reports progress and listens for Ctrl-C.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::error::Result;
use crate::train::progress::Progress;

/// How long the calling thread sleeps between two reports.
const NAP: Duration = Duration::from_millis(20);
/// Work of fewer units than this (a few milliseconds) is done by the calling thread.
const SMALL: u64 = 1 << 15;

/// Runs the parts of a training.
pub(super) struct Crew<'a> {
    threads: usize,
    progress: &'a mut dyn Progress,
    /// Units of the stage that were not reported yet; its size is an estimate.
    left: u64,
}

/// What the threads of one run share.
#[derive(Default)]
pub(super) struct Watch {
    stop: AtomicBool,
    /// Units of progress that were not reported yet.
    done: AtomicU64,
    busy: AtomicUsize,
}

impl Watch {
    /// Count `n` units of work as done.
    pub(super) fn advance(&self, n: u64) {
        self.done.fetch_add(n, Ordering::Relaxed);
    }

    /// Whether the rest of the work is still wanted.
    pub(super) fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }
}

impl<'a> Crew<'a> {
    /// At least one thread.
    pub(super) fn new(threads: usize, progress: &'a mut dyn Progress) -> Self {
        Self { threads: threads.max(1), progress, left: 0 }
    }

    /// See [`Progress::stage`].
    pub(super) fn stage(&mut self, name: &str, total: u64) -> Result<()> {
        self.end_stage()?;
        self.left = total;
        self.progress.stage(name, total)
    }

    /// The stage took less than was estimated.
    pub(super) fn end_stage(&mut self) -> Result<()> {
        if self.left > 0 { self.advance(self.left) } else { Ok(()) }
    }

    fn advance(&mut self, n: u64) -> Result<()> {
        let n = n.min(self.left);
        self.left -= n;
        self.progress.advance(n)
    }

    /// Do the work of all blocks, `size` units together, and settle each: in the order of the blocks, one at a time, on the thread that did its work.
    ///
    /// A piece of work that takes long asks [`Watch::goes_on`] now and then, and may leave off when it does not: then
    /// the whole run ends in an error.
    ///
    /// # Errors
    /// What progress returns.
    pub(super) fn run<S>(
        &mut self,
        blocks: usize,
        size: u64,
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, usize, &Watch) + Sync,
        settle: impl FnMut(&mut S, usize) + Send,
    ) -> Result<()> {
        let watch = Watch::default();
        if size < SMALL {
            let (mut scratch, mut settle) = (scratch(), settle);
            for block in 0..blocks {
                work(&mut scratch, block, &watch);
                settle(&mut scratch, block);
            }
            return self.advance(watch.done.into_inner());
        }
        let next = AtomicUsize::new(0);
        let turn = Turn { state: Mutex::new((0, settle)), changed: Condvar::new() };
        let help = || {
            let mut scratch = scratch();
            loop {
                let block = next.fetch_add(1, Ordering::Relaxed);
                if block >= blocks || watch.stop.load(Ordering::Relaxed) {
                    break;
                }
                work(&mut scratch, block, &watch);
                turn.take(block, &watch, |settle| settle(&mut scratch, block));
            }
        };
        thread::scope(|scope| {
            let caller = thread::current();
            let helpers: Vec<_> = (0..self.threads.min(blocks))
                .map(|_| {
                    watch.busy.fetch_add(1, Ordering::Relaxed);
                    let (watch, help, caller) = (&watch, &help, caller.clone());
                    scope.spawn(move || {
                        // Also if `help` panics: nobody must wait for ever.
                        let _leave = Leave { watch, caller };
                        help();
                    })
                })
                .collect();
            let mut outcome = Ok(());
            while watch.busy.load(Ordering::Acquire) > 0 {
                thread::park_timeout(NAP);
                if outcome.is_ok() {
                    outcome = self.advance(watch.done.swap(0, Ordering::Relaxed));
                    if outcome.is_err() {
                        watch.stop.store(true, Ordering::Relaxed);
                    }
                }
            }
            for helper in helpers {
                if let Err(panic) = helper.join() {
                    std::panic::resume_unwind(panic);
                }
            }
            outcome.and_then(|()| self.advance(watch.done.load(Ordering::Relaxed)))
        })
    }
}

/// Lets the blocks through in their order.
struct Turn<F> {
    /// The next block, and what to do with it.
    state: Mutex<(usize, F)>,
    changed: Condvar,
}

impl<F> Turn<F> {
    /// Wait for the turn of `block`; nothing happens if the run was stopped.
    fn take(&self, block: usize, watch: &Watch, act: impl FnOnce(&mut F)) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.0 != block {
            if watch.stop.load(Ordering::Relaxed) {
                return;
            }
            let waited = self.changed.wait_timeout(state, NAP);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if watch.stop.load(Ordering::Relaxed) {
            return;
        }
        act(&mut state.1);
        state.0 += 1;
        drop(state);
        self.changed.notify_all();
    }
}

/// Tells the others that a thread is done, and stops them if it panicked.
struct Leave<'a> {
    watch: &'a Watch,
    caller: thread::Thread,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.watch.stop.store(true, Ordering::Relaxed);
        }
        self.watch.busy.fetch_sub(1, Ordering::Release);
        self.caller.unpark();
    }
}

/// Borders of blocks of words that have about `size` positions each; they depend on the words alone.
pub(super) fn blocks(starts: &[u32], size: usize) -> Vec<usize> {
    let mut borders = vec![0];
    let mut from = 0;
    for (index, &end) in starts.iter().enumerate().skip(1) {
        if end as usize - from >= size || index + 1 == starts.len() {
            borders.push(index);
            from = end as usize;
        }
    }
    borders
}
