//! Truncation and padding settings.

use crate::error::guarded;
use piecework_core::columns as core;
use piecework_core::columns::{Direction, PaddingStrategy, Strategy};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Truncation>()?;
    module.add_class::<Padding>()
}

fn direction(left: bool) -> Direction {
    if left { Direction::Left } else { Direction::Right }
}

/// How long rows may be.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct Truncation(pub(crate) core::Truncation);

#[pymethods]
impl Truncation {
    #[new]
    fn new(max_length: usize, stride: usize, strategy: &str, left: bool) -> PyResult<Self> {
        let strategy = match strategy {
            "longest_first" => Strategy::LongestFirst,
            "only_first" => Strategy::OnlyFirst,
            "only_second" => Strategy::OnlySecond,
            other => return Err(PyValueError::new_err(format!("unknown strategy `{other}`"))),
        };
        Ok(Self(core::Truncation { direction: direction(left), max_length, strategy, stride }))
    }

    #[getter]
    fn max_length(&self) -> usize {
        self.0.max_length
    }

    #[getter]
    fn stride(&self) -> usize {
        self.0.stride
    }

    #[getter]
    fn strategy(&self) -> &'static str {
        match self.0.strategy {
            Strategy::LongestFirst => "longest_first",
            Strategy::OnlyFirst => "only_first",
            Strategy::OnlySecond => "only_second",
        }
    }

    #[getter]
    fn left(&self) -> bool {
        self.0.direction == Direction::Left
    }
}

/// How rows are filled up.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct Padding(pub(crate) core::Padding);

#[pymethods]
impl Padding {
    #[new]
    fn new(
        length: Option<usize>,
        left: bool,
        pad_to_multiple_of: Option<usize>,
        pad_id: u32,
        pad_type_id: u32,
        pad_token: String,
    ) -> PyResult<Self> {
        let strategy = length.map_or(PaddingStrategy::BatchLongest, PaddingStrategy::Fixed);
        let direction = direction(left);
        let padding = core::Padding { strategy, direction, pad_to_multiple_of, pad_id, pad_type_id, pad_token };
        guarded(|| padding.check().map(|()| Self(padding)))
    }

    #[getter]
    fn length(&self) -> Option<usize> {
        match self.0.strategy {
            PaddingStrategy::BatchLongest => None,
            PaddingStrategy::Fixed(length) => Some(length),
        }
    }

    #[getter]
    fn left(&self) -> bool {
        self.0.direction == Direction::Left
    }

    #[getter]
    fn pad_to_multiple_of(&self) -> Option<usize> {
        self.0.pad_to_multiple_of
    }

    #[getter]
    fn pad_id(&self) -> u32 {
        self.0.pad_id
    }

    #[getter]
    fn pad_type_id(&self) -> u32 {
        self.0.pad_type_id
    }

    #[getter]
    fn pad_token(&self) -> &str {
        &self.0.pad_token
    }
}
