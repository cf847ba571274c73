//! Columns as numpy arrays: moved, not copied, where their form permits.

use crate::program::threads;
use numpy::{IntoPyArray, PyArrayMethods};
use piecework_core::columns::{Columns, Direction, NO_WORD, Padding, PaddingStrategy, Row, zeros};
use piecework_core::error::Result;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::mem::take;
use std::panic::resume_unwind;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<LateColumns>()
}

/// Import numpy. Its interface panics where it is not there or its import is interrupted, so this goes before each use of it.
pub(crate) fn need_numpy(py: Python<'_>) -> PyResult<()> {
    py.import("numpy").map(drop)
}

/// The rows that are no overflow.
fn without_overflow(columns: Columns) -> Columns {
    let first = columns.first_rows();
    if first.len() == columns.len() {
        return columns;
    }
    let mut out = Columns::default();
    for row in first {
        out.push_tokens(&columns, columns.row(row));
        out.starts.push(out.ids.len());
        out.rows.push(columns.rows[row].clone());
    }
    out
}

/// Ready to become arrays. Those of tokens are (T,), spans (T, 2).
pub(crate) struct Ragged {
    ids: Vec<u32>,
    spans: Vec<u32>,
    word_ids: Vec<i32>,
    offsets: Vec<i64>,
    inputs: Vec<i64>,
    late: LateColumns,
}

impl Ragged {
    pub(crate) fn new(columns: Columns, overflow: bool) -> Self {
        let mut columns = if overflow { columns } else { without_overflow(columns) };
        let (ids, spans, words) = (take(&mut columns.ids), take(&mut columns.spans), take(&mut columns.words));
        Self {
            ids,
            // These two keep their memory: the elements have the same size.
            spans: spans.into_iter().map(|span| [span.start, span.end]).collect::<Vec<_>>().into_flattened(),
            word_ids: words.into_iter().map(u32::cast_signed).collect(),
            offsets: columns.starts.iter().map(|start| start.cast_signed() as i64).collect(),
            inputs: columns.rows.iter().map(|row| i64::from(row.input)).collect(),
            late: LateColumns(columns),
        }
    }

    pub(crate) fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let n = self.ids.len();
        let dict = PyDict::new(py);
        dict.set_item("ids", self.ids.into_pyarray(py))?;
        dict.set_item("spans", self.spans.into_pyarray(py).reshape([n, 2])?)?;
        dict.set_item("word_ids", self.word_ids.into_pyarray(py))?;
        dict.set_item("offsets", self.offsets.into_pyarray(py))?;
        dict.set_item("inputs", self.inputs.into_pyarray(py))?;
        dict.set_item("late", self.late)?;
        Ok(dict)
    }
}

/// Columns that are the same for whole runs of tokens, and that few read: their arrays are made when they are.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct LateColumns(Columns);

#[pymethods]
impl LateColumns {
    /// The column of this name, (T,).
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        need_numpy(py)?;
        let columns = &self.0;
        let all = 0..columns.tokens();
        Ok(match name {
            "type_ids" => columns.type_ids(all).into_pyarray(py).into_any(),
            "special_tokens_mask" => columns.special(all).into_pyarray(py).into_any(),
            "attention_mask" => columns.attention(all).into_pyarray(py).into_any(),
            "sequence_ids" => sequence_ids(columns).into_pyarray(py).into_any(),
            _ => return Err(PyValueError::new_err(format!("there is no column `{name}`"))),
        })
    }
}

/// The sequence of each token, -1 for those of none.
fn sequence_ids(columns: &Columns) -> Vec<i8> {
    let mut out = vec![-1; columns.tokens()];
    for (row, Row { sequences, .. }) in columns.rows.iter().enumerate() {
        let tokens = &mut out[columns.row(row)];
        match sequences {
            [None, None] => tokens.fill(0),
            both => {
                for (id, range) in [(1, both[1]), (0, both[0])] {
                    if let Some((start, end)) = range {
                        tokens[start as usize..end as usize].fill(id);
                    }
                }
            }
        }
    }
    out
}

/// Matrices of `rows` x `length`, ready to become arrays.
pub(crate) struct Matrices {
    rows: usize,
    length: usize,
    columns: Vec<(&'static str, Vec<i64>)>,
    offsets: Vec<i64>,
    inputs: Vec<i64>,
}

/// All matrices that there are.
pub(crate) const MATRICES: [&str; 7] =
    ["ids", "spans", "type_ids", "word_ids", "sequence_ids", "special_tokens_mask", "attention_mask"];

impl Matrices {
    /// The matrices of these names: rows filled up to the target of `padding` (all of them at least to the longest).
    ///
    /// # Errors
    /// [`Error::Setting`](piecework_core::error::Error::Setting) where there is no memory for that.
    pub(crate) fn new(
        columns: &Columns,
        padding: Option<&Padding>,
        overflow: bool,
        names: &[&'static str],
    ) -> Result<Self> {
        let default = Padding {
            strategy: PaddingStrategy::BatchLongest,
            direction: Direction::Right,
            pad_to_multiple_of: None,
            pad_id: 0,
            pad_type_id: 0,
            pad_token: String::new(),
        };
        let padding = padding.unwrap_or(&default);
        let rows = if overflow { (0..columns.len()).collect() } else { columns.first_rows() };
        let longest = rows.iter().map(|&row| columns.row(row).len()).max().unwrap_or(0);
        let length = padding.target(longest).max(longest);
        Padding::check_room(rows.len(), length, (names.len() + 1) * size_of::<i64>())?;
        let place = Place { columns, rows: &rows, length, left: padding.direction == Direction::Left };
        let mut offsets = Vec::with_capacity(rows.len() + 1);
        offsets.push(0);
        let mut total = 0;
        offsets.extend(rows.iter().map(|&row| {
            total += columns.row(row).len().cast_signed() as i64;
            total
        }));
        Ok(Self {
            columns: place.matrices(names, padding),
            inputs: rows.iter().map(|&row| i64::from(columns.rows[row].input)).collect(),
            rows: rows.len(),
            length,
            offsets,
        })
    }

    pub(crate) fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let dict = PyDict::new(py);
        for (name, values) in self.columns {
            let array = values.into_pyarray(py);
            if name == "spans" {
                dict.set_item(name, array.reshape([self.rows, self.length, 2])?)?;
            } else {
                dict.set_item(name, array.reshape([self.rows, self.length])?)?;
            }
        }
        dict.set_item("offsets", self.offsets.into_pyarray(py))?;
        dict.set_item("inputs", self.inputs.into_pyarray(py))?;
        Ok(dict)
    }
}

/// Where the rows of a batch go in a matrix.
struct Place<'a> {
    columns: &'a Columns,
    rows: &'a [usize],
    length: usize,
    left: bool,
}

/// From so many numbers in a matrix on each is filled by a thread of its own.
const LARGE: usize = 1 << 20;

impl Place<'_> {
    fn matrices(&self, names: &[&'static str], padding: &Padding) -> Vec<(&'static str, Vec<i64>)> {
        let matrix = |&name: &&'static str| (name, self.matrix(name, padding));
        if self.rows.len() * self.length < LARGE || names.len() < 2 || threads() < 2 {
            return names.iter().map(matrix).collect();
        }
        std::thread::scope(|scope| {
            let filled: Vec<_> = names.iter().map(|name| scope.spawn(move || matrix(name))).collect();
            filled.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
        })
    }

    fn matrix(&self, name: &str, padding: &Padding) -> Vec<i64> {
        let columns = self.columns;
        let word = |word: u32| if word == NO_WORD { -1 } else { i64::from(word) };
        match name {
            "ids" => self.fill(&columns.ids, i64::from, 0, i64::from(padding.pad_id)),
            "type_ids" => self.fill(&columns.type_ids, i64::from, 0, i64::from(padding.pad_type_id)),
            "word_ids" => self.fill(&columns.words, word, -1, -1),
            "sequence_ids" => self.fill(&sequence_ids(columns), i64::from, 0, -1),
            "special_tokens_mask" => self.fill(&columns.special, i64::from, 0, 1),
            "attention_mask" => self.fill(&columns.attention, i64::from, 1, 0),
            _ => self.spans(),
        }
    }

    /// Both ends of each span; (0, 0) where no token is.
    fn spans(&self) -> Vec<i64> {
        let mut out = zeros(self.rows.len() * self.length * 2);
        for (to, range) in self.places(&mut out, 2) {
            let spans = self.columns.spans.get(range).unwrap_or_default();
            for (to, span) in to.chunks_exact_mut(2).zip(spans) {
                to.copy_from_slice(&[i64::from(span.start), i64::from(span.end)]);
            }
        }
        out
    }

    /// A matrix of a column: `padding` where no token is, `default` for tokens of a column that is empty.
    fn fill<T: Copy>(&self, column: &[T], map: impl Fn(T) -> i64, default: i64, padding: i64) -> Vec<i64> {
        let n = self.rows.len() * self.length;
        let mut out = if padding == 0 { zeros(n) } else { vec![padding; n] };
        if column.is_empty() && default == padding {
            return out;
        }
        for (to, range) in self.places(&mut out, 1) {
            match column.get(range) {
                Some(from) => to.iter_mut().zip(from).for_each(|(to, &from)| *to = map(from)),
                None => to.fill(default),
            }
        }
        out
    }

    /// For each row: its place in a matrix of `width` numbers a token, and its tokens.
    fn places<'m>(
        &'m self,
        matrix: &'m mut [i64],
        width: usize,
    ) -> impl Iterator<Item = (&'m mut [i64], std::ops::Range<usize>)> {
        matrix.chunks_exact_mut((self.length * width).max(1)).zip(self.rows).map(move |(to, &row)| {
            let range = self.columns.row(row);
            let at = if self.left { self.length - range.len() } else { 0 };
            (&mut to[at * width..(at + range.len()) * width], range)
        })
    }
}
