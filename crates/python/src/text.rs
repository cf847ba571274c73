//! Texts as they come from Python, and positions as they go there.

use piecework_core::program::{Input, Sequence};
use piecework_core::text::{ByteSpan, CharIndex, CharSpan};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};

/// From spans in bytes of a text to spans in code points, as Python gets them.
pub(crate) fn code_points(text: &str) -> impl Fn(ByteSpan) -> (u32, u32) {
    let mut index = CharIndex::default();
    index.renew(text);
    move |span| {
        let CharSpan { start, end } = index.chars()(&span);
        (start, end)
    }
}

/// A sequence of an input as it came, which keeps its strings alive.
pub(crate) enum Given<'py> {
    Text(Bound<'py, PyString>),
    Words(Vec<Bound<'py, PyString>>),
}

/// An input as it came: a sequence or a pair.
pub(crate) type GivenInput<'py> = (Given<'py>, Option<Given<'py>>);

/// The type of what was given instead, as Python names it.
pub(crate) fn kind(given: &Bound<'_, PyAny>) -> String {
    given.get_type().name().map_or_else(|_| "?".into(), |name| name.to_string())
}

/// The error for a thing of another type than expected.
pub(crate) fn wrong(place: &str, expected: &str, given: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{place} must be {expected}, not {}", kind(given)))
}

/// The error for what was to be a number: `error` is what Python says of it, `too_large` makes the one for a number out of range.
/// What `__index__` of the thing itself raises stays as it is.
pub(crate) fn no_number(
    place: &str,
    given: &Bound<'_, PyAny>,
    error: PyErr,
    too_large: impl FnOnce() -> PyErr,
) -> PyErr {
    if error.is_instance_of::<PyOverflowError>(given.py()) {
        too_large()
    } else if error.is_instance_of::<PyTypeError>(given.py()) {
        wrong(place, "int", given)
    } else {
        error
    }
}

/// Whether this is a list of things, as opposed to a text.
fn is_list(given: &Bound<'_, PyAny>) -> bool {
    given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() || is_array(given)
}

/// Whether this is a numpy array, asked without importing numpy.
pub(crate) fn is_array(given: &Bound<'_, PyAny>) -> bool {
    given.get_type().name().is_ok_and(|name| name == "ndarray")
}

fn words<'py>(given: &Bound<'py, PyAny>, place: &str) -> PyResult<Given<'py>> {
    let word = |(i, word): (usize, PyResult<Bound<'py, PyAny>>)| {
        word?.cast_into::<PyString>().map_err(|e| wrong(&format!("{place}[{i}]"), "str", &e.into_inner()))
    };
    given.try_iter()?.enumerate().map(word).collect::<PyResult<_>>().map(Given::Words)
}

/// One sequence: a text, or with `is_pretokenized` a list of words.
pub(crate) fn sequence<'py>(given: &Bound<'py, PyAny>, is_pretokenized: bool, place: &str) -> PyResult<Given<'py>> {
    if is_pretokenized {
        if is_list(given) {
            words(given, place)
        } else {
            Err(wrong(place, "a list of str (is_pretokenized=True)", given))
        }
    } else {
        let text = given.cast::<PyString>().map_err(|_| wrong(place, "str", given))?;
        Ok(Given::Text(text.clone()))
    }
}

/// An item of a batch: a sequence, or a pair of sequences.
fn item<'py>(given: &Bound<'py, PyAny>, is_pretokenized: bool, index: usize) -> PyResult<GivenInput<'py>> {
    if !is_pretokenized && let Ok(text) = given.cast::<PyString>() {
        return Ok((Given::Text(text.clone()), None));
    }
    let place = format!("input[{index}]");
    let expected = if is_pretokenized { "a list of str or a pair of such lists" } else { "str or a pair of str" };
    if !is_list(given) {
        return Err(wrong(&place, expected, given));
    }
    let parts = given.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    if is_pretokenized && !parts.first().is_some_and(is_list) {
        return Ok((words(given, &place)?, None));
    }
    let [first, second] = parts.as_slice() else {
        return Err(PyTypeError::new_err(format!("{place} must be {expected}, not {} items", parts.len())));
    };
    let first = sequence(first, is_pretokenized, &format!("{place}[0]"))?;
    Ok((first, Some(sequence(second, is_pretokenized, &format!("{place}[1]"))?)))
}

/// A batch: anything that can be iterated over, but no single text.
pub(crate) fn batch<'py>(given: &Bound<'py, PyAny>, is_pretokenized: bool) -> PyResult<Vec<GivenInput<'py>>> {
    if given.is_instance_of::<PyString>() || given.is_instance_of::<PyBytes>() || given.is_instance_of::<PyDict>() {
        return Err(wrong("input", "a list of texts", given));
    }
    let items = given.try_iter().map_err(|_| wrong("input", "a list of texts", given))?;
    items.enumerate().map(|(i, given)| item(&given?, is_pretokenized, i)).collect()
}

/// Borrow the texts of inputs as UTF-8, which Python keeps with its strings.
///
/// # Errors
/// `UnicodeEncodeError` for a lone surrogate, which names the place.
pub(crate) fn borrow<'a>(given: &'a [GivenInput<'_>], name: impl Fn(usize) -> String) -> PyResult<Vec<Input<'a>>> {
    let sequence = |given: &'a Given<'_>, place: &dyn Fn() -> String| match given {
        Given::Text(text) => utf8(text, place).map(Sequence::Text),
        Given::Words(words) => {
            let word = |(i, word): (usize, &'a Bound<'_, PyString>)| utf8(word, &|| format!("{}[{i}]", place()));
            words.iter().enumerate().map(word).collect::<PyResult<_>>().map(Sequence::Words)
        }
    };
    let input = |(i, (first, second)): (usize, &'a GivenInput<'_>)| {
        let part = |n: usize| if second.is_some() { format!("{}[{n}]", name(i)) } else { name(i) };
        let second = second.as_ref().map(|second| sequence(second, &|| part(1))).transpose()?;
        Ok(Input { first: sequence(first, &|| part(0))?, second })
    };
    given.iter().enumerate().map(input).collect()
}

pub(crate) fn utf8<'a>(text: &'a Bound<'_, PyString>, place: &dyn Fn() -> String) -> PyResult<&'a str> {
    text.to_str().map_err(|error| located(text.py(), error, &place()))
}

/// The same error with the place in its reason.
fn located(py: Python<'_>, error: PyErr, place: &str) -> PyErr {
    if !error.is_instance_of::<PyUnicodeEncodeError>(py) {
        return error;
    }
    let reason = |value: &Bound<'_, PyAny>| -> PyResult<PyErr> {
        let reason = format!("{} (in {place})", value.getattr("reason")?);
        let parts =
            [value.getattr("encoding")?, value.getattr("object")?, value.getattr("start")?, value.getattr("end")?];
        let [encoding, object, start, end] = parts.map(Bound::unbind);
        Ok(PyUnicodeEncodeError::new_err((encoding, object, start, end, reason)))
    };
    reason(error.value(py)).unwrap_or(error)
}
