//! Ctrl-C in calls that may take long.

use crate::error::guarded;
use piecework_core::error::Error;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Instant;

/// Milliseconds between two looks at the signals: taking the GIL back may have to wait for other threads.
const PATIENCE: u64 = 50;

/// Items of a list that are made between two looks at the signals.
const STRIDE: usize = 1 << 12;

/// Run `work` with the GIL released; it asks what it is given, now and then, whether it is to end. What a signal handler raises is
/// what the call raises.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let signals = Signals::new();
    let result = py.detach(|| guarded(|| work(&|| signals.stop())));
    match signals.raised() {
        Some(error) => Err(error),
        None => result,
    }
}

/// A list of what may be millions of items.
pub(crate) fn list<'py, T: IntoPyObject<'py>>(py: Python<'py>, items: Vec<T>) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for (i, item) in items.into_iter().enumerate() {
        if i % STRIDE == 0 {
            py.check_signals()?;
        }
        list.append(item)?;
    }
    Ok(list)
}

/// Asked now and then by all threads of a call; the calling thread alone looks at the signals, and seldom.
struct Signals {
    caller: ThreadId,
    started: Instant,
    looked: AtomicU64,
    stopped: AtomicBool,
    raised: Mutex<Option<PyErr>>,
}

impl Signals {
    /// For a call of the present thread.
    fn new() -> Self {
        Self {
            caller: thread::current().id(),
            started: Instant::now(),
            looked: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            raised: Mutex::new(None),
        }
    }

    /// Whether the call is to end.
    fn stop(&self) -> bool {
        if self.stopped.load(Ordering::Relaxed) {
            return true;
        }
        let now = self.started.elapsed().as_millis() as u64;
        if now < self.looked.load(Ordering::Relaxed) + PATIENCE || thread::current().id() != self.caller {
            return false;
        }
        self.looked.store(now, Ordering::Relaxed);
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method alone is not general enough")]
        let Err(error) = Python::attach(|py| py.check_signals()) else { return false };
        *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        self.stopped.store(true, Ordering::Relaxed);
        true
    }

    /// What a signal handler raised.
    fn raised(self) -> Option<PyErr> {
        self.raised.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
