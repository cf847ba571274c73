//! Training: corpora in, counts of words out; counts in, a model out.

use crate::components::{Normalizer, PreTokenizer};
use crate::error::{foreign, guarded, to_py};
use crate::model::Model;
use crate::program::threads;
use crate::spec::{Added, added_token};
use crate::text::{no_number, utf8, wrong};
use crate::thrift::Thrift;
use piecework_core::error::{Error, Result};
use piecework_core::models::{AnyModel, Bpe};
use piecework_core::program::{Parts, Program};
use piecework_core::train::{
    self as core, AnyTrainer, CountOptions, Extension, LineFormat, ParityBpeTrainer, Progress, TextBatch,
};
use piecework_core::train::{count_batches, count_files};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyIterator, PyMapping, PyString, PyTuple};
use std::path::PathBuf;
use std::time::{Duration, Instant};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PieceCounter>()?;
    module.add_class::<WordCounts>()?;
    module.add_function(wrap_pyfunction!(train, module)?)?;
    module.add_function(wrap_pyfunction!(train_parity, module)?)?;
    module.add_function(wrap_pyfunction!(usage, module)?)?;
    module.add_function(wrap_pyfunction!(extend, module)?)
}

/// How often progress is shown and signals are looked for.
const INTERVAL: Duration = Duration::from_millis(50);
/// A batch is handed on after this time, however small it is.
const PATIENCE: Duration = Duration::from_millis(100);
/// Most items of a batch: progress is counted in items.
const MOST_ITEMS: usize = 1 << 14;

/// Passes progress on to a callable of Python, `report(stage, current, total)`, and lets Ctrl-C in.
struct Reporter {
    report: Option<Py<PyAny>>,
    stage: Option<(String, u64)>,
    current: u64,
    last: Instant,
}

impl Reporter {
    fn new(report: Option<Py<PyAny>>) -> Self {
        Self { report, stage: None, current: 0, last: Instant::now() }
    }

    /// Show where the stage is now.
    fn show(&mut self) -> Result<()> {
        self.last = Instant::now();
        Python::attach(|py| {
            py.check_signals()?;
            if let (Some(report), Some((stage, total))) = (&self.report, &self.stage) {
                report.call1(py, (stage, self.current, total))?;
            }
            Ok(())
        })
        .map_err(foreign)
    }

    /// Show the end of the last stage.
    fn end(&mut self) -> Result<()> {
        if self.stage.is_some() { self.show() } else { Ok(()) }
    }
}

impl Progress for Reporter {
    fn stage(&mut self, name: &str, total: u64) -> Result<()> {
        self.end()?;
        self.stage = Some((name.to_owned(), total));
        self.current = 0;
        self.show()
    }

    fn advance(&mut self, n: u64) -> Result<()> {
        self.current += n;
        if self.last.elapsed() < INTERVAL { Ok(()) } else { self.show() }
    }
}

/// Run a call into the core with the GIL released.
fn reporting<T: Send>(
    py: Python<'_>,
    report: Option<Py<PyAny>>,
    call: impl FnOnce(&mut Reporter) -> Result<T> + Send,
) -> PyResult<T> {
    py.detach(|| {
        guarded(|| {
            let _thrift = Thrift::new();
            let mut reporter = Reporter::new(report);
            let result = call(&mut reporter)?;
            reporter.end()?;
            Ok(result)
        })
    })
}

/// Counts the pieces that a model would see behind a normalizer, a pre-tokenizer and added tokens.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct PieceCounter(Program);

#[pymethods]
impl PieceCounter {
    #[new]
    fn new(
        py: Python<'_>,
        normalizer: Option<&Normalizer>,
        pre_tokenizer: Option<&PreTokenizer>,
        added_tokens: Vec<Added>,
        encode_special_tokens: bool,
        learn_special_tokens: bool,
    ) -> PyResult<Self> {
        let parts = Parts {
            normalizer: normalizer.map(|n| n.0.clone()),
            pre_tokenizer: pre_tokenizer.map(|p| p.0.clone()),
            model: AnyModel::BPE(Bpe::default()),
            post_processor: None,
            decoder: None,
            added_tokens: added_tokens.into_iter().map(added_token).collect(),
            encode_special_tokens,
        };
        py.detach(|| guarded(|| Program::compile(parts))).map(|program| Self(program.learning(learn_special_tokens)))
    }

    /// Count text files, line by line; or a field of lines of JSON.
    fn files(
        &self,
        py: Python<'_>,
        paths: Vec<PathBuf>,
        field: Option<String>,
        memory: Option<u64>,
        folder: Option<PathBuf>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<WordCounts> {
        let format = field.map_or(LineFormat::Text, LineFormat::JsonField);
        let options = CountOptions { threads: threads(), memory, folder };
        reporting(py, report, |reporter| count_files(&paths, &format, &self.0, &options, reporter)).map(WordCounts)
    }

    /// Count what an iterable gives: strings, and iterables of strings. `length` is how many, 0 if unknown.
    fn items(
        &self,
        py: Python<'_>,
        items: &Bound<'_, PyAny>,
        length: u64,
        memory: Option<u64>,
        folder: Option<PathBuf>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<WordCounts> {
        let options = CountOptions { threads: threads(), memory, folder };
        let mut items = Items { outer: items.try_iter()?.unbind(), index: 0, inner: None };
        reporting(py, report, |reporter| {
            let mut pull = |batch: &mut TextBatch| Python::attach(|py| items.pull(py, batch)).map_err(foreign);
            count_batches(&mut pull, length, &self.0, &options, reporter)
        })
        .map(WordCounts)
    }
}

/// Where the reading of an iterable is.
struct Items {
    outer: Py<PyIterator>,
    /// Number of the next thing that `outer` gives.
    index: usize,
    /// An iterable that `outer` gave, and the number of its next item.
    inner: Option<(Py<PyIterator>, usize)>,
}

impl Items {
    /// Fill a batch; whether there may be more.
    fn pull(&mut self, py: Python<'_>, batch: &mut TextBatch) -> PyResult<bool> {
        let start = Instant::now();
        while batch.size() < TextBatch::GOOD_SIZE && batch.len() < MOST_ITEMS && start.elapsed() < PATIENCE {
            if let Some((inner, index)) = &mut self.inner {
                let place = || format!("item[{}][{index}]", self.index - 1);
                match inner.bind(py).clone().next().transpose()? {
                    Some(item) => {
                        let text = item.cast::<PyString>().map_err(|_| wrong(&place(), "str", &item))?;
                        batch.push(utf8(text, &place)?);
                        *index += 1;
                    }
                    None => self.inner = None,
                }
                continue;
            }
            let place = || format!("item[{}]", self.index);
            let Some(item) = self.outer.bind(py).clone().next().transpose()? else { return Ok(false) };
            if let Ok(text) = item.cast::<PyString>() {
                batch.push(utf8(text, &place)?);
            } else if item.is_instance_of::<PyBytes>() || item.is_instance_of::<PyByteArray>() {
                return Err(wrong(&place(), "str or an iterable of str", &item));
            } else {
                let inner = item.try_iter().map_err(|_| wrong(&place(), "str or an iterable of str", &item))?;
                self.inner = Some((inner.unbind(), 0));
            }
            self.index += 1;
        }
        Ok(true)
    }
}

/// Distinct words with their counts, in the order of their first appearance.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct WordCounts(core::WordCounts);

#[pymethods]
impl WordCounts {
    /// From a mapping of words to counts.
    #[new]
    fn new(counts: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mapping = counts.cast::<PyMapping>().map_err(|_| wrong("counts", "a mapping of str to int", counts))?;
        let mut words = core::WordCounts::new();
        for item in mapping.items()? {
            let pair = item.cast_into::<PyTuple>()?;
            let (word, count) = (pair.get_item(0)?, pair.get_item(1)?);
            let text = word.cast::<PyString>().map_err(|_| wrong("a word of counts", "str", &word))?;
            let text = utf8(text, &|| "counts".into())?;
            let number = count.extract().map_err(|error| {
                let place = format!("the count of `{text}`");
                let too_large = || Error::Training(format!("{place} is `{count}`, which does not fit 63 bits"));
                no_number(&place, &count, error, || to_py(too_large()))
            });
            words.push(text, number?);
        }
        guarded(|| words.check())?;
        Ok(Self(words))
    }

    /// Read a file of counts.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf, report: Option<Py<PyAny>>) -> PyResult<Self> {
        reporting(py, report, |reporter| core::WordCounts::load(&path, reporter)).map(Self)
    }

    /// The counts of several corpora added up.
    #[staticmethod]
    fn merged(py: Python<'_>, parts: Vec<PyRef<'_, Self>>) -> PyResult<Self> {
        let parts: Vec<&core::WordCounts> = parts.iter().map(|part| &part.0).collect();
        py.detach(|| guarded(|| Ok(core::WordCounts::merged(parts)))).map(Self)
    }

    /// Write a file of counts.
    fn save(&self, py: Python<'_>, path: PathBuf, report: Option<Py<PyAny>>) -> PyResult<()> {
        reporting(py, report, |reporter| self.0.save(&path, reporter))
    }

    /// The words that occur at least so often.
    fn pruned(&self, min_count: i64) -> Self {
        Self(self.0.pruned(min_count))
    }

    /// The word at an index and its count.
    fn item(&self, index: usize) -> Option<(&str, i64)> {
        (index < self.0.len()).then(|| (self.0.word(index), self.0.count(index)))
    }

    /// All words with their counts, as a dict in order.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        self.0.iter().try_for_each(|(word, count)| dict.set_item(word, count))?;
        Ok(dict)
    }

    /// The sum of all counts.
    fn total(&self) -> i64 {
        self.0.total()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

/// Train a model like `model`; `trainer` is JSON.
#[pyfunction]
fn train(
    py: Python<'_>,
    trainer: &str,
    model: &Model,
    counts: &WordCounts,
    report: Option<Py<PyAny>>,
) -> PyResult<Model> {
    reporting(py, report, |reporter| {
        let trainer: AnyTrainer = serde_json::from_str(trainer).map_err(|e| Error::spec("trainer", e))?;
        trainer.train(&counts.0, &model.0, threads(), reporter)
    })
    .map(Model)
}

/// How often a model uses those of its tokens that it uses, by id.
#[pyfunction]
fn usage(
    py: Python<'_>,
    model: &Model,
    counts: &WordCounts,
    report: Option<Py<PyAny>>,
) -> PyResult<std::collections::HashMap<u32, i64>> {
    reporting(py, report, |reporter| core::usage(&model.0, &counts.0, reporter))
}

/// Add tokens to a BPE model: at most `new_tokens`, with ids above all that it has and those of `outside`.
#[pyfunction]
fn extend(
    py: Python<'_>,
    model: &Model,
    counts: &WordCounts,
    new_tokens: usize,
    min_frequency: u64,
    outside: Vec<(String, u32)>,
    report: Option<Py<PyAny>>,
) -> PyResult<Model> {
    reporting(py, report, |reporter| {
        let AnyModel::BPE(bpe) = &model.0 else {
            return Err(Error::Training(format!("only a BPE can be extended, not a {}", model.0.name())));
        };
        let extension = Extension { new_tokens, min_frequency, outside };
        extension.extend(bpe, &counts.0, reporter).map(AnyModel::BPE)
    })
    .map(Model)
}

/// Train a BPE model for several languages; `trainer` is JSON.
#[pyfunction]
#[pyo3(name = "train_parity")]
fn train_parity(
    py: Python<'_>,
    trainer: &str,
    train: Vec<PyRef<'_, WordCounts>>,
    dev: Option<Vec<PyRef<'_, WordCounts>>>,
    report: Option<Py<PyAny>>,
) -> PyResult<Model> {
    let words = |list: &[PyRef<'_, WordCounts>]| list.iter().map(|counts| counts.0.clone()).collect::<Vec<_>>();
    let (train, dev) = (words(&train), dev.as_deref().map(words));
    reporting(py, report, |reporter| {
        let trainer: ParityBpeTrainer = serde_json::from_str(trainer).map_err(|e| Error::spec("trainer", e))?;
        let dev: Option<Vec<_>> = dev.as_ref().map(|dev| dev.iter().collect());
        trainer.train_model(&train.iter().collect::<Vec<_>>(), dev.as_deref(), reporter)
    })
    .map(Model)
}
