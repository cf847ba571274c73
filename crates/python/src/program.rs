//! The compiled tokenizer: texts in, columns out, with the GIL released in between.

use crate::arrays::{MATRICES, Matrices, Ragged, need_numpy};
use crate::columns::Columns;
use crate::components::{Decoder, Normalizer, PostProcessor, PreTokenizer};
use crate::error::{guarded, of_single};
use crate::model::Model;
use crate::rows::{GivenRows, Rows, arrange};
use crate::settings::{Padding, Truncation};
use crate::signals::interruptible;
use crate::spec::{Added, added_token};
use crate::text::{self, GivenInput};
use numpy::{IntoPyArray, PyArray1, PyArrayMethods};
use piecework_core::error::Error;
use piecework_core::processors::AnyProcessor;
use piecework_core::program::{self as core, EncodeOptions, Parts, Wanted};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict, PyString};
use std::fmt::Display;
use std::sync::Arc;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Program>()
}

/// Ids end to end, and where each text starts.
type RaggedIds<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<i64>>);

/// A compiled tokenizer.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct Program {
    pub(crate) core: Arc<core::Program>,
    processor: Option<AnyProcessor>,
    /// Whether to go component by component, without scanners and cache.
    exact: bool,
}

impl Program {
    fn asked(
        &self,
        add_special_tokens: bool,
        truncation: Option<&Truncation>,
        padding: Option<&Padding>,
        wanted: Wanted,
    ) -> Asked {
        Asked {
            add_special_tokens,
            truncation: truncation.map(|t| t.0.clone()),
            padding: padding.map(|p| p.0.clone()),
            wanted,
            exact: self.exact,
        }
    }

    /// Type ids of a pair without a processor: where spans are not asked for the reference leaves them 0.
    fn forget_types(columns: &mut piecework_core::columns::Columns) {
        let attention = columns.attention(0..columns.ids.len());
        for (type_id, attention) in columns.type_ids.iter_mut().zip(attention) {
            if attention != 0 {
                *type_id = 0;
            }
        }
    }

    /// Columns whose ids are shown as this program has them; `fast` ones know ids alone.
    fn columns(&self, columns: piecework_core::columns::Columns, fast: bool) -> Columns {
        Columns { core: columns, program: Some(Arc::clone(&self.core)), fast }
    }
}

/// What a call asks for, beside its inputs.
struct Asked {
    add_special_tokens: bool,
    truncation: Option<piecework_core::columns::Truncation>,
    padding: Option<piecework_core::columns::Padding>,
    wanted: Wanted,
    exact: bool,
}

impl Asked {
    /// Run a call of the core with the GIL released. Ctrl-C ends it.
    fn run<T: Send>(
        self,
        py: Python<'_>,
        call: impl FnOnce(&EncodeOptions<'_>) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        interruptible(py, |interrupt| {
            call(&EncodeOptions {
                add_special_tokens: self.add_special_tokens,
                truncation: self.truncation,
                padding: self.padding,
                wanted: self.wanted,
                threads: threads(),
                exact: self.exact,
                interrupt,
            })
        })
    }
}

/// Many threads more than there are cores only cost; as many as somebody may write cannot be started.
const MOST_THREADS: usize = 256;

/// Most threads to use: `RAYON_NUM_THREADS` if it is set, else all cores; one if `TOKENIZERS_PARALLELISM` says so.
pub(crate) fn threads() -> usize {
    let off =
        |value: &str| matches!(value.to_ascii_lowercase().as_str(), "" | "0" | "false" | "off" | "no" | "f" | "n");
    if std::env::var("TOKENIZERS_PARALLELISM").is_ok_and(|value| off(&value)) {
        return 1;
    }
    let set = std::env::var("RAYON_NUM_THREADS").ok().and_then(|n| n.parse().ok()).filter(|&n| n > 0);
    set.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).min(MOST_THREADS)
}

/// Name the input of a batch in messages.
fn in_batch(index: usize) -> String {
    format!("input[{index}]")
}

fn single<'py>(
    sequence: &Bound<'py, PyAny>,
    pair: Option<&Bound<'py, PyAny>>,
    is_pretokenized: bool,
) -> PyResult<[GivenInput<'py>; 1]> {
    let first = text::sequence(sequence, is_pretokenized, "sequence")?;
    let second = pair.map(|pair| text::sequence(pair, is_pretokenized, "pair")).transpose()?;
    Ok([(first, second)])
}

/// Ids as they come: a list, a tuple, a range, an array. `place` is what messages call them.
fn ids(given: &Bound<'_, PyAny>, place: &str) -> PyResult<Vec<u32>> {
    let too_large =
        |at: usize, id: &dyn Display| format!("`{place}[{at}]` is {id}, expected an id from 0 to {}", u32::MAX);
    // Only what is an array already is asked of numpy, which is slow to import.
    if text::is_array(given) {
        need_numpy(given.py())?;
        if let Ok(array) = given.cast::<PyArray1<u32>>() {
            return Ok(array.readonly().as_array().to_vec());
        }
        if let Ok(array) = given.cast::<PyArray1<i64>>() {
            let id =
                |(at, id): (usize, &i64)| u32::try_from(*id).map_err(|_| PyOverflowError::new_err(too_large(at, id)));
            return array.readonly().as_array().iter().enumerate().map(id).collect();
        }
    }
    if given.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(format!("`{place}` must be integers, not str")));
    }
    let id = |(at, item): (usize, PyResult<Bound<'_, PyAny>>)| {
        let item = item?;
        item.extract::<u32>().map_err(|error| {
            let too_large = || PyOverflowError::new_err(too_large(at, &item));
            text::no_number(&format!("`{place}[{at}]`"), &item, error, too_large)
        })
    };
    given.try_iter()?.enumerate().map(id).collect()
}

#[pymethods]
impl Program {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "the parts of a tokenizer")]
    fn new(
        py: Python<'_>,
        normalizer: Option<&Normalizer>,
        pre_tokenizer: Option<&PreTokenizer>,
        model: &Model,
        post_processor: Option<&PostProcessor>,
        decoder: Option<&Decoder>,
        added_tokens: Vec<Added>,
        encode_special_tokens: bool,
        exact: bool,
    ) -> PyResult<Self> {
        let parts = Parts {
            normalizer: normalizer.map(|n| n.0.clone()),
            pre_tokenizer: pre_tokenizer.map(|p| p.0.clone()),
            model: model.0.clone(),
            post_processor: post_processor.map(|p| p.0.clone()),
            decoder: decoder.map(|d| d.0.clone()),
            added_tokens: added_tokens.into_iter().map(added_token).collect(),
            encode_special_tokens,
        };
        let processor = parts.post_processor.clone();
        let core = py.detach(|| guarded(|| core::Program::compile(parts)))?;
        Ok(Self { core: Arc::new(core), processor, exact })
    }

    /// Encode one text or pair.
    #[expect(clippy::too_many_arguments, reason = "the arguments of `encode`")]
    fn encode(
        &self,
        py: Python<'_>,
        sequence: &Bound<'_, PyAny>,
        pair: Option<&Bound<'_, PyAny>>,
        is_pretokenized: bool,
        add_special_tokens: bool,
        truncation: Option<&Truncation>,
        padding: Option<&Padding>,
    ) -> PyResult<Columns> {
        let given = single(sequence, pair, is_pretokenized)?;
        let inputs = text::borrow(&given, |_| if pair.is_some() { "input".into() } else { "sequence".into() })?;
        let asked = self.asked(add_special_tokens, truncation, padding, Wanted::Texts);
        let columns = asked.run(py, |options| self.core.encode(&inputs, options).map_err(of_single))?;
        Ok(self.columns(columns, false))
    }

    /// Encode a batch. Without `spans` the result knows ids alone, as `encode_batch_fast` wants it.
    #[expect(clippy::too_many_arguments, reason = "the arguments of `encode_batch`")]
    fn encode_batch(
        &self,
        py: Python<'_>,
        input: &Bound<'_, PyAny>,
        is_pretokenized: bool,
        add_special_tokens: bool,
        truncation: Option<&Truncation>,
        padding: Option<&Padding>,
        spans: bool,
    ) -> PyResult<Columns> {
        let given = text::batch(input, is_pretokenized)?;
        let inputs = text::borrow(&given, in_batch)?;
        let wanted = if spans { Wanted::Texts } else { Wanted::Ids };
        let asked = self.asked(add_special_tokens, truncation, padding, wanted);
        let mut columns = asked.run(py, |options| self.core.encode(&inputs, options))?;
        if !spans && self.processor.is_none() {
            Self::forget_types(&mut columns);
        }
        Ok(self.columns(columns, !spans))
    }

    /// The ids of a batch end to end, and where each text starts.
    fn encode_ids<'py>(
        &self,
        py: Python<'py>,
        input: &Bound<'py, PyAny>,
        is_pretokenized: bool,
        add_special_tokens: bool,
        truncation: Option<&Truncation>,
    ) -> PyResult<RaggedIds<'py>> {
        need_numpy(py)?;
        let given = text::batch(input, is_pretokenized)?;
        let inputs = text::borrow(&given, in_batch)?;
        let asked = self.asked(add_special_tokens, truncation, None, Wanted::Ids);
        let ragged = asked.run(py, |options| self.core.encode_ids(&inputs, options))?;
        Ok((ragged.ids.into_pyarray(py), ragged.offsets.into_pyarray(py)))
    }

    /// All columns of a batch as arrays: ragged, or matrices.
    #[expect(
        clippy::too_many_arguments,
        clippy::fn_params_excessive_bools,
        reason = "the arguments of `encode_columns`"
    )]
    fn encode_columns<'py>(
        &self,
        py: Python<'py>,
        input: &Bound<'py, PyAny>,
        is_pretokenized: bool,
        add_special_tokens: bool,
        truncation: Option<&Truncation>,
        padding: Option<&Padding>,
        padded: bool,
        overflow: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        need_numpy(py)?;
        let given = text::batch(input, is_pretokenized)?;
        let inputs = text::borrow(&given, in_batch)?;
        let asked = self.asked(add_special_tokens, truncation, padding.filter(|_| !padded), Wanted::Spans);
        if padded {
            let padding = padding.map(|p| &p.0);
            let encode = |options: &EncodeOptions<'_>| {
                Matrices::new(&self.core.encode(&inputs, options)?, padding, overflow, &MATRICES)
            };
            asked.run(py, encode)?.into_dict(py)
        } else {
            asked.run(py, |options| Ok(Ragged::new(self.core.encode(&inputs, options)?, overflow)))?.into_dict(py)
        }
    }

    /// The number of tokens of each text of a batch.
    fn count<'py>(
        &self,
        py: Python<'py>,
        input: &Bound<'py, PyAny>,
        is_pretokenized: bool,
        add_special_tokens: bool,
        truncation: Option<&Truncation>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        need_numpy(py)?;
        let given = text::batch(input, is_pretokenized)?;
        let inputs = text::borrow(&given, in_batch)?;
        let asked = self.asked(add_special_tokens, truncation, None, Wanted::Ids);
        Ok(asked.run(py, |options| self.core.count(&inputs, options))?.into_pyarray(py))
    }

    /// Truncate rows that are encoded already, put in special tokens, and pad: those of one text (its overflow behind it), or of two.
    fn post_process(
        &self,
        py: Python<'_>,
        first: GivenRows<'_>,
        second: Option<GivenRows<'_>>,
        add_special_tokens: bool,
        truncation: Option<&Truncation>,
        padding: Option<&Padding>,
    ) -> PyResult<Columns> {
        let first = Rows::new(&first.0, first.1)?;
        let second = second.map(|(rows, sequences)| Rows::new(&rows, sequences)).transpose()?;
        let asked = self.asked(add_special_tokens, truncation, padding, Wanted::Texts);
        let is_pair = second.is_some();
        let columns = asked.run(py, |options| {
            let items = AnyProcessor::items(self.processor.as_ref(), is_pair, add_special_tokens)?;
            let truncation = options.truncation.as_ref();
            let columns = arrange(&first, second.as_ref(), &items, truncation, self.processor.is_none())?;
            match &options.padding {
                Some(padding) => columns.padded(padding, Some(&padding.pad_token.as_str().into())),
                None => Ok(columns),
            }
        })?;
        Ok(self.columns(columns, false))
    }

    /// The text of ids.
    fn decode(&self, py: Python<'_>, ids: &Bound<'_, PyAny>, skip_special_tokens: bool) -> PyResult<String> {
        let ids = self::ids(ids, "ids")?;
        py.detach(|| guarded(|| self.core.decode(&ids, skip_special_tokens)))
    }

    /// The texts of many lists of ids.
    fn decode_batch(
        &self,
        py: Python<'_>,
        sequences: &Bound<'_, PyAny>,
        skip_special_tokens: bool,
    ) -> PyResult<Vec<String>> {
        let sequence = |(at, sequence): (usize, PyResult<_>)| {
            py.check_signals()?;
            self::ids(&sequence?, &format!("sequences[{at}]"))
        };
        let batch = sequences.try_iter()?.enumerate().map(sequence).collect::<PyResult<Vec<_>>>()?;
        interruptible(py, |interrupt| {
            let text = |ids: &Vec<u32>| {
                if interrupt() {
                    return Err(Error::Interrupted);
                }
                self.core.decode(ids, skip_special_tokens)
            };
            batch.iter().map(text).collect()
        })
    }
}
