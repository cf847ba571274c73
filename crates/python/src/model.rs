//! Compiled models. A vocabulary lives here only; Python asks for what it shows.

use crate::error::{guarded, to_py};
use crate::signals;
use crate::text::{code_points, utf8};
use piecework_core::error::Error;
use piecework_core::models::{AnyModel, Bpe, ModelScratch, Unigram, Vocabulary, WordLevel, WordPiece};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Model>()
}

/// A compiled model, cheap to clone.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct Model(pub(crate) AnyModel);

/// Id, text, and span in code points.
type Token = (u32, String, (u32, u32));

/// A vocabulary from a dict of token to id.
fn vocabulary(tokens: &Bound<'_, PyDict>) -> PyResult<Vocabulary> {
    let mut builder = Vocabulary::builder(tokens.len(), 0);
    for (token, id) in tokens {
        builder.insert(token.cast::<PyString>()?.to_str()?, id.extract()?);
    }
    Ok(builder.build())
}

/// Options from JSON.
fn read<T: serde::de::DeserializeOwned>(options: &str) -> Result<T, Error> {
    serde_json::from_str(options).map_err(|e| Error::spec("", e))
}

/// Merges from a list of pairs of strings.
fn merges(list: &Bound<'_, PyList>) -> PyResult<Vec<(String, String)>> {
    let at = |(i, merge): (usize, Bound<'_, PyAny>)| {
        let (left, right): (Bound<'_, PyString>, Bound<'_, PyString>) = merge
            .extract()
            .map_err(|_| PyTypeError::new_err(format!("merges[{i}] must be a tuple of two str, got `{merge}`")))?;
        let text = |part| utf8(part, &|| format!("merges[{i}]")).map(str::to_owned);
        Ok((text(&left)?, text(&right)?))
    };
    list.iter().enumerate().map(at).collect()
}

#[pymethods]
impl Model {
    /// The models, by their `type`.
    #[classattr]
    #[pyo3(name = "NAMES")]
    fn names() -> Vec<&'static str> {
        AnyModel::NAMES.to_vec()
    }

    /// From a description as it stands in `tokenizer.json`.
    #[new]
    fn new(py: Python<'_>, json: &str) -> PyResult<Self> {
        py.detach(|| guarded(|| AnyModel::parse(serde_json::from_str(json).map_err(|e| Error::spec("", e))?).map(Self)))
    }

    /// A BPE model; `options` is JSON.
    #[staticmethod]
    fn bpe(py: Python<'_>, vocab: &Bound<'_, PyDict>, merges: &Bound<'_, PyList>, options: &str) -> PyResult<Self> {
        let vocab = vocabulary(vocab)?;
        let merges = self::merges(merges)?;
        py.detach(|| guarded(|| Bpe::new(vocab, merges, read(options)?).map(AnyModel::BPE).map(Self)))
    }

    /// A WordPiece model; `options` is JSON.
    #[staticmethod]
    fn wordpiece(py: Python<'_>, vocab: &Bound<'_, PyDict>, options: &str) -> PyResult<Self> {
        let vocab = vocabulary(vocab)?;
        py.detach(|| guarded(|| Ok(Self(AnyModel::WordPiece(WordPiece::new(vocab, read(options)?))))))
    }

    /// A word-level model; `options` is JSON.
    #[staticmethod]
    fn wordlevel(py: Python<'_>, vocab: &Bound<'_, PyDict>, options: &str) -> PyResult<Self> {
        let vocab = vocabulary(vocab)?;
        py.detach(|| guarded(|| Ok(Self(AnyModel::WordLevel(WordLevel::new(vocab, read(options)?))))))
    }

    /// A Unigram model of tokens with their scores; `options` is JSON.
    #[staticmethod]
    fn unigram(py: Python<'_>, vocab: Vec<(String, f64)>, options: &str) -> PyResult<Self> {
        py.detach(|| guarded(|| Unigram::new(vocab, read(options)?).map(AnyModel::Unigram).map(Self)))
    }

    /// The same vocabulary with other options.
    fn with_options(&self, options: &str) -> PyResult<Self> {
        guarded(|| self.0.with_options(read(options)?).map(Self))
    }

    /// The `type` of the model.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// The options as JSON: everything but the vocabulary.
    fn options(&self) -> PyResult<String> {
        guarded(|| Ok(self.0.options()?.to_string()))
    }

    /// The description as it stands in `tokenizer.json`.
    #[pyo3(signature = (pretty = false))]
    fn json(&self, py: Python<'_>, pretty: bool) -> PyResult<String> {
        py.detach(|| if pretty { serde_json::to_string_pretty(&self.0) } else { serde_json::to_string(&self.0) })
            .map_err(|e| to_py(Error::spec("", e)))
    }

    /// The tokens of a piece: id, text, and span in code points.
    fn tokenize<'py>(&self, py: Python<'py>, piece: &str) -> PyResult<Bound<'py, PyList>> {
        let tokens: Vec<Token> = py.detach(|| {
            guarded(|| {
                let (mut scratch, mut tokens) = (ModelScratch::default(), Vec::new());
                scratch.bpe.counts_dropped = true;
                let model = self.0.as_dyn();
                model.tokenize(piece, &mut scratch, &mut tokens)?;
                let points = code_points(piece);
                let shown = tokens.into_iter().map(|token| {
                    let text = match token.text {
                        Some(text) => text.into_string(),
                        None => model.vocabulary().token(token.id).unwrap_or_default().to_owned(),
                    };
                    (token.id, text, points(token.span))
                });
                Ok(shown.collect())
            })
        })?;
        signals::list(py, tokens)
    }

    /// The id of a token.
    fn token_to_id(&self, token: &str) -> Option<u32> {
        self.0.as_dyn().vocabulary().id(token)
    }

    /// The token of an id.
    fn id_to_token(&self, id: u32) -> Option<&str> {
        self.0.as_dyn().vocabulary().token(id)
    }

    /// All tokens with their ids.
    fn vocab<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (token, id) in self.0.as_dyn().vocabulary().iter() {
            dict.set_item(token, id)?;
        }
        Ok(dict)
    }

    /// Number of tokens.
    #[getter]
    fn size(&self) -> usize {
        self.0.as_dyn().vocabulary().len()
    }

    /// One past the largest id.
    #[getter]
    fn end(&self) -> u64 {
        self.0.as_dyn().vocabulary().end()
    }

    /// The merges of a BPE model, in order.
    fn merges(&self) -> Vec<(&str, &str)> {
        match &self.0 {
            AnyModel::BPE(model) => {
                let text = |id| self.0.as_dyn().vocabulary().token(id).unwrap_or_default();
                model.merges().iter().map(|&(left, right)| (text(left), text(right))).collect()
            }
            _ => Vec::new(),
        }
    }
}
