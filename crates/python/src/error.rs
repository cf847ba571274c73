//! The one place where errors of the core become exceptions of Python.

use piecework_core::error::Error;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError};
use pyo3::import_exception;
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

import_exception!(piecework.errors, SpecError);
import_exception!(piecework.errors, SettingError);
import_exception!(piecework.errors, EncodeError);
import_exception!(piecework.errors, DecodeError);
import_exception!(piecework.errors, TrainingError);
import_exception!(piecework.errors, InternalError);

/// The exception for an error of the core.
pub(crate) fn to_py(error: Error) -> PyErr {
    match error {
        Error::Spec { path, reason } => SpecError::new_err((reason, path)),
        Error::Encode(message) => EncodeError::new_err(message),
        Error::Decode(message) => DecodeError::new_err(message),
        Error::Setting(message) => SettingError::new_err(message),
        Error::Training(message) => TrainingError::new_err(message),
        Error::Io { path, source } => match source.raw_os_error() {
            // With a number the class of the exception follows from it, as FileNotFoundError.
            Some(number) => {
                // Rust writes the number behind the reason, Python in front of it.
                let reason = source.to_string().replace(&format!(" (os error {number})"), "");
                PyOSError::new_err((number, reason, path))
            }
            None => PyOSError::new_err(format!("{path}: {source}")),
        },
        Error::Item { index, source } => in_batch(index, *source),
        Error::Interrupted => PyKeyboardInterrupt::new_err(()),
        Error::Foreign(source) => match source.downcast::<PyErr>() {
            Ok(original) => *original,
            Err(other) => InternalError::new_err(other.to_string()),
        },
        other => InternalError::new_err(other.to_string()),
    }
}

/// The exception for what went wrong with one input of a batch.
fn in_batch(index: usize, error: Error) -> PyErr {
    match error {
        Error::Encode(message) => EncodeError::new_err(format!("input[{index}]: {message}")),
        Error::Setting(message) => SettingError::new_err(format!("input[{index}]: {message}")),
        other => to_py(other),
    }
}

/// The error of the only input of a call, whose index says nothing.
pub(crate) fn of_single(error: Error) -> Error {
    match error {
        Error::Item { source, .. } => *source,
        other => other,
    }
}

/// An exception raised by a component written in Python, on its way through the core.
pub(crate) fn foreign(error: PyErr) -> Error {
    Error::Foreign(Box::new(error))
}

/// Run a call into the core. A panic, which would be a fault of ours, becomes an ordinary exception.
pub(crate) fn guarded<T>(call: impl FnOnce() -> Result<T, Error>) -> PyResult<T> {
    // Nothing that a panic may have left half done is used again: objects of the core are immutable, results are dropped.
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result.map_err(to_py),
        Err(panic) => Err(InternalError::new_err(message(panic.as_ref()))),
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let told = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("internal fault, please report it: {}", told.unwrap_or("no message"))
}
