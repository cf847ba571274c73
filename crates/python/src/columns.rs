//! The columns of a batch, and what an `Encoding` asks of its row.
//!
//! Lists are made when they are read. Which tokens of a row belong to which sequence is kept here only as encoding left it; the
//! views in Python pass the range to look in.

use crate::arrays::{MATRICES, Matrices, need_numpy};
use crate::error::guarded;
use crate::rows::Rows;
use piecework_core::columns::{self as core, Direction, NO_WORD, Padding, PaddingStrategy, Row, TokenText, windows};
use piecework_core::program::Program;
use piecework_core::text::CharSpan;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyInt, PyList, PyTuple};
use std::ops::Range;
use std::sync::Arc;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Columns>()?;
    module.add_function(wrap_pyfunction!(truncation_windows, module)?)
}

/// Rows of tokens. `program` says how ids are shown; without it every token has its own text.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct Columns {
    pub(crate) core: core::Columns,
    pub(crate) program: Option<Arc<Program>>,
    /// Whether only special tokens are shown with their text.
    pub(crate) fast: bool,
}

impl Columns {
    pub(crate) fn range(&self, row: usize) -> PyResult<Range<usize>> {
        if row < self.core.len() { Ok(self.core.row(row)) } else { Err(PyIndexError::new_err("no such row")) }
    }

    fn token_text(&self, token: usize) -> &str {
        if self.fast && self.core.special.get(token).is_none_or(|&special| special == 0) {
            return "";
        }
        if let Some(text) = self.core.text(token) {
            return text;
        }
        let id = self.core.ids[token];
        self.program.as_ref().and_then(|program| program.shown(id)).unwrap_or_default()
    }

    /// The tokens of a row as columns of their own, whose texts no program is needed for.
    pub(crate) fn standalone(&self, range: Range<usize>) -> core::Columns {
        let mut out = core::Columns::default();
        out.push_tokens(&self.core, range.clone());
        let text = |token| match self.core.own_text(token) {
            Some(shared) if !self.fast => shared.clone(),
            _ => self.token_text(token).into(),
        };
        out.texts = range.map(text).enumerate().collect();
        out
    }

    /// Columns whose tokens all have their own text.
    pub(crate) fn standing_alone(columns: core::Columns) -> Self {
        Self { core: columns, program: None, fast: false }
    }

    fn finish(mut columns: core::Columns, sequences: [Option<(u32, u32)>; 2]) -> Self {
        columns.starts.push(columns.ids.len());
        columns.rows.push(Row { input: columns.rows.len() as u32, sequences, ..Row::default() });
        Self::standing_alone(columns)
    }

    /// A span of the whole row; for the look-ups.
    fn within(&self, row: usize, start: usize, end: usize) -> PyResult<Range<usize>> {
        let range = self.range(row)?;
        let end = end.min(range.len());
        Ok(range.start + start.min(end)..range.start + end)
    }
}

/// Integers up to here have one object for all lists: most places in a document of some pages, and numbers of its words.
const SHARED: u32 = 1 << 12;

/// Integers of lists. What a long list of them costs is their memory.
struct Numbers<'py> {
    py: Python<'py>,
    shared: &'py [Py<PyInt>],
    last: Option<(u32, Bound<'py, PyInt>)>,
}

impl<'py> Numbers<'py> {
    fn new(py: Python<'py>) -> PyResult<Self> {
        static NUMBERS: PyOnceLock<Vec<Py<PyInt>>> = PyOnceLock::new();
        let make = || (0..SHARED).map(|n| Ok::<_, PyErr>(n.into_pyobject(py)?.unbind())).collect();
        Ok(Self { py, shared: NUMBERS.get_or_try_init(py, make)?, last: None })
    }

    fn get(&mut self, value: u32) -> PyResult<Bound<'py, PyInt>> {
        if let Some(shared) = self.shared.get(value as usize) {
            return Ok(shared.bind(self.py).clone());
        }
        match &self.last {
            // The end of a span is often the start of the next.
            Some((number, object)) if *number == value => Ok(object.clone()),
            _ => {
                let object = value.into_pyobject(self.py)?;
                self.last = Some((value, object.clone()));
                Ok(object)
            }
        }
    }

    fn pair(&mut self, span: CharSpan) -> PyResult<Bound<'py, PyTuple>> {
        let pair = PyTuple::new(self.py, [self.get(span.start)?, self.get(span.end)?])?;
        #[expect(unsafe_code, reason = "a tenth of the time of reading offsets went to the collector of cycles")]
        // SAFETY: the object is a tuple that nobody else knows of yet. It holds two integers for good, so that it can be part of no
        // cycle: the collector takes such a tuple out of its lists itself, when it first meets it.
        unsafe {
            pyo3::ffi::PyObject_GC_UnTrack(pair.as_ptr().cast());
        }
        Ok(pair)
    }
}

#[pymethods]
impl Columns {
    /// One row of tokens, given as lists. `words` has None for tokens of no word.
    #[staticmethod]
    fn from_lists(
        ids: Vec<u32>,
        type_ids: Vec<u32>,
        tokens: Vec<String>,
        words: Vec<Option<u32>>,
        offsets: Vec<(u32, u32)>,
        special_tokens_mask: Vec<u8>,
        attention_mask: Vec<u8>,
    ) -> PyResult<Self> {
        let n = ids.len();
        let lengths =
            [type_ids.len(), tokens.len(), words.len(), offsets.len(), special_tokens_mask.len(), attention_mask.len()];
        if lengths.iter().any(|&length| length != n) {
            return Err(PyValueError::new_err("the columns of an encoding must have the same length"));
        }
        let columns = core::Columns {
            ids,
            type_ids,
            spans: offsets.into_iter().map(|(start, end)| CharSpan::new(start, end)).collect(),
            words: words.into_iter().map(|word| word.unwrap_or(NO_WORD)).collect(),
            special: special_tokens_mask,
            attention: attention_mask,
            texts: tokens.into_iter().map(TokenText::from).enumerate().collect(),
            ..core::Columns::default()
        };
        Ok(Self::finish(columns, [None, None]))
    }

    /// Number of rows, overflow included.
    #[getter]
    fn rows(&self) -> usize {
        self.core.len()
    }

    /// The first row of each input.
    fn first_rows(&self) -> Vec<usize> {
        self.core.first_rows()
    }

    /// The rows that truncation cut off a row.
    fn overflow(&self, row: usize) -> PyResult<Vec<usize>> {
        self.range(row)?;
        Ok(self.core.overflow(row))
    }

    /// Number of tokens of a row.
    fn length(&self, row: usize) -> PyResult<usize> {
        Ok(self.range(row)?.len())
    }

    /// The tokens of sequence 0 and 1 of a row, where they are numbered.
    fn sequences(&self, row: usize) -> PyResult<[Option<(u32, u32)>; 2]> {
        self.range(row)?;
        let Row { sequences, unnumbered, .. } = &self.core.rows[row];
        Ok([0, 1].map(|which| sequences[which].filter(|_| !unnumbered[which])))
    }

    fn ids<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, &self.core.ids[self.range(row)?])
    }

    fn type_ids<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.core.type_ids(self.range(row)?))
    }

    fn special_tokens_mask<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.core.special(self.range(row)?))
    }

    fn attention_mask<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.core.attention(self.range(row)?))
    }

    fn tokens<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyList>> {
        let range = self.range(row)?;
        let texts: Vec<&str> = range.map(|token| self.token_text(token)).collect();
        PyList::new(py, texts)
    }

    fn offsets<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyList>> {
        let mut numbers = Numbers::new(py)?;
        let range = self.range(row)?;
        if self.core.spans.is_empty() {
            return PyList::new(py, vec![numbers.pair(CharSpan::default())?; range.len()]);
        }
        let pairs = self.core.spans[range].iter().map(|span| numbers.pair(*span)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, pairs)
    }

    fn word_ids<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyList>> {
        let range = self.range(row)?;
        if self.core.words.is_empty() {
            return PyList::new(py, vec![None::<u32>; range.len()]);
        }
        let mut numbers = Numbers::new(py)?;
        let word = |&word: &u32| (word != NO_WORD).then(|| numbers.get(word)).transpose();
        PyList::new(py, self.core.words[range].iter().map(word).collect::<PyResult<Vec<_>>>()?)
    }

    /// The span of a token of a row.
    fn span(&self, row: usize, token: usize) -> PyResult<(u32, u32)> {
        let at = self.within(row, token, token + 1)?;
        let span = self.core.spans.get(at.start).copied().unwrap_or_default();
        Ok((span.start, span.end))
    }

    /// The word of a token of a row.
    fn word(&self, row: usize, token: usize) -> PyResult<Option<u32>> {
        let at = self.within(row, token, token + 1)?;
        Ok(self.core.words.get(at.start).copied().filter(|&word| word != NO_WORD))
    }

    /// The first token of `start..end` of a row that covers a code point.
    fn char_to_token(&self, row: usize, start: usize, end: usize, position: u64) -> PyResult<Option<usize>> {
        let range = self.within(row, start, end)?;
        let covers = |span: &CharSpan| (u64::from(span.start)..u64::from(span.end)).contains(&position);
        Ok(self.core.spans.get(range).and_then(|spans| spans.iter().position(covers)).map(|at| start + at))
    }

    /// The tokens of `start..end` of a row that belong to a word: first, and one past the last.
    fn word_to_tokens(&self, row: usize, start: usize, end: usize, word: u64) -> PyResult<Option<(usize, usize)>> {
        let range = self.within(row, start, end)?;
        let Ok(word) = u32::try_from(word) else { return Ok(None) };
        let words = self.core.words.get(range).unwrap_or_default();
        // The scan ends at the first token of a later word; tokens of no word count as earlier ones.
        let upto = words.iter().position(|&w| w != NO_WORD && w > word).unwrap_or(words.len());
        let Some(first) = words[..upto].iter().position(|&w| w == word) else { return Ok(None) };
        let last = words[..upto].iter().rposition(|&w| w == word).unwrap_or(first);
        Ok(Some((start + first, start + last + 1)))
    }

    /// Tokens `start..end` of a row, as a row of their own.
    fn slice(&self, row: usize, start: usize, end: usize) -> PyResult<Self> {
        let range = self.within(row, start, end)?;
        Ok(Self::finish(self.standalone(range), [None, None]))
    }

    /// A row filled up to `length` tokens.
    fn padded(&self, row: usize, length: usize, left: bool, id: u32, type_id: u32, token: String) -> PyResult<Self> {
        let range = self.range(row)?;
        let sequences = self.core.rows[row].sequences;
        let padding = Padding {
            strategy: PaddingStrategy::Fixed(length),
            direction: if left { Direction::Left } else { Direction::Right },
            pad_to_multiple_of: None,
            pad_id: id,
            pad_type_id: type_id,
            pad_token: token.clone(),
        };
        let columns = Self::finish(self.standalone(range), sequences).core;
        guarded(|| {
            padding.check()?;
            columns.padded(&padding, Some(&token.into())).map(Self::standing_alone)
        })
    }

    /// Matrices of all rows, filled up as `padding` says; `names` are those of `TokenColumns`.
    #[pyo3(signature = (names, padding, overflow))]
    fn matrices<'py>(
        &self,
        py: Python<'py>,
        names: Vec<String>,
        padding: Option<&crate::settings::Padding>,
        overflow: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        need_numpy(py)?;
        let known = |name: &String| MATRICES.iter().find(|&known| known == name).copied();
        let names: Vec<&'static str> = names
            .iter()
            .map(|name| known(name).ok_or_else(|| PyValueError::new_err(format!("there is no column `{name}`"))))
            .collect::<PyResult<_>>()?;
        let padding = padding.map(|padding| &padding.0);
        py.detach(|| guarded(|| Matrices::new(&self.core, padding, overflow, &names)))?.into_dict(py)
    }

    /// Rows one behind the other as one row. With `growing` the spans of each are moved behind those before it.
    #[staticmethod]
    fn join(parts: Vec<(PyRef<'_, Self>, usize)>, growing: bool) -> PyResult<Self> {
        let Rows { mut columns, parts, .. } = Rows::new(&parts, [None; 2])?;
        let mut shift = 0;
        for part in parts {
            for span in &mut columns.spans[part.clone()] {
                *span = CharSpan::new(span.start.saturating_add(shift), span.end.saturating_add(shift));
            }
            if growing {
                shift = columns.spans[..part.end].last().map_or(0, |span| span.end);
            }
        }
        Ok(Self::finish(columns, [None, None]))
    }
}

/// The windows over `length` tokens: the first is the result of truncating, the others are its overflow.
#[pyfunction]
fn truncation_windows(length: usize, max_length: usize, stride: usize, left: bool) -> PyResult<Vec<(usize, usize)>> {
    let direction = if left { Direction::Left } else { Direction::Right };
    guarded(|| Ok(windows(length, max_length, stride, direction).into_iter().map(|w| (w.start, w.end)).collect()))
}
