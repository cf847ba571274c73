//! What encoding gives: columns over the tokens of many rows, and where each row starts.

mod assemble;
mod fill;
mod settings;
mod token_text;
mod trims;
mod window;

pub use crate::memory::zeros;
pub use assemble::{Frame, Item, SequenceItem, Source, Spans, assemble, cut, place};
pub use settings::{Direction, Padding, PaddingStrategy, Strategy, Truncation};
pub use token_text::{Shared, TokenText};
pub use trims::{Trim, TrimTable};
pub use window::{shorten, windows};

use crate::memory::prefer_large_pages;
use crate::steps;
use crate::text::CharSpan;
use std::ops::Range;

/// The word number of a token that belongs to no word.
pub const NO_WORD: u32 = u32::MAX;

/// Columns over the tokens of many rows.
///
/// The rows of one input stand together: its result first, then what truncation cut off (its overflow). `spans` and `words` are
/// empty when nobody asked for them; `type_ids`, `special` and `attention` are empty as long as every token has the default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Token ids, (T,).
    pub ids: Vec<u32>,
    /// Code points of the input that each token stands for, (T,); (0, 0) for tokens that no text stands for.
    pub spans: Vec<CharSpan>,
    /// Number of the word that each token belongs to, (T,), or [`NO_WORD`].
    pub words: Vec<u32>,
    /// Type ids, (T,), or empty where all are 0.
    pub type_ids: Vec<u32>,
    /// 1 for tokens that a processor or padding put in, (T,), or empty where there is none.
    pub special: Vec<u8>,
    /// 0 for padding, else 1, (T,), or empty where there is no padding.
    pub attention: Vec<u8>,
    /// Tokens that are shown with another text than that of their id: (token, text), by token.
    pub texts: Vec<(usize, TokenText)>,
    /// Where each row starts, (R + 1,).
    pub starts: Vec<usize>,
    /// What else is known of each row, (R,).
    pub rows: Vec<Row>,
}

/// What is known of a row beside its tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Number of the input that the row belongs to.
    pub input: u32,
    /// For sequence 0 and 1: the tokens of the row that are of it, counted from the start of the row. Both `None` means that the
    /// whole row is sequence 0.
    pub sequences: [Option<(u32, u32)>; 2],
    /// Sequences that an encoding of the reference would not know of, though they are there: where no processor numbers them.
    pub unnumbered: [bool; 2],
    /// Which windows over the two sequences stand here, in the order of the row; [0, 0] for the result, and where there are not two.
    pub windows: [u32; 2],
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            ids: Vec::new(),
            spans: Vec::new(),
            words: Vec::new(),
            type_ids: Vec::new(),
            special: Vec::new(),
            attention: Vec::new(),
            texts: Vec::new(),
            starts: vec![0],
            rows: Vec::new(),
        }
    }
}

/// Add `n` values to a column of `len`, of which an empty slice stands for `n` defaults, and so does an empty column for `len`.
fn extend_default<T: Copy + PartialEq>(column: &mut Vec<T>, len: usize, values: &[T], n: usize, default: T) {
    if column.is_empty() && values.is_empty() {
        return;
    }
    column.resize(len, default);
    column.extend_from_slice(values);
    column.resize(len + n, default);
}

/// Add `n` times the same value to a column of `len`, which may be empty where all its values are the default.
fn fill_default<T: Copy + PartialEq>(column: &mut Vec<T>, len: usize, value: T, n: usize, default: T) {
    if column.is_empty() && value == default {
        return;
    }
    column.resize(len, default);
    column.resize(len + n, value);
}

impl Columns {
    /// The type ids of some tokens.
    pub fn type_ids(&self, tokens: Range<usize>) -> Vec<u32> {
        self.type_ids.get(tokens.clone()).map_or_else(|| vec![0; tokens.len()], <[u32]>::to_vec)
    }

    /// For some tokens, 1 where a processor or padding put them in.
    pub fn special(&self, tokens: Range<usize>) -> Vec<u8> {
        self.special.get(tokens.clone()).map_or_else(|| vec![0; tokens.len()], <[u8]>::to_vec)
    }

    /// For some tokens, 0 where they are padding, else 1.
    pub fn attention(&self, tokens: Range<usize>) -> Vec<u8> {
        self.attention.get(tokens.clone()).map_or_else(|| vec![1; tokens.len()], <[u8]>::to_vec)
    }

    /// Set memory aside for `tokens` more tokens.
    pub fn reserve(&mut self, tokens: usize, spans: bool) {
        self.ids.reserve(tokens);
        prefer_large_pages(&mut self.ids);
        if spans {
            self.spans.reserve(tokens);
            prefer_large_pages(&mut self.spans);
            self.words.reserve(tokens);
            prefer_large_pages(&mut self.words);
        }
    }

    /// Number of tokens of all rows.
    pub fn tokens(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Number of rows, overflow included.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The tokens of a row.
    pub fn row(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// The rows that truncation cut off a row. Of the result of an input these are all others; of one of those the ones that have
    /// a further window over one sequence beside the same one over the other, where that is not its first.
    pub fn overflow(&self, row: usize) -> Vec<usize> {
        let Row { input, windows, .. } = self.rows[row];
        let is_first = row == 0 || self.rows[row - 1].input != input;
        if windows == [0, 0] && !is_first {
            return Vec::new();
        }
        let follows = |other: [u32; 2]| match windows {
            [0, 0] => true,
            [first, 0] => other[0] == first && other[1] > 0,
            [0, second] => other[0] > 0 && other[1] == second,
            _ => false,
        };
        let start = self.rows[..row].iter().rposition(|r| r.input != input).map_or(0, |before| before + 1);
        let others = (start..self.len()).skip(1).take_while(|&r| self.rows[r].input == input);
        others.filter(|&r| follows(self.rows[r].windows)).collect()
    }

    /// The first row of each input.
    pub fn first_rows(&self) -> Vec<usize> {
        (0..self.len()).filter(|&r| r == 0 || self.rows[r].input != self.rows[r - 1].input).collect()
    }

    /// The text shown for a token where it is not that of its id.
    pub fn text(&self, token: usize) -> Option<&str> {
        self.own_text(token).map(|text| &**text)
    }

    /// The same, to be shared.
    pub fn own_text(&self, token: usize) -> Option<&TokenText> {
        let at = self.texts.binary_search_by_key(&token, |t| t.0).ok()?;
        Some(&self.texts[at].1)
    }

    /// The sequence of each token of a row: 0, 1, or `None` for tokens that no input stands for.
    pub fn sequence_ids(&self, row: usize) -> Vec<Option<u8>> {
        let n = self.row(row).len();
        let [first, second] = self.rows[row].sequences;
        if first.is_none() && second.is_none() {
            return vec![Some(0); n];
        }
        let mut out = vec![None; n];
        for (id, range) in [(1, second), (0, first)] {
            if let Some((start, end)) = range {
                out[start as usize..end as usize].fill(Some(id));
            }
        }
        out
    }

    /// Put the rows of `other` behind those of this one. Their input numbers are moved on by `inputs`.
    pub fn append(&mut self, other: &Self, inputs: u32) {
        let base = self.ids.len();
        let more = other.ids.len();
        extend_default(&mut self.type_ids, base, &other.type_ids, more, 0);
        extend_default(&mut self.special, base, &other.special, more, 0);
        extend_default(&mut self.attention, base, &other.attention, more, 1);
        self.ids.extend_from_slice(&other.ids);
        self.spans.extend_from_slice(&other.spans);
        self.words.extend_from_slice(&other.words);
        self.texts.extend(other.texts.iter().map(|(t, s)| (t + base, s.clone())));
        self.starts.extend(other.starts[1..].iter().map(|s| s + base));
        self.rows.extend(other.rows.iter().map(|r| Row { input: r.input + inputs, ..r.clone() }));
    }

    /// Copy tokens of another batch to the end of the row at work.
    pub fn push_tokens(&mut self, from: &Self, range: Range<usize>) {
        let at = self.ids.len();
        let n = range.len();
        steps::count(n);
        extend_default(&mut self.type_ids, at, from.type_ids.get(range.clone()).unwrap_or_default(), n, 0);
        extend_default(&mut self.special, at, from.special.get(range.clone()).unwrap_or_default(), n, 0);
        extend_default(&mut self.attention, at, from.attention.get(range.clone()).unwrap_or_default(), n, 1);
        self.ids.extend_from_slice(&from.ids[range.clone()]);
        if !from.spans.is_empty() {
            self.spans.extend_from_slice(&from.spans[range.clone()]);
            self.words.extend_from_slice(&from.words[range.clone()]);
        }
        let first = from.texts.partition_point(|t| t.0 < range.start);
        let named = from.texts[first..].iter().take_while(|t| t.0 < range.end);
        self.texts.extend(named.map(|(t, s)| (t - range.start + at, s.clone())));
    }
}
