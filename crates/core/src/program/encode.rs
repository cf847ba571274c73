//! From a text to the tokens of a sequence: added tokens, stretches between them, and which way each stretch goes.

use super::batch::Sequence;
use super::chunks::Stop;
use super::plan::{ChunkPlan, Cutter, Way};
use super::tokens::Tokens;
use super::worker::Worker;
use super::{Program, chunks};
use crate::added_tokens::Segment;
use crate::columns::Shared;
use crate::error::{Error, Result};
use crate::text::{AlignedText, ByteSpan};
use std::ops::Range;

/// What a call asks for, as the inner loops need it.
#[derive(Clone, Copy)]
pub(super) struct Mode<'a> {
    pub(super) spans: bool,
    /// Whether what tokens are shown with is wanted.
    pub(super) texts: bool,
    pub(super) exact: bool,
    /// Threads that one text may be spread over.
    pub(super) threads: usize,
    pub(super) interrupt: &'a (dyn Fn() -> bool + Sync),
}

/// Longest text, in bytes: spans are 32 bits wide, and a normaliser may make a text longer.
pub(super) const LONGEST: usize = u32::MAX as usize / 4;

impl Program {
    /// Encode one sequence of an input into `out`.
    pub(super) fn encode_sequence(
        &self,
        sequence: &Sequence<'_>,
        mode: Mode<'_>,
        worker: &mut Worker,
        out: &mut Tokens,
    ) -> Result<()> {
        out.clear(mode.spans, mode.texts);
        match sequence {
            Sequence::Text(text) => {
                self.encode_text(text, mode, worker, out, &mut 0)?;
                out.spans_of(text);
            }
            // Each word goes through the pipeline alone; its tokens have its index as their word, and spans within it.
            Sequence::Words(words) => {
                for (index, text) in words.iter().enumerate() {
                    let from = out.len();
                    self.encode_text(text, mode, worker, out, &mut 0)?;
                    out.count_chars(from, text);
                    out.set_word(from, index as u32);
                }
            }
        }
        Ok(())
    }

    fn encode_text(
        &self,
        text: &str,
        mode: Mode<'_>,
        worker: &mut Worker,
        out: &mut Tokens,
        word: &mut u32,
    ) -> Result<()> {
        if text.len() > LONGEST {
            return Err(Error::Encode(format!("a text of `{}` bytes; at most `{LONGEST}` can be encoded", text.len())));
        }
        let mut segments = std::mem::take(&mut worker.memory.raw_segments);
        self.added.in_raw(text, self.encode_special_tokens, &mut segments);
        let mut shared = Shared::new(text);
        let result = segments.iter().try_for_each(|segment| match segment.token {
            Some(token) => {
                self.push_added(token, segment, &mut shared, byte_span(segment), out, word);
                Ok(())
            }
            None => {
                self.encode_stretch(&text[segment.range.clone()], segment.range.start as u32, mode, worker, out, word)
            }
        });
        worker.memory.raw_segments = segments;
        result
    }

    /// Add an added token that was found as `segment` of the text that `shared` is of.
    fn push_added(
        &self,
        token: u32,
        segment: &Segment,
        shared: &mut Shared<'_>,
        span: ByteSpan,
        out: &mut Tokens,
        word: &mut u32,
    ) {
        let id = self.added.token(token).id;
        let is_named = out.texts() && self.shown(id) != Some(shared.part(&segment.range));
        out.push(id, span, *word, is_named.then(|| shared.get(&segment.range)));
        *word += 1;
    }

    /// Encode a stretch between added tokens of the raw text, which starts at byte `start` of the text.
    fn encode_stretch(
        &self,
        raw: &str,
        start: u32,
        mode: Mode<'_>,
        worker: &mut Worker,
        out: &mut Tokens,
        word: &mut u32,
    ) -> Result<()> {
        if let Some(plan) = &self.plan.raw
            && !mode.exact
            && self.normalizer.as_ref().is_none_or(|n| !n.as_dyn().is_seen_whole(raw))
        {
            let stretch = chunks::Stretch { plan, text: raw, offset: start, starts: start == 0, mode };
            let (tokens, words) = (out.len(), *word);
            match self.encode_chunks(&stretch, worker, out, word) {
                Ok(()) => return Ok(()),
                Err(Stop::Error(error)) => return Err(error),
                Err(Stop::AddedToken) => {
                    out.truncate(tokens);
                    *word = words;
                }
            }
        }
        let unchanged = self.normalizer.as_ref().is_none_or(|n| !mode.exact && n.as_dyn().is_identity(raw));
        let aligned = if unchanged {
            None
        } else {
            let text = if mode.spans { AlignedText::new(raw, start) } else { AlignedText::untracked(raw, start) };
            Some(self.normalized(text)?)
        };
        let text = aligned.as_ref().map_or(raw, |a| a.as_str());
        let stretch = Stretch { text, raw_start: start, aligned: aligned.as_ref(), mode };
        if !self.added.has_normalized() {
            return self.encode_normalized(&stretch, 0..text.len(), worker, out, word);
        }
        let mut segments = std::mem::take(&mut worker.memory.normalized_segments);
        self.added.in_normalized(text, self.encode_special_tokens, &mut segments);
        let mut shared = Shared::new(text);
        let result = segments.iter().try_for_each(|segment| match segment.token {
            Some(token) => {
                let span = stretch.origin(byte_span(segment));
                self.push_added(token, segment, &mut shared, span, out, word);
                Ok(())
            }
            None => self.encode_normalized(&stretch, segment.range.clone(), worker, out, word),
        });
        worker.memory.normalized_segments = segments;
        result
    }

    /// Encode a part of a normalised stretch that holds no added token.
    fn encode_normalized(
        &self,
        stretch: &Stretch<'_>,
        range: Range<usize>,
        worker: &mut Worker,
        out: &mut Tokens,
        word: &mut u32,
    ) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        match &self.plan.normalized {
            Way::Chunks(plan) if !stretch.mode.exact => self.encode_in_chunks(stretch, plan, range, worker, out, word),
            Way::Pieces if !stretch.mode.exact => self.encode_pieces(stretch.slice(range), worker, out, word),
            _ => self.encode_exact(stretch.slice(range), &mut worker.memory, out, word),
        }
    }

    fn encode_in_chunks(
        &self,
        stretch: &Stretch<'_>,
        plan: &ChunkPlan,
        mut range: Range<usize>,
        worker: &mut Worker,
        out: &mut Tokens,
        word: &mut u32,
    ) -> Result<()> {
        let last_of_start = stretch.last_of_start(&range);
        let mut starts = last_of_start.is_some();
        if let Some(last) = last_of_start
            && plan.asks_for_start()
            && !plan.within_a_piece()
            && (last > 0 || plan.puts_blank_in_front(&stretch.text[range.clone()]))
        {
            // Each piece that begins among the characters that came from the start of the text stands there, and only the stages
            // in front of the one that asks can tell which do.
            let end = match &plan.cutter {
                Cutter::Borders(borders) => {
                    let memo = worker.memory.borders.of(plan.flags);
                    borders.sync_point(&stretch.text[range.clone()], last + 1, memo)
                }
                Cutter::Scanner { .. } => None,
            };
            let end = end.map_or(range.end, |end| range.start + end);
            self.encode_pieces(stretch.slice(range.start..end), worker, out, word)?;
            if end == range.end {
                return Ok(());
            }
            (range.start, starts) = (end, false);
        }
        let part = chunks::Stretch {
            plan,
            text: &stretch.text[range.clone()],
            offset: if stretch.aligned.is_some() { 0 } else { stretch.raw_start + range.start as u32 },
            starts,
            mode: stretch.mode,
        };
        let from = out.len();
        match self.encode_chunks(&part, worker, out, word) {
            Err(Stop::Error(error)) => return Err(error),
            // Only what is normalised chunk by chunk is stopped.
            Ok(()) | Err(Stop::AddedToken) => {}
        }
        if let Some(aligned) = stretch.aligned {
            out.map_spans(from, |s| aligned.origin(range.start + s.start as usize..range.start + s.end as usize));
        }
        Ok(())
    }
}

fn byte_span(segment: &Segment) -> ByteSpan {
    ByteSpan::new(segment.range.start as u32, segment.range.end as u32)
}

/// A stretch of the text after normalisation.
struct Stretch<'a> {
    text: &'a str,
    raw_start: u32,
    /// Where its bytes came from; `None` where nothing was changed.
    aligned: Option<&'a AlignedText>,
    mode: Mode<'a>,
}

impl Stretch<'_> {
    fn origin(&self, span: ByteSpan) -> ByteSpan {
        match self.aligned {
            Some(aligned) => aligned.origin(span.range()),
            None => ByteSpan::new(self.raw_start + span.start, self.raw_start + span.end),
        }
    }

    /// The last character of a part that came from the start of the text, counted from the start of the part.
    fn last_of_start(&self, part: &Range<usize>) -> Option<usize> {
        let came_from_start = |at: usize| match self.aligned {
            Some(aligned) => aligned.origin(at..at + 1).start == 0,
            None => self.raw_start == 0 && at == 0,
        };
        let chars = self.text[part.clone()].char_indices().map(|(at, _)| at);
        chars.take_while(|at| came_from_start(part.start + at)).last()
    }

    fn slice(&self, range: Range<usize>) -> AlignedText {
        match self.aligned {
            Some(aligned) => aligned.slice(range),
            None if self.mode.spans => AlignedText::new(&self.text[range.clone()], self.raw_start + range.start as u32),
            None => AlignedText::untracked(&self.text[range.clone()], self.raw_start + range.start as u32),
        }
    }
}
