//! Work handed out to threads in order.
//!
//! Threads are started for one call and end with it: some 20 µs each, against nothing that could be broken by a fork or keep
//! a process alive.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Run `work` on every item, on up to `threads` threads, this one among them. The results stand in the order of the items.
///
/// # Errors
/// That of the first item whose work fails.
pub(super) fn in_order<I: Sync, T: Send, E: Send>(
    items: &[I],
    threads: usize,
    work: impl Fn(&I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<T, E>)>> = Mutex::new(Vec::with_capacity(items.len()));
    let run = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { break };
            let result = work(item);
            if result.is_err() {
                next.store(items.len(), Ordering::Relaxed); // what has been handed out is finished, no more is
            }
            done.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(items.len()) {
            scope.spawn(run);
        }
        run();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Items are handed out in order, so of several errors that of the first item is always among them.
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
