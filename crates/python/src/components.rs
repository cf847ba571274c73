//! Compiled normalizers, pre-tokenizers, post-processors and decoders: one class a family.

use crate::aligned::{AlignedText, Foreign};
use crate::columns::Columns;
use crate::error::{guarded, to_py};
use crate::rows::{GivenRows, Rows, arrange};
use crate::signals;
use crate::text::code_points;
use piecework_core::columns::Item;
use piecework_core::decoders::{self, AnyDecoder, DecodeToken};
use piecework_core::error::{Error, Result};
use piecework_core::normalizers::{self, AnyNormalizer};
use piecework_core::pre_tokenizers::{self, AnyPreTokenizer};
use piecework_core::processors::{self, AnyProcessor};
use piecework_core::split::{Matcher, Pattern};
use piecework_core::text::{self, Pretokens};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::sync::Arc;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Normalizer>()?;
    module.add_class::<PreTokenizer>()?;
    module.add_class::<PostProcessor>()?;
    module.add_class::<Decoder>()?;
    module.add_function(wrap_pyfunction!(check_regex, module)?)
}

/// Compile a regular expression, only to see whether it can be.
#[pyfunction]
fn check_regex(pattern: String) -> PyResult<()> {
    guarded(|| Matcher::new(&Pattern::Regex(pattern)).map(drop))
}

/// JSON as it stands in `tokenizer.json`, read by a family.
fn parse<T>(json: &[u8], parse: impl FnOnce(serde_json::Value) -> Result<T>) -> PyResult<T> {
    guarded(|| parse(serde_json::from_slice(json).map_err(|e| Error::spec("", e))?))
}

fn write(component: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(component).map_err(|e| to_py(Error::spec("", e)))
}

/// A compiled normalizer.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct Normalizer(pub(crate) AnyNormalizer);

#[pymethods]
impl Normalizer {
    /// The components of this family, by their `type`.
    #[classattr]
    #[pyo3(name = "NAMES")]
    fn names() -> Vec<&'static str> {
        AnyNormalizer::NAMES.to_vec()
    }

    #[new]
    fn new(json: &[u8]) -> PyResult<Self> {
        parse(json, AnyNormalizer::parse).map(Self)
    }

    /// Several normalizers, one after the other.
    #[staticmethod]
    fn sequence(parts: Vec<PyRef<'_, Self>>) -> Self {
        let normalizers = parts.iter().map(|part| part.0.clone()).collect();
        Self(AnyNormalizer::Sequence(normalizers::sequence::Sequence { normalizers }))
    }

    /// A normalizer written in Python.
    #[staticmethod]
    fn custom(object: Py<PyAny>) -> Self {
        Self(AnyNormalizer::Custom(Arc::new(Foreign(object))))
    }

    /// The canonical description.
    fn json(&self) -> PyResult<String> {
        write(&self.0)
    }

    /// The normalized text.
    fn normalize_str(&self, py: Python<'_>, text: &str) -> PyResult<String> {
        py.detach(|| {
            guarded(|| {
                let mut text = text::AlignedText::untracked(text, 0);
                self.0.as_dyn().normalize(&mut text)?;
                Ok(text.into_string())
            })
        })
    }
}

/// A compiled pre-tokenizer.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct PreTokenizer(pub(crate) AnyPreTokenizer);

#[pymethods]
impl PreTokenizer {
    /// The components of this family, by their `type`.
    #[classattr]
    #[pyo3(name = "NAMES")]
    fn names() -> Vec<&'static str> {
        AnyPreTokenizer::NAMES.to_vec()
    }

    #[new]
    fn new(json: &[u8]) -> PyResult<Self> {
        parse(json, AnyPreTokenizer::parse).map(Self)
    }

    /// Several pre-tokenizers, one after the other.
    #[staticmethod]
    fn sequence(parts: Vec<PyRef<'_, Self>>) -> Self {
        let pretokenizers = parts.iter().map(|part| part.0.clone()).collect();
        Self(AnyPreTokenizer::Sequence(pre_tokenizers::sequence::Sequence { pretokenizers }))
    }

    /// A pre-tokenizer written in Python.
    #[staticmethod]
    fn custom(object: Py<PyAny>) -> Self {
        Self(AnyPreTokenizer::Custom(Arc::new(Foreign(object))))
    }

    /// The canonical description.
    fn json(&self) -> PyResult<String> {
        write(&self.0)
    }

    /// The texts that pretokens are cut into.
    fn pre_tokenize(&self, py: Python<'_>, texts: Vec<PyRef<'_, AlignedText>>) -> PyResult<Vec<AlignedText>> {
        let texts = texts.iter().map(|text| text.0.clone()).collect();
        py.detach(|| {
            guarded(|| {
                let mut pretokens = Pretokens::from_texts(texts);
                self.0.as_dyn().pre_tokenize(&mut pretokens)?;
                Ok(pretokens.to_texts().into_iter().map(AlignedText).collect())
            })
        })
    }

    /// The pretokens of a text, each with its span in code points.
    fn pre_tokenize_str<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyList>> {
        let pieces: Vec<(String, (u32, u32))> = py.detach(|| {
            guarded(|| {
                let mut pretokens = Pretokens::new(text::AlignedText::new(text, 0));
                self.0.as_dyn().pre_tokenize(&mut pretokens)?;
                let points = code_points(text);
                let spans = pretokens.pieces().iter().map(|piece| points(pretokens.origin(piece)));
                Ok(pretokens.iter().map(str::to_owned).zip(spans).collect())
            })
        })?;
        signals::list(py, pieces)
    }
}

/// A compiled post-processor.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct PostProcessor(pub(crate) AnyProcessor);

#[pymethods]
impl PostProcessor {
    /// The components of this family, by their `type`.
    #[classattr]
    #[pyo3(name = "NAMES")]
    fn names() -> Vec<&'static str> {
        AnyProcessor::NAMES.to_vec()
    }

    #[new]
    fn new(json: &[u8]) -> PyResult<Self> {
        parse(json, AnyProcessor::parse).map(Self)
    }

    /// Several post-processors, one after the other.
    #[staticmethod]
    fn sequence(parts: Vec<PyRef<'_, Self>>) -> Self {
        let processors = parts.iter().map(|part| part.0.clone()).collect();
        Self(AnyProcessor::Sequence(processors::sequence::Sequence { processors }))
    }

    /// The canonical description.
    fn json(&self) -> PyResult<String> {
        write(&self.0)
    }

    /// What the processor makes of rows that are encoded already: those of one text (its overflow behind it), or of two.
    fn process(&self, given: Vec<GivenRows<'_>>, add_special_tokens: bool) -> PyResult<Columns> {
        let rows = given.iter().map(|(rows, sequences)| Rows::new(rows, *sequences)).collect::<PyResult<Vec<_>>>()?;
        let [first, rest @ ..] = rows.as_slice() else { return Err(PyValueError::new_err("no encoding was given")) };
        let columns = guarded(|| {
            let items = AnyProcessor::items(Some(&self.0), !rest.is_empty(), add_special_tokens)?;
            arrange(first, rest.first(), &items, None, false)
        })?;
        Ok(Columns::standing_alone(columns))
    }

    /// How many tokens are added to a single text or a pair.
    fn added_count(&self, is_pair: bool) -> PyResult<usize> {
        guarded(|| {
            let items = AnyProcessor::items(Some(&self.0), is_pair, true)?;
            Ok(Item::specials(&items))
        })
    }
}

/// A compiled decoder.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct Decoder(pub(crate) AnyDecoder);

#[pymethods]
impl Decoder {
    /// The components of this family, by their `type`.
    #[classattr]
    #[pyo3(name = "NAMES")]
    fn names() -> Vec<&'static str> {
        AnyDecoder::NAMES.to_vec()
    }

    #[new]
    fn new(json: &[u8]) -> PyResult<Self> {
        parse(json, AnyDecoder::parse).map(Self)
    }

    /// Several decoders, one after the other.
    #[staticmethod]
    fn sequence(parts: Vec<PyRef<'_, Self>>) -> Self {
        let decoders = parts.iter().map(|part| part.0.clone()).collect();
        Self(AnyDecoder::Sequence(decoders::sequence::Sequence { decoders }))
    }

    /// A decoder written in Python.
    #[staticmethod]
    fn custom(object: Py<PyAny>) -> Self {
        Self(AnyDecoder::Custom(Arc::new(Foreign(object))))
    }

    /// The canonical description.
    fn json(&self) -> PyResult<String> {
        write(&self.0)
    }

    /// The text of a list of tokens.
    fn decode(&self, py: Python<'_>, tokens: Vec<String>) -> PyResult<String> {
        py.detach(|| guarded(|| self.0.as_dyn().decode(tokens.into_iter().map(DecodeToken::ordinary).collect())))
    }
}
