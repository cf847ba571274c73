//! From the tokens of one or two sequences to rows: windows and special tokens.
//!
//! A processor says once, at compile time, what a row consists of (a list of [`Item`]s). Truncation says which windows of each
//! sequence there are. Here the two meet, and rows are copied into place.

use super::trims::{Margins, Trim, TrimTable, trimmed};
use super::{Columns, NO_WORD, Row, TokenText, Truncation, extend_default, fill_default, shorten, windows};
use crate::error::{Error, Result};
use crate::steps;
use crate::text::{ByteSpan, CharIndex, CharSpan};
use std::ops::Range;

/// What a row consists of, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A token that the processor puts in.
    Special {
        /// Id.
        id: u32,
        /// The text it is shown with, where that is not the text of its id.
        text: Option<TokenText>,
        /// Type id.
        type_id: u32,
        /// Whether the mask of special tokens says that it is one.
        is_masked: bool,
    },
    /// A sequence of the input.
    Sequence(SequenceItem),
}

impl Item {
    /// Number of special tokens among items.
    pub fn specials(items: &[Self]) -> usize {
        items.iter().filter(|item| matches!(item, Self::Special { .. })).count()
    }
}

/// A sequence of the input in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequenceItem {
    /// 0 or 1.
    pub which: u8,
    /// Type id of its tokens, where they do not keep those that they have.
    pub type_id: Option<u32>,
    /// Whether its masks stay what they are.
    pub keeps_masks: bool,
    /// How white space at the ends of tokens is left out of their spans: one time after the other.
    pub trims: Vec<Trim>,
}

/// The tokens of one sequence of the input. Columns that are empty stand for their defaults.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Where the tokens are; their spans are not those of these columns but the ones below.
    pub columns: &'a Columns,
    /// The spans of all tokens of the columns.
    pub spans: Spans<'a>,
    /// Type id of the tokens if the columns have none.
    pub type_id: u32,
    /// Tokens of sequence 0 and 1, where these are known from before.
    pub sequences: [Option<(u32, u32)>; 2],
    /// Number of tokens.
    pub len: usize,
}

/// Spans as encoding leaves them: they become code points as they are copied into a row, one pass over them less.
#[derive(Clone, Copy, Debug)]
pub enum Spans<'a> {
    /// In code points.
    Chars(&'a [CharSpan]),
    /// In bytes of a text of ASCII characters.
    Ascii(&'a [ByteSpan]),
    /// In bytes of any text, with its index.
    Bytes(&'a [ByteSpan], &'a CharIndex),
}

/// Everything that the rows of a batch have in common.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// What a row consists of.
    pub items: &'a [Item],
    /// How long a row may be.
    pub truncation: Option<&'a Truncation>,
    /// White space at the ends of tokens, where some item leaves it out of spans.
    pub trims: Option<&'a TrimTable>,
    /// Whether spans and words are wanted.
    pub spans: bool,
    /// Whether there is no processor. Then, as in the reference, a single sequence is not numbered, and of a pair only the main
    /// part of each sequence is, not its overflow.
    pub bare: bool,
}

/// Append the rows of one input to `out`: its result, then its overflow.
///
/// # Errors
/// `Error::Setting` when truncation cannot be done for this input.
pub fn assemble(sources: &[Source<'_>], input: u32, frame: &Frame<'_>, out: &mut Columns) -> Result<()> {
    let lengths = [sources[0].len, sources.get(1).map_or(0, |source| source.len)];
    let parts = match frame.truncation {
        Some(truncation) => cut(lengths, sources.len() > 1, frame.items, truncation)?,
        None => lengths.map(|n| std::iter::once(0..n).collect()),
    };
    place(sources, &parts, input, frame, out)
}

/// The windows over each sequence of a row of these items.
///
/// # Errors
/// `Error::Setting` when truncation cannot be done for this input.
pub fn cut(lengths: [usize; 2], pair: bool, items: &[Item], truncation: &Truncation) -> Result<[Vec<Range<usize>>; 2]> {
    let added = Item::specials(items);
    let max = truncation.max_length.checked_sub(added).ok_or_else(|| {
        Error::Setting(format!(
            "truncation max_length `{}` leaves no room for the `{added}` special tokens of this input",
            truncation.max_length
        ))
    })?;
    let kept = shorten(lengths, pair, max, truncation)?;
    Ok([0, 1].map(|which| windows(lengths[which], kept[which], truncation.stride, truncation.direction)))
}

/// Append the rows of one input to `out`, given the windows over each sequence: the first is the result, the others overflow.
///
/// # Errors
/// `Error::Setting` when that would give too many rows.
pub fn place(
    sources: &[Source<'_>],
    parts: &[Vec<Range<usize>>; 2],
    input: u32,
    frame: &Frame<'_>,
    out: &mut Columns,
) -> Result<()> {
    if parts[0].len() == 1 && parts[1].len() == 1 {
        push_row(sources, [&parts[0][0], &parts[1][0]], input, frame, out);
        return Ok(());
    }
    for choice in choices(frame.items, [parts[0].len(), parts[1].len()])? {
        push_chosen(sources, parts, &choice, input, frame, out);
    }
    Ok(())
}

/// Most rows that the overflow of one input may have; only a pair of which both are cut comes near.
const MOST_ROWS: usize = 1 << 24;

/// Which window stands for each sequence item, for each row. The order is that of joining the items one after the other: what
/// overflows so far with the next item and then with its overflow, then the row so far with the overflow of the next item.
fn choices(items: &[Item], windows: [usize; 2]) -> Result<Vec<Vec<usize>>> {
    let mut rows: Vec<Vec<usize>> = vec![Vec::new()];
    for item in items {
        let Item::Sequence(SequenceItem { which, .. }) = item else { continue };
        let n = windows[*which as usize];
        if rows.len().saturating_mul(n) > MOST_ROWS {
            return Err(Error::Setting(format!("truncation would give over `{MOST_ROWS}` rows for one input")));
        }
        let with = |row: &[usize], window: usize| row.iter().copied().chain([window]).collect::<Vec<_>>();
        let mut next = vec![with(&rows[0], 0)];
        next.extend(rows[1..].iter().flat_map(|row| (0..n).map(|w| with(row, w))));
        next.extend((1..n).map(|w| with(&rows[0], w)));
        rows = next;
    }
    Ok(rows)
}

fn push_row(sources: &[Source<'_>], parts: [&Range<usize>; 2], input: u32, frame: &Frame<'_>, out: &mut Columns) {
    let mut sequences = [None; 2];
    let start = out.ids.len();
    for item in frame.items {
        push_item(item, sources, &mut |which| parts[which].clone(), start, &mut sequences, frame, out);
    }
    let unnumbered = [frame.bare && sources.len() == 1 && !keeps_numbers(sources, frame), false];
    finish_row(Row { input, sequences, unnumbered, windows: [0, 0] }, out);
}

fn push_chosen(
    sources: &[Source<'_>],
    parts: &[Vec<Range<usize>>; 2],
    choice: &[usize],
    input: u32,
    frame: &Frame<'_>,
    out: &mut Columns,
) {
    let mut sequences = [None; 2];
    let start = out.ids.len();
    let mut next = choice.iter().copied();
    for item in frame.items {
        let mut part = |which: usize| parts[which][next.next().unwrap_or(0)].clone();
        push_item(item, sources, &mut part, start, &mut sequences, frame, out);
    }
    let unnumbered = match choice {
        [first, second] if frame.bare => [*first > 0, *second > 0],
        _ => [frame.bare, false],
    };
    let windows = match choice {
        [first, second] => [*first as u32, *second as u32],
        _ => [0, 0],
    };
    finish_row(Row { input, sequences, unnumbered, windows }, out);
}

/// Whether the numbers of sequences stay that what comes alone has from before: without a processor.
fn keeps_numbers(sources: &[Source<'_>], frame: &Frame<'_>) -> bool {
    frame.bare && sources.len() == 1 && sources[0].sequences != [None; 2]
}

pub(super) fn finish_row(row: Row, out: &mut Columns) {
    out.starts.push(out.ids.len());
    out.rows.push(row);
}

fn push_item(
    item: &Item,
    sources: &[Source<'_>],
    part: &mut dyn FnMut(usize) -> Range<usize>,
    row_start: usize,
    sequences: &mut [Option<(u32, u32)>; 2],
    frame: &Frame<'_>,
    out: &mut Columns,
) {
    match item {
        Item::Special { id, text, type_id, is_masked } => {
            out.texts.extend(text.iter().map(|t| (out.ids.len(), t.clone())));
            let at = out.ids.len();
            out.ids.push(*id);
            fill_default(&mut out.type_ids, at, *type_id, 1, 0);
            fill_default(&mut out.special, at, u8::from(*is_masked), 1, 0);
            fill_default(&mut out.attention, at, 1, 1, 1);
            if frame.spans {
                out.spans.push(CharSpan::default());
                out.words.push(NO_WORD);
            }
        }
        Item::Sequence(item) => {
            let which = item.which as usize;
            let Some(source) = sources.get(which) else { return };
            let part = part(which);
            let from = (out.ids.len() - row_start) as u32;
            if item.keeps_masks && sources.len() == 1 && part.len() == source.len {
                for (sequence, known) in sequences.iter_mut().zip(source.sequences) {
                    *sequence = known.map(|(a, b)| (a + from, b + from)).or(*sequence);
                }
            }
            copy_tokens(source, part, item, frame, out);
            if !keeps_numbers(sources, frame) {
                sequences[which] = Some((from, (out.ids.len() - row_start) as u32));
            }
        }
    }
}

fn copy_tokens(source: &Source<'_>, range: Range<usize>, item: &SequenceItem, frame: &Frame<'_>, out: &mut Columns) {
    let SequenceItem { type_id, keeps_masks, trims, .. } = item;
    let columns = source.columns;
    let at = out.ids.len();
    steps::count(range.len());
    out.ids.extend_from_slice(&columns.ids[range.clone()]);
    let own = columns.type_ids.get(range.clone()).filter(|_| type_id.is_none());
    match own {
        Some(own) => extend_default(&mut out.type_ids, at, own, range.len(), 0),
        None => fill_default(&mut out.type_ids, at, type_id.unwrap_or(source.type_id), range.len(), 0),
    }
    let kept = if *keeps_masks { range.clone() } else { 0..0 };
    extend_default(&mut out.special, at, columns.special.get(kept.clone()).unwrap_or_default(), range.len(), 0);
    extend_default(&mut out.attention, at, columns.attention.get(kept).unwrap_or_default(), range.len(), 1);
    let first = columns.texts.partition_point(|t| t.0 < range.start);
    for (token, text) in columns.texts[first..].iter().take_while(|t| t.0 < range.end) {
        out.texts.push((token - range.start + at, text.clone()));
    }
    if frame.spans {
        out.words.extend_from_slice(&columns.words[range.clone()]);
        let table = frame.trims.filter(|_| !trims.is_empty());
        match source.spans {
            Spans::Chars(spans) => extend_spans(&spans[range], |span| *span, trims, table, at, out),
            Spans::Ascii(spans) => {
                extend_spans(&spans[range], |span| CharSpan::new(span.start, span.end), trims, table, at, out);
            }
            Spans::Bytes(spans, index) => extend_spans(&spans[range], index.chars(), trims, table, at, out),
        }
    }
}

/// Add the spans of the tokens of one sequence, whose ids and texts are there from token `from` on.
fn extend_spans<T>(
    spans: &[T],
    chars: impl Fn(&T) -> CharSpan,
    trims: &[Trim],
    table: Option<&TrimTable>,
    from: usize,
    out: &mut Columns,
) {
    let Some(table) = table else {
        out.spans.extend(spans.iter().map(chars));
        return;
    };
    let pairs = out.ids[from..].iter().zip(spans.iter().map(&chars));
    // There is hardly ever more than one: loops that know what it does, one each for both ways.
    if let [Trim { add_prefix_space, .. }] = *trims {
        if add_prefix_space {
            out.spans.extend(pairs.map(|(id, span)| trimmed(span, table.margins(*id), span.start == 0)));
        } else {
            out.spans.extend(pairs.map(|(id, span)| trimmed(span, table.margins(*id), false)));
        }
    } else {
        out.spans.extend(spans.iter().map(&chars));
        for (span, id) in out.spans[from..].iter_mut().zip(&out.ids[from..]) {
            *span = Trim::all(trims, *span, table.margins(*id), false);
        }
    }
    let named = &out.texts[out.texts.partition_point(|t| t.0 < from)..];
    let first =
        named.first().is_none_or(|t| t.0 != from).then(|| Some((from, table.margins(*out.ids.get(from)?)))).flatten();
    let mut margins = Margins::default();
    for (token, margins) in first.into_iter().chain(named.iter().map(|(token, text)| (*token, margins.of(text)))) {
        out.spans[token] = Trim::all(trims, chars(&spans[token - from]), margins, token == from);
    }
}
