//! Decoding id by id.

use crate::error::guarded;
use crate::program::Program;
use piecework_core::decode_stream as core;
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<DecodeStream>()
}

/// A stream of ids on its way to text.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct DecodeStream(Mutex<core::DecodeStream>);

impl DecodeStream {
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut core::DecodeStream) -> Result<T, piecework_core::error::Error> + Send,
    ) -> PyResult<T> {
        // The lock is waited for without the GIL, which a decoder written in Python may need meanwhile.
        py.detach(|| guarded(|| call(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))))
    }
}

#[pymethods]
impl DecodeStream {
    #[new]
    fn new(skip_special_tokens: bool) -> Self {
        Self(Mutex::new(core::DecodeStream::new(skip_special_tokens)))
    }

    /// Take in ids; gives the text that they complete.
    fn step(&self, py: Python<'_>, program: &Program, ids: Vec<u32>) -> PyResult<Option<String>> {
        self.with(py, |stream| stream.step(&program.core, &ids))
    }

    /// End the stream; gives what was held back.
    fn flush(&self, py: Python<'_>, program: &Program) -> PyResult<Option<String>> {
        self.with(py, |stream| stream.flush(&program.core))
    }

    /// The stream as it is now, to go on apart from this one.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        self.with(py, |stream| Ok(Self(Mutex::new(stream.clone()))))
    }
}
