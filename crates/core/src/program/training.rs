//! The pieces of a corpus, as the model will see them: what training counts.

use super::Program;
use super::plan::{ChunkPlan, Cutter, Way};
use crate::added_tokens::Segment;
use crate::error::Result;
use crate::text::AlignedText;
use crate::text::byte_alphabet::BYTE_TO_CHAR;

/// In front of a piece that is spelled as it is; no text starts with this byte.
const LITERAL: u8 = 0xff;
/// Pieces that a scanner finds in one go.
const BATCH: usize = 256;

/// Working memory of [`Program::training_pieces`].
#[derive(Debug, Default)]
pub struct PieceScratch {
    raw: Vec<Segment>,
    normalized: Vec<Segment>,
    literal: Vec<u8>,
    prefixed: String,
}

impl PieceScratch {
    fn literal(&mut self, text: &str) -> &[u8] {
        self.literal.clear();
        self.literal.push(LITERAL);
        self.literal.extend_from_slice(text.as_bytes());
        &self.literal
    }
}

impl Program {
    /// The same program, whose [`training_pieces`](Self::training_pieces) hold the texts of special tokens or not.
    #[must_use]
    pub fn learning(mut self, special_tokens: bool) -> Self {
        self.skip_special_pieces = !special_tokens;
        self
    }

    /// The pieces of an item: normalised, cut at added tokens (whose texts are pieces too), pre-tokenised. What `sink` gets
    /// is short for the piece; [`training_word`](Self::training_word) spells it.
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
                && chunk_pieces(plan, part, &mut scratch.prefixed, sink)
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

    /// Spell a piece that [`training_pieces`](Self::training_pieces) gave: append the word that it stands for.
    pub fn training_word(piece: &[u8], out: &mut String) {
        match piece {
            [LITERAL, text @ ..] => out.push_str(&String::from_utf8_lossy(text)),
            bytes => out.extend(bytes.iter().map(|b| BYTE_TO_CHAR[*b as usize])),
        }
    }
}

/// Give the pieces of a text, unspelled; false where the plan does not find them.
fn chunk_pieces(plan: &ChunkPlan, text: &str, prefixed: &mut String, sink: &mut dyn FnMut(&[u8])) -> bool {
    let Cutter::Scanner { scanner, prefix_space } = &plan.cutter else { return false };
    if !plan.spells_bytes() {
        return false;
    }
    let mut text = text;
    if *prefix_space && !text.is_empty() && !text.starts_with(' ') {
        prefixed.clear();
        prefixed.push(' ');
        prefixed.push_str(text);
        text = prefixed;
    }
    let mut ends = [0; BATCH];
    let mut at = 0;
    while at < text.len() {
        let n = scanner.scan(text, at, &mut ends);
        for &end in &ends[..n] {
            if !scanner.is_dropped(text, at) {
                sink(&text.as_bytes()[at..end as usize]);
            }
            at = end as usize;
        }
    }
    true
}
