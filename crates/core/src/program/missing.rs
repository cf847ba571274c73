//! Chunks that the cache does not have: through the stages, and into the cache.

use super::Program;
use super::cache::ChunkToken;
use super::chunks::{Lookup, Result, Stop, Stretch};
use super::plan::{ChunkPlan, Flags, NO_ID};
use super::tokens::Tokens;
use super::worker::{Memory, Worker};
use crate::models::bpe::{BpeScratch, Symbol, merge_all};
use crate::models::{AnyModel, Bpe, Model};
use crate::pre_tokenizers::{AnyPreTokenizer, PreTokenizer};
use crate::steps;
use crate::text::byte_alphabet::BYTE_TO_CHAR;
use crate::text::{AlignedText, ByteSpan, Pretokens};
use std::ops::Range;

impl Program {
    /// Encode a chunk that the cache does not have, and remember it. Gives the number of words that it completes.
    #[cold]
    pub(super) fn encode_missing(
        &self,
        stretch: &Stretch<'_>,
        range: Range<usize>,
        lookup: Lookup,
        worker: &mut Worker,
        out: &mut Tokens,
        word: u32,
    ) -> Result<u32> {
        let Worker { cache, memory, .. } = worker;
        let at = stretch.offset.wrapping_add(range.start as u32);
        let flags = stretch.flags(range.start, range.end);
        steps::count(range.len());
        let chunk = &stretch.text[range];
        memory.chunk.clear();
        let completed = self.encode_chunk(stretch.plan, chunk, flags, memory)?;
        match lookup {
            Lookup::Short(key, hash) => cache.insert(key, hash, &memory.chunk, completed),
            Lookup::Long(hash) => cache.insert_long(flags.bits(), chunk.as_bytes(), hash, &memory.chunk, completed),
            Lookup::Dropped => {}
        }
        out.push_chunk(&memory.chunk, at, word);
        Ok(completed)
    }

    /// Encode a chunk into `memory.chunk`. Gives the number of words that it completes.
    fn encode_chunk(&self, plan: &ChunkPlan, chunk: &str, flags: Flags, memory: &mut Memory) -> Result<u32> {
        let Memory { model, found, chunk: out, .. } = memory;
        if let (Some(ids), AnyModel::BPE(bpe)) = (&plan.bytes, &self.model)
            && chunk.bytes().all(|b| ids[b as usize] != NO_ID)
        {
            merge_bytes(bpe, ids, chunk.as_bytes(), &mut model.bpe);
            out.extend(model.bpe.symbols.iter().map(|s| ChunkToken {
                id: s.id,
                span: ByteSpan::new(s.start, s.end),
                word: 0,
                text: None,
            }));
            return Ok(1);
        }
        // Whether it stands at the start of the text is all that a stage may ask of the place of a chunk.
        let base = u32::from(!flags.has(Flags::START));
        let mut text = AlignedText::new(chunk, base);
        if let Some(normalizers) = &plan.normalizers {
            let [first, last] = [Flags::FIRST, Flags::LAST].map(|f| plan.flags.has(f) && !flags.has(f));
            normalizers[usize::from(first)][usize::from(last)].as_dyn().normalize(&mut text)?;
            if text.as_str().contains(|c| self.telltales.contains(&c)) {
                return Err(Stop::AddedToken);
            }
            if text.is_empty() {
                return Ok(0);
            }
            // What was dropped in front of a piece counts as text before it.
            let start = text.origin(0..1).start;
            text = text.with_start(start);
        }
        let mut pretokens = Pretokens::new(text);
        let mut stages = plan.rest.iter().map(AnyPreTokenizer::as_dyn);
        stages.try_for_each(|p: &dyn PreTokenizer| p.pre_tokenize(&mut pretokens))?;
        let mut word = 0;
        for (piece, text) in pretokens.pieces().iter().zip(pretokens.iter()) {
            found.clear();
            self.model.as_dyn().tokenize(text, model, found)?;
            out.extend(found.drain(..).map(|t| {
                let range = (piece.span.start + t.span.start) as usize..(piece.span.start + t.span.end) as usize;
                let ByteSpan { start, end } = pretokens.text().origin(range);
                let span = ByteSpan::new(start - base, end - base);
                ChunkToken { id: t.id, span, word, text: t.text.map(Into::into) }
            }));
            word += 1;
        }
        Ok(word)
    }
}

/// What byte-level BPE makes of some bytes, without spelling them first. The symbols cover bytes of the chunk.
fn merge_bytes(bpe: &Bpe, ids: &[u32; 256], chunk: &[u8], scratch: &mut BpeScratch) {
    let BpeScratch { symbols, merge, spelled, .. } = scratch;
    symbols.clear();
    if bpe.options().ignore_merges {
        spelled.clear();
        spelled.extend(chunk.iter().map(|b| BYTE_TO_CHAR[*b as usize]));
        if let Some(id) = bpe.vocabulary().id(spelled) {
            symbols.push(Symbol { id, start: 0, end: chunk.len() as u32 });
            return;
        }
    }
    let spell = |(i, b): (usize, &u8)| Symbol { id: ids[*b as usize], start: i as u32, end: i as u32 + 1 };
    symbols.extend(chunk.iter().enumerate().map(spell));
    merge_all(bpe.merge_table(), symbols, merge);
}
