//! `piecework._core`: translates between Python and `piecework-core`, and does nothing else.
//!
//! All objects are frozen: what can change lives in Python and is compiled anew. The GIL is released wherever text is worked on.

#![expect(clippy::needless_pass_by_value, reason = "functions of Python own what is extracted for them")]

mod aligned;
mod arrays;
mod columns;
mod components;
mod error;
mod model;
mod program;
mod rows;
mod settings;
mod signals;
mod spec;
mod stream;
mod text;
mod thrift;
mod trainer;

use pyo3::prelude::*;

/// Columns of a large batch are tens of megabytes that the caller soon lets go. This allocator keeps such memory for a second, so
/// that the next batch need not have every page cleared again: a third of the time of encoding.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The compiled side of piecework. Private: its surface follows the needs of the package.
#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    aligned::register(module)?;
    arrays::register(module)?;
    components::register(module)?;
    model::register(module)?;
    settings::register(module)?;
    stream::register(module)?;
    columns::register(module)?;
    spec::register(module)?;
    program::register(module)?;
    trainer::register(module)
}
