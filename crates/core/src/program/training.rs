//! The pieces of a corpus, as the model will see them: what training counts.

use super::Program;
use super::border_memo::BorderMemos;
use super::borders::Chunks;
use super::plan::{ChunkPlan, Cutter, Plan, Way};
use crate::added_tokens::Segment;
use crate::error::Result;
use crate::text::byte_alphabet::BYTE_TO_CHAR;
use crate::text::{AlignedText, Pretokens};

/// In front of a piece that is spelled as it is; no text starts with this byte, or with the next two.
const LITERAL: u8 = 0xff;
/// In front of a chunk that is still to be normalised and cut.
const RAW_CHUNK: u8 = 0xfe;
/// In front of a chunk that is still to be cut.
const CHUNK: u8 = 0xfd;
/// Pieces that a scanner finds in one go.
const BATCH: usize = 256;

/// Working memory of [`Program::training_pieces`].
#[derive(Debug, Default)]
pub struct PieceScratch {
    raw: Vec<Segment>,
    normalized: Vec<Segment>,
    marked: Vec<u8>,
    prefixed: String,
    borders: BorderMemos,
}

impl PieceScratch {
    fn literal(&mut self, text: &str) -> &[u8] {
        marked(&mut self.marked, LITERAL, text)
    }
}

/// A piece behind its mark.
fn marked<'a>(piece: &'a mut Vec<u8>, mark: u8, text: &str) -> &'a [u8] {
    piece.clear();
    piece.push(mark);
    piece.extend_from_slice(text.as_bytes());
    piece
}

impl Program {
    /// The same program, whose [`training_pieces`](Self::training_pieces) hold the texts of special tokens or not.
    #[must_use]
    pub fn learning(mut self, special_tokens: bool) -> Self {
        self.skip_special_pieces = !special_tokens;
        self
    }

    /// The pieces of an item: normalised, cut at added tokens (whose texts are pieces too), pre-tokenised. What `sink` gets
    /// is short for the piece, or for a chunk of several; [`training_words`](Self::training_words) spells it.
    ///
    /// # Errors
    /// Those of the components.
    pub fn training_pieces(&self, item: &str, scratch: &mut PieceScratch, sink: &mut dyn FnMut(&[u8])) -> Result<()> {
        let mut raw = std::mem::take(&mut scratch.raw);
        self.added.in_raw(item, self.encode_special_tokens, &mut raw);
        let result = raw.iter().try_for_each(|segment| {
            let text = &item[segment.range.clone()];
            if let Some(token) = segment.token {
                self.added_piece(token, text, scratch, sink);
                return Ok(());
            }
            self.stretch_pieces(text, segment.range.start as u32, scratch, sink)
        });
        scratch.raw = raw;
        result
    }

    fn stretch_pieces(
        &self,
        raw: &str,
        start: u32,
        scratch: &mut PieceScratch,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<()> {
        let unchanged = self.normalizer.as_ref().is_none_or(|n| n.as_dyn().is_identity(raw));
        if !unchanged
            && !self.added.has_normalized()
            && let Some(plan) = &self.plan.raw
            && chunk_pieces(plan, RAW_CHUNK, raw, scratch, sink)
        {
            return Ok(());
        }
        let aligned = if unchanged { None } else { Some(self.normalized(AlignedText::untracked(raw, start))?) };
        let text = aligned.as_ref().map_or(raw, AlignedText::as_str);
        let mut segments = std::mem::take(&mut scratch.normalized);
        self.added.in_normalized(text, self.encode_special_tokens, &mut segments);
        let result = segments.iter().try_for_each(|segment| {
            let part = &text[segment.range.clone()];
            if let Some(token) = segment.token {
                self.added_piece(token, part, scratch, sink);
                return Ok(());
            }
            if let Way::Chunks(plan) = &self.plan.normalized
                && chunk_pieces(plan, CHUNK, part, scratch, sink)
            {
                return Ok(());
            }
            let part = match &aligned {
                Some(aligned) => aligned.slice(segment.range.clone()),
                None => AlignedText::untracked(part, start + segment.range.start as u32),
            };
            for piece in self.pretokens(part)?.iter() {
                sink(scratch.literal(piece));
            }
            Ok(())
        });
        scratch.normalized = segments;
        result
    }

    fn added_piece(&self, token: u32, text: &str, scratch: &mut PieceScratch, sink: &mut dyn FnMut(&[u8])) {
        if !(self.skip_special_pieces && self.added.token(token).token.special) {
            sink(scratch.literal(text));
        }
    }

    /// Give the words that a piece, or a chunk, of [`training_pieces`](Self::training_pieces) stands for, in order.
    ///
    /// # Errors
    /// Those of the components.
    pub fn training_words(&self, piece: &[u8], sink: &mut dyn FnMut(&str)) -> Result<()> {
        match (piece, &self.plan) {
            ([LITERAL, text @ ..], _) => sink(&String::from_utf8_lossy(text)),
            ([RAW_CHUNK, text @ ..], Plan { raw: Some(plan), .. })
            | ([CHUNK, text @ ..], Plan { normalized: Way::Chunks(plan), .. }) => {
                let mut text = AlignedText::untracked(&String::from_utf8_lossy(text), 1);
                if let Some(normalizers) = &plan.normalizers {
                    normalizers[0][0].as_dyn().normalize(&mut text)?;
                }
                let mut pretokens = Pretokens::new(text);
                plan.rest.iter().try_for_each(|stage| stage.as_dyn().pre_tokenize(&mut pretokens))?;
                pretokens.iter().for_each(sink);
            }
            (bytes, _) => sink(&bytes.iter().map(|b| BYTE_TO_CHAR[*b as usize]).collect::<String>()),
        }
        Ok(())
    }
}

/// Give the pieces of a text, unspelled, or its chunks; false where the plan does not find them, or where it matters whether a
/// chunk is the first or the last.
fn chunk_pieces(
    plan: &ChunkPlan,
    mark: u8,
    text: &str,
    scratch: &mut PieceScratch,
    sink: &mut dyn FnMut(&[u8]),
) -> bool {
    if plan.depends_on_place() || plan.within_a_piece() {
        return false;
    }
    let spelled = plan.spells_bytes();
    let PieceScratch { marked: buffer, prefixed, borders: memos, .. } = scratch;
    let mut text = text;
    if plan.puts_blank_in_front(text) && !text.is_empty() {
        prefixed.clear();
        prefixed.push(' ');
        prefixed.push_str(text);
        text = prefixed;
    }
    let mut found = Chunks::<BATCH>::default();
    let mut at = 0;
    while at < text.len() {
        let (n, scanner) = match &plan.cutter {
            Cutter::Scanner { scanner, .. } => (scanner.scan(text, at, &mut found.ends), Some(scanner)),
            Cutter::Borders(borders) => (borders.scan(text, at, &mut found, memos.of(plan.flags)), None),
        };
        for &end in &found.ends[..n] {
            let chunk = &text[at..end as usize];
            if scanner.is_none_or(|scanner| !scanner.is_dropped(text, at)) {
                // Pieces of bytes need no mark: that is one copy less for each piece of byte-level tokenizers.
                if scanner.is_some() && spelled { sink(chunk.as_bytes()) } else { sink(marked(buffer, mark, chunk)) }
            }
            at = end as usize;
        }
    }
    true
}
