//! Rows that are encoded already, and what a processor makes of them.

use crate::columns::Columns;
use piecework_core::columns::{self as core, NO_WORD};
use piecework_core::error::Error;
use piecework_core::text::CharSpan;
use pyo3::prelude::*;
use std::ops::Range;

/// Rows of one sequence of an input end to end, for [`place`](piecework_core::columns::place): what it was encoded to, then its overflow.
pub(crate) struct Rows {
    pub(crate) columns: core::Columns,
    /// Where each row is.
    pub(crate) parts: Vec<Range<usize>>,
    /// The tokens of each sequence in the first row.
    sequences: Sequences,
}

/// The tokens of sequence 0 and 1.
pub(crate) type Sequences = [Option<(u32, u32)>; 2];

/// What such rows are made from: an encoding and its overflow, and the tokens of each sequence in the encoding.
pub(crate) type GivenRows<'py> = (Vec<(PyRef<'py, Columns>, usize)>, Sequences);

impl Rows {
    pub(crate) fn new(rows: &[(PyRef<'_, Columns>, usize)], sequences: Sequences) -> PyResult<Self> {
        let mut out = Self { columns: core::Columns::default(), parts: Vec::new(), sequences };
        for (columns, row) in rows {
            let alone = columns.standalone(columns.range(*row)?);
            let (from, n) = (out.columns.ids.len(), alone.ids.len());
            out.columns.push_tokens(&alone, 0..n);
            // Columns made without spans count as empty spans of no word.
            out.columns.spans.resize(from + n, CharSpan::default());
            out.columns.words.resize(from + n, NO_WORD);
            out.parts.push(from..from + n);
        }
        Ok(out)
    }

    /// All tokens, and the rows among them.
    fn all(&self) -> (core::Source<'_>, Vec<Range<usize>>) {
        let source = core::Source {
            columns: &self.columns,
            spans: core::Spans::Chars(&self.columns.spans),
            type_id: 0,
            sequences: self.sequences,
            len: self.columns.ids.len(),
        };
        (source, self.parts.clone())
    }

    /// Number of tokens of the first row.
    fn first_len(&self) -> usize {
        self.parts.first().map_or(0, ExactSizeIterator::len)
    }
}

/// Put the rows of one or two sequences into the items of a processor. What `truncation` cuts off one takes the place of what overflowed
/// of it before.
pub(crate) fn arrange(
    first: &Rows,
    second: Option<&Rows>,
    items: &[core::Item],
    truncation: Option<&core::Truncation>,
    bare: bool,
) -> Result<core::Columns, Error> {
    let lengths = [first.first_len(), second.map_or(0, Rows::first_len)];
    let ((source, parts), second) = (first.all(), second.map(Rows::all));
    let mut sources = vec![source];
    let mut all = [parts, std::iter::once(0..0).collect()];
    if let Some((source, parts)) = second {
        sources.push(source);
        all[1] = parts;
    }
    if let Some(truncation) = truncation {
        let windows = core::cut(lengths, sources.len() > 1, items, truncation)?;
        for (which, windows) in windows.into_iter().enumerate() {
            if windows.first() != all[which].first() {
                all[which] = windows;
            }
        }
    }
    // Every token has its text with it, so no table of trims is needed.
    let frame = core::Frame { items, truncation: None, trims: Some(&core::TrimTable::default()), spans: true, bare };
    let mut out = core::Columns::default();
    core::place(&sources, &all, 0, &frame, &mut out)?;
    Ok(out)
}
