//! Pipelines whose pre-tokenizer has no scanner: the pieces are cut component by component, and the cache holds what the model
//! makes of each. The same pieces feed training.

use super::Program;
use super::cache::{ChunkToken, Key, SHORT};
use super::long_chunks::hash;
use super::plan::Flags;
use super::tokens::Tokens;
use super::worker::{Memory, Worker};
use crate::error::Result;
use crate::steps;
use crate::text::AlignedText;

const FLAGS: u8 = Flags::PIECE.bits();

impl Program {
    /// As [`encode_exact`](Self::encode_exact), with the tokens of a piece taken from the cache where it is there.
    pub(super) fn encode_pieces(
        &self,
        text: AlignedText,
        worker: &mut Worker,
        out: &mut Tokens,
        word: &mut u32,
    ) -> Result<()> {
        let Worker { cache, memory, .. } = worker;
        let pretokens = self.pretokens(text)?;
        for (piece, text) in pretokens.pieces().iter().zip(pretokens.iter()) {
            let at = piece.span.start;
            let from = out.len();
            let bytes = text.as_bytes();
            steps::count(bytes.len());
            let key =
                (bytes.len() <= SHORT).then(|| Key::new(bytes, 0, bytes.len(), FLAGS)).map(|key| (key, key.hash()));
            let hash = if key.is_none() { hash(FLAGS, bytes) } else { 0 };
            out.reserve(super::cache::INLINE);
            let slot = key.and_then(|(key, hash)| cache.get(key, hash));
            let record = match slot {
                Some(slot) => cache.elsewhere(slot),
                None if key.is_none() => cache.get_long(FLAGS, bytes, hash),
                None => None,
            };
            if let Some(slot) = slot.filter(|s| s.is_inline()) {
                out.push_any_slot(slot, at, *word);
            } else if let Some(record) = record {
                out.push_record(&record, cache, at, *word);
            } else {
                let Memory { model, found, chunk, .. } = &mut *memory;
                found.clear();
                self.model.as_dyn().tokenize(text, model, found)?;
                chunk.clear();
                chunk.extend(found.drain(..).map(|t| ChunkToken {
                    id: t.id,
                    span: t.span,
                    word: 0,
                    text: t.text.map(Into::into),
                }));
                match key {
                    Some((key, hash)) => cache.insert(key, hash, chunk, 1),
                    None => cache.insert_long(FLAGS, bytes, hash, chunk, 1),
                }
                out.push_chunk(chunk, at, *word);
            }
            out.map_spans(from, |span| pretokens.text().origin(span.range()));
            *word += 1;
        }
        Ok(())
    }
}
