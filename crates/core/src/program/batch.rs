//! Many inputs in one call: spread over threads, put together in order.

use super::Program;
use super::encode::Mode;
use super::threads::in_order;
use super::worker::Worker;
use crate::columns::{Columns, Frame, Item, Padding, Truncation, assemble};
use crate::error::{Error, Result};
use crate::memory::prefer_large_pages;

/// One sequence of an input.
#[derive(Clone, Debug)]
pub enum Sequence<'a> {
    /// A text.
    Text(&'a str),
    /// Words that the caller has cut; each goes through the pipeline alone.
    Words(Vec<&'a str>),
}

/// A text, or a pair of texts.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    /// The first sequence.
    pub first: Sequence<'a>,
    /// The second, of a pair.
    pub second: Option<Sequence<'a>>,
}

/// What is wanted of tokens: each of these and those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wanted {
    /// Ids, type ids and masks.
    Ids,
    /// Spans and word numbers.
    Spans,
    /// The texts of tokens that are not shown with that of their id.
    Texts,
}

/// What a call asks for.
#[derive(Clone)]
pub struct EncodeOptions<'a> {
    /// Whether the processor puts in its special tokens.
    pub add_special_tokens: bool,
    /// How long rows may be.
    pub truncation: Option<Truncation>,
    /// How rows are filled up.
    pub padding: Option<Padding>,
    /// What is wanted of tokens.
    pub wanted: Wanted,
    /// Most threads to use. The result does not depend on it.
    pub threads: usize,
    /// Whether to go component by component, without scanners and cache: for tests.
    pub exact: bool,
    /// Asked now and then; true ends the call with [`Error::Interrupted`].
    pub interrupt: &'a (dyn Fn() -> bool + Sync),
}

/// Ids of many rows end to end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ragged {
    /// Ids, (T,).
    pub ids: Vec<u32>,
    /// Where each row starts, (N + 1,).
    pub offsets: Vec<i64>,
}

/// Below so many bytes in all, threads cost more than they give.
const WORTHWHILE: usize = 128 << 10;
/// After so many bytes the number of tokens of the rest is estimated.
const SAMPLE: usize = 64 << 10;
/// About as many bytes does a thread take at a time.
const UNIT: usize = 256 << 10;

/// How much memory to set aside for tokens: once, by what the first inputs took, so that columns neither grow by being copied
/// nor stay half empty.
struct Room {
    total: usize,
    seen: usize,
    is_set: bool,
}

impl Room {
    fn new(inputs: &[Input<'_>]) -> Self {
        Self { total: inputs.iter().map(Input::bytes).sum(), seen: 0, is_set: false }
    }

    /// Before each input: the tokens to make room for, if it is time to, given the number of tokens so far.
    fn wanted(&mut self, input: &Input<'_>, tokens: usize) -> Option<usize> {
        let due = !self.is_set && self.seen >= SAMPLE;
        self.is_set |= due;
        let wanted = due.then(|| (self.total - self.seen) as u64 * tokens as u64 / self.seen as u64 * 9 / 8);
        self.seen += input.bytes();
        wanted.map(|n| n as usize)
    }
}

impl EncodeOptions<'_> {
    fn spans(&self) -> bool {
        self.wanted >= Wanted::Spans
    }
}

impl Sequence<'_> {
    fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Words(words) => words.iter().map(|w| w.len() + 1).sum(),
        }
    }
}

impl Input<'_> {
    fn bytes(&self) -> usize {
        self.first.bytes() + self.second.as_ref().map_or(0, Sequence::bytes)
    }
}

impl Program {
    /// Encode inputs to columns; row numbers follow the inputs, each with its overflow behind it.
    ///
    /// # Errors
    /// [`Error::Item`] with the index of the input that cannot be encoded, [`Error::Interrupted`].
    pub fn encode(&self, inputs: &[Input<'_>], options: &EncodeOptions<'_>) -> Result<Columns> {
        let parts = self.spread(inputs, options, |inputs, first, options, worker| {
            let mut out = Columns::default();
            let mut room = Room::new(inputs);
            for (i, input) in inputs.iter().enumerate() {
                if let Some(tokens) = room.wanted(input, out.ids.len()) {
                    out.reserve(tokens, options.spans());
                }
                self.encode_input(input, i as u32, options, worker, &mut out).map_err(|e| e.of_item(first + i))?;
            }
            Ok((inputs.len(), out))
        })?;
        let mut parts = parts.into_iter();
        let (mut inputs, mut out) = parts.next().unwrap_or_default();
        for (n, part) in parts {
            out.append(&part, inputs as u32);
            inputs += n;
        }
        match &options.padding {
            Some(padding) => {
                let known = self.shown(padding.pad_id) == Some(padding.pad_token.as_str());
                out.padded(padding, (!known).then(|| padding.pad_token.as_str().into()).as_ref())
            }
            None => Ok(out),
        }
    }

    /// Encode inputs to ids alone, without padding; of what truncation cuts only the first row counts.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_ids(&self, inputs: &[Input<'_>], options: &EncodeOptions<'_>) -> Result<Ragged> {
        let parts = self.spread(inputs, options, |inputs, first, options, worker| {
            let mut out = Ragged::default();
            let mut room = Room::new(inputs);
            for (i, input) in inputs.iter().enumerate() {
                if let Some(tokens) = room.wanted(input, out.ids.len()) {
                    out.ids.reserve(tokens);
                    prefer_large_pages(&mut out.ids);
                }
                self.input_ids(input, options, worker, &mut out.ids).map_err(|e| e.of_item(first + i))?;
                out.offsets.push(out.ids.len().cast_signed() as i64);
            }
            Ok(out)
        })?;
        let mut all = Ragged { ids: Vec::new(), offsets: vec![0] };
        let total: usize = parts.iter().map(|p| p.ids.len()).sum();
        for (i, part) in parts.into_iter().enumerate() {
            let base = all.ids.len().cast_signed() as i64;
            if i == 0 {
                all.ids = part.ids;
                all.ids.reserve(total - all.ids.len());
            } else {
                all.ids.extend_from_slice(&part.ids);
            }
            all.offsets.extend(part.offsets.iter().map(|o| o + base));
        }
        Ok(all)
    }

    /// The number of tokens of each input.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn count(&self, inputs: &[Input<'_>], options: &EncodeOptions<'_>) -> Result<Vec<u32>> {
        let parts = self.spread(inputs, options, |inputs, first, options, worker| {
            let mut ids = Vec::new();
            let count = |(i, input): (usize, &Input<'_>)| {
                ids.clear();
                self.input_ids(input, options, worker, &mut ids).map_err(|e| e.of_item(first + i))?;
                Ok(ids.len() as u32)
            };
            inputs.iter().enumerate().map(count).collect::<Result<Vec<u32>>>()
        })?;
        Ok(parts.concat())
    }

    /// Run `work` over runs of inputs; it gets the inputs, the index of the first, and a worker. The results stand in order.
    fn spread<T: Send>(
        &self,
        inputs: &[Input<'_>],
        options: &EncodeOptions<'_>,
        work: impl Fn(&[Input<'_>], usize, &EncodeOptions<'_>, &mut Worker) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let bytes: usize = inputs.iter().map(|i| i.bytes() + 16).sum();
        let threads = if bytes < WORTHWHILE { 1 } else { options.threads.clamp(1, inputs.len().max(1)) };
        if threads == 1 {
            return self.workers.with(|worker| work(inputs, 0, options, worker)).map(|one| vec![one]);
        }
        let alone = EncodeOptions { threads: 1, ..options.clone() };
        let units = units(inputs, (bytes / (threads * 4)).clamp(WORTHWHILE / 4, UNIT));
        in_order(&units, threads, |range| {
            self.workers.with(|worker| work(&inputs[range.clone()], range.start, &alone, worker))
        })
    }

    fn encode_input(
        &self,
        input: &Input<'_>,
        number: u32,
        options: &EncodeOptions<'_>,
        worker: &mut Worker,
        out: &mut Columns,
    ) -> Result<()> {
        let items = self.items(input.second.is_some(), options.add_special_tokens)?;
        let frame = self.frame(items, options);
        let mut sequences = std::mem::take(&mut worker.sequences);
        // A span is trimmed by what its token is shown with.
        let texts = options.wanted >= Wanted::Texts || frame.trims.is_some();
        let result = self.encode_sequences(input, options, texts, worker, &mut sequences).and_then(|()| {
            let [first, second] = &sequences;
            let sources = [first.source(0), second.source(1)];
            assemble(&sources[..=usize::from(input.second.is_some())], number, &frame, out)
        });
        worker.sequences = sequences;
        result
    }

    /// What the rows of a batch have in common.
    fn frame<'a>(&'a self, items: &'a [Item], options: &'a EncodeOptions<'_>) -> Frame<'a> {
        let trims = options.spans()
            && items.iter().any(|item| matches!(item, Item::Sequence(sequence) if !sequence.trims.is_empty()));
        Frame {
            items,
            truncation: options.truncation.as_ref(),
            trims: trims.then(|| self.trims()),
            spans: options.spans(),
            bare: self.bare,
        }
    }

    fn encode_sequences(
        &self,
        input: &Input<'_>,
        options: &EncodeOptions<'_>,
        texts: bool,
        worker: &mut Worker,
        sequences: &mut [super::tokens::Tokens; 2],
    ) -> Result<()> {
        if (options.interrupt)() {
            return Err(Error::Interrupted);
        }
        let EncodeOptions { exact, threads, interrupt, .. } = *options;
        let mode = Mode { spans: options.spans(), texts, exact, threads, interrupt };
        let [first, second] = sequences;
        self.encode_sequence(&input.first, mode, worker, first)?;
        match &input.second {
            Some(input) => self.encode_sequence(input, mode, worker, second),
            None => Ok(()),
        }
    }

    fn input_ids(
        &self,
        input: &Input<'_>,
        options: &EncodeOptions<'_>,
        worker: &mut Worker,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        if options.truncation.is_some() {
            let mut columns = Columns::default();
            self.encode_input(input, 0, options, worker, &mut columns)?;
            out.extend_from_slice(&columns.ids[columns.row(0)]);
            return Ok(());
        }
        let items = self.items(input.second.is_some(), options.add_special_tokens)?;
        let mut sequences = std::mem::take(&mut worker.sequences);
        let result = self.encode_sequences(input, options, false, worker, &mut sequences);
        if result.is_ok() {
            for item in items {
                match item {
                    Item::Special { id, .. } => out.push(*id),
                    Item::Sequence(item) => out.extend_from_slice(sequences[item.which as usize].ids()),
                }
            }
        }
        worker.sequences = sequences;
        result
    }
}

/// Runs of inputs of about `size` bytes.
fn units(inputs: &[Input<'_>], size: usize) -> Vec<std::ops::Range<usize>> {
    let mut units = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (i, input) in inputs.iter().enumerate() {
        bytes += input.bytes() + 16;
        if bytes >= size {
            units.push(start..i + 1);
            (start, bytes) = (i + 1, 0);
        }
    }
    if start < inputs.len() {
        units.push(start..inputs.len());
    }
    units
}
