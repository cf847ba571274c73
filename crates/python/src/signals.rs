//! Ctrl-C while the GIL is released.

use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Instant;

/// Milliseconds between two looks at the signals: taking the GIL back may have to wait for other threads.
const PATIENCE: u64 = 50;

/// Asked now and then by all threads of a call; the calling thread alone looks at the signals, and seldom.
pub(crate) struct Signals {
    caller: ThreadId,
    started: Instant,
    looked: AtomicU64,
    stopped: AtomicBool,
    raised: Mutex<Option<PyErr>>,
}

impl Signals {
    /// For a call of the present thread.
    pub(crate) fn new() -> Self {
        Self {
            caller: thread::current().id(),
            started: Instant::now(),
            looked: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            raised: Mutex::new(None),
        }
    }

    /// Whether the call is to end.
    pub(crate) fn stop(&self) -> bool {
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
    pub(crate) fn raised(self) -> Option<PyErr> {
        self.raised.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
