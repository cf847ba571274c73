//! Pipelines whose pieces a scanner finds: cut, take from the cache, join.

use super::Program;
use super::cache::{ChunkToken, INLINE, Key, SHORT};
use super::encode::Mode;
use super::plan::{ChunkPlan, NO_ID};
use super::threads::in_order;
use super::tokens::Tokens;
use super::worker::{Memory, Worker};
use crate::error::{Error, Result};
use crate::models::bpe::{BpeScratch, Symbol, merge_all};
use crate::models::{AnyModel, Bpe, Model};
use crate::pre_tokenizers::{AnyPreTokenizer, PreTokenizer};
use crate::text::byte_alphabet::BYTE_TO_CHAR;
use crate::text::{AlignedText, ByteSpan, Pretokens};
use std::ops::Range;

/// Chunks looked up together: their cache lines are asked for first and read later.
const BATCH: usize = 128;
/// From so many bytes on one text is spread over threads.
const SPREAD: usize = 512 << 10;
/// Parts of such a text for each thread, so that no thread waits long for another.
const PARTS_A_THREAD: usize = 4;
/// Batches between two looks at whether the caller wants to stop.
const PATIENCE: usize = 512;

/// How a chunk is looked up.
#[derive(Clone, Copy)]
enum Lookup {
    /// In a slot.
    Short(Key, u64),
    /// In the map.
    Long,
    /// Not at all: the pre-tokenizer removes it.
    Dropped,
}

impl Program {
    /// Encode a normalised text whose first byte stands at `start`.
    #[allow(clippy::too_many_arguments, reason = "the state of one text, passed down once")]
    pub(super) fn encode_chunks(
        &self,
        plan: &ChunkPlan,
        text: &str,
        start: u32,
        mode: Mode<'_>,
        worker: &mut Worker,
        out: &mut Tokens,
        word: &mut u32,
    ) -> Result<()> {
        if !plan.prefix_space || text.starts_with(' ') {
            return self.scan(plan, text, start, mode, worker, out, word);
        }
        let mut prefixed = std::mem::take(&mut worker.memory.prefixed);
        prefixed.clear();
        prefixed.push(' ');
        prefixed.push_str(text);
        let from = out.len();
        // Everything stands one byte too far to the right, except that the blank belongs to the first character.
        let result = self.scan(plan, &prefixed, 0, mode, worker, out, word);
        let first = text.chars().next().map_or(0, char::len_utf8) as u32;
        out.map_spans(from, |s| {
            let end = if s.end == 1 { first } else { s.end - 1 };
            ByteSpan::new(start + s.start.saturating_sub(1), start + end)
        });
        worker.memory.prefixed = prefixed;
        result
    }

    #[allow(clippy::too_many_arguments, reason = "the state of one text, passed down once")]
    fn scan(
        &self,
        plan: &ChunkPlan,
        text: &str,
        start: u32,
        mode: Mode<'_>,
        worker: &mut Worker,
        out: &mut Tokens,
        word: &mut u32,
    ) -> Result<()> {
        if mode.threads > 1 && text.len() >= SPREAD {
            return self.scan_spread(plan, text, start, mode, out, word);
        }
        self.scan_part(plan, text, 0..text.len(), start, mode, worker, out, word)
    }

    /// Scan a part of a text, both ends of which are piece ends.
    #[allow(clippy::too_many_arguments, reason = "the state of one text, passed down once")]
    fn scan_part(
        &self,
        plan: &ChunkPlan,
        text: &str,
        part: Range<usize>,
        start: u32,
        mode: Mode<'_>,
        worker: &mut Worker,
        out: &mut Tokens,
        word: &mut u32,
    ) -> Result<()> {
        if mode.spans {
            self.scan_with::<true>(plan, text, part, start, mode, worker, out, word)
        } else {
            self.scan_with::<false>(plan, text, part, start, mode, worker, out, word)
        }
    }

    /// Scan the parts of one long text on several threads: between places that are piece ends whatever stands before them.
    fn scan_spread(
        &self,
        plan: &ChunkPlan,
        text: &str,
        start: u32,
        mode: Mode<'_>,
        out: &mut Tokens,
        word: &mut u32,
    ) -> Result<()> {
        let parts = mode.threads * PARTS_A_THREAD;
        let mut cuts = vec![0];
        cuts.extend((1..parts).filter_map(|i| plan.scanner.sync_point(text, text.len() / parts * i)));
        cuts.push(text.len());
        cuts.dedup();
        let ranges: Vec<_> = cuts.windows(2).map(|w| w[0]..w[1]).collect();
        let alone = Mode { threads: 1, ..mode };
        let done = in_order(&ranges, mode.threads, |range| {
            self.workers.with(|worker| {
                let mut tokens = Tokens::default();
                tokens.clear(mode.spans);
                let mut words = 0;
                self.scan_part(plan, text, range.clone(), start, alone, worker, &mut tokens, &mut words)?;
                Ok((tokens, words))
            })
        })?;
        for (tokens, words) in done {
            out.append(&tokens, *word);
            *word += words;
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments, reason = "the state of one text, passed down once")]
    fn scan_with<const SPANS: bool>(
        &self,
        plan: &ChunkPlan,
        text: &str,
        part: Range<usize>,
        start: u32,
        mode: Mode<'_>,
        worker: &mut Worker,
        out: &mut Tokens,
        word: &mut u32,
    ) -> Result<()> {
        let bytes = text.as_bytes();
        let mut ends = [0; BATCH];
        let mut lookups = [Lookup::Long; BATCH];
        let drops = plan.scanner.drops();
        let mut batches = 0;
        let mut done = part.start;
        while done < part.end {
            let n = plan.scanner.scan(text, done, &mut ends);
            // Pieces are found in the light of what stands behind the part, but those behind it are left to another thread.
            let n = ends[..n].partition_point(|&end| end as usize <= part.end);
            let ends = &ends[..n];
            let mut at = done;
            for (lookup, &end) in lookups.iter_mut().zip(ends) {
                let end = end as usize;
                *lookup = if drops && plan.scanner.is_dropped(text, at) {
                    Lookup::Dropped
                } else if end - at <= SHORT {
                    let key = Key::new(bytes, at, end);
                    let hash = key.hash();
                    worker.cache.prefetch(hash);
                    Lookup::Short(key, hash)
                } else {
                    Lookup::Long
                };
                at = end;
            }
            out.reserve(n * INLINE);
            at = done;
            for (lookup, &end) in lookups.iter().zip(ends) {
                let end = end as usize;
                let place = start.wrapping_add(at as u32);
                let key = match *lookup {
                    Lookup::Short(key, hash) => {
                        if let Some(slot) = worker.cache.get(key, hash) {
                            out.push_slot::<SPANS>(slot, place, *word);
                            *word += u32::from(slot.completed);
                            at = end;
                            continue;
                        }
                        Some((key, hash))
                    }
                    Lookup::Long => None,
                    Lookup::Dropped => {
                        at = end;
                        continue;
                    }
                };
                *word += self.encode_missing(plan, &text[at..end], key, place, worker, out, *word)?;
                out.reserve(n * INLINE);
                at = end;
            }
            done = at;
            batches += 1;
            if batches % PATIENCE == 0 && (mode.interrupt)() {
                return Err(Error::Interrupted);
            }
        }
        Ok(())
    }

    /// Encode a chunk that is not in a slot, and remember it. Gives the number of words that it completes.
    #[cold]
    #[allow(clippy::too_many_arguments, reason = "the state of one text, passed down once")]
    fn encode_missing(
        &self,
        plan: &ChunkPlan,
        chunk: &str,
        key: Option<(Key, u64)>,
        at: u32,
        worker: &mut Worker,
        out: &mut Tokens,
        word: u32,
    ) -> Result<u32> {
        let Worker { cache, memory, .. } = worker;
        if let Some(entry) = cache.get_long(chunk.as_bytes()) {
            out.push_chunk(&entry.tokens, at, word);
            return Ok(entry.completed);
        }
        memory.chunk.clear();
        let completed = self.encode_chunk(plan, chunk, memory)?;
        if !key.is_some_and(|(key, hash)| cache.insert(key, hash, &memory.chunk, completed)) {
            cache.insert_long(chunk.as_bytes(), &memory.chunk, completed);
        }
        out.push_chunk(&memory.chunk, at, word);
        Ok(completed)
    }

    /// Encode a chunk into `memory.chunk`. Gives the number of words that it completes.
    fn encode_chunk(&self, plan: &ChunkPlan, chunk: &str, memory: &mut Memory) -> Result<u32> {
        let Memory { model, found, chunk: out, .. } = memory;
        if let (Some(ids), AnyModel::BPE(bpe)) = (&plan.bytes, &self.model)
            && chunk.bytes().all(|b| ids[b as usize] != NO_ID)
        {
            merge_bytes(bpe, ids, chunk.as_bytes(), &mut model.bpe);
            out.extend(model.bpe.symbols.iter().map(|s| ChunkToken {
                id: s.id,
                span: ByteSpan::new(s.start, s.end),
                word: 0,
            }));
            return Ok(1);
        }
        let mut pretokens = Pretokens::new(AlignedText::new(chunk, 0));
        plan.rest
            .iter()
            .map(AnyPreTokenizer::as_dyn)
            .try_for_each(|p: &dyn PreTokenizer| p.pre_tokenize(&mut pretokens))?;
        let mut word = 0;
        for (piece, text) in pretokens.pieces().iter().zip(pretokens.iter()) {
            found.clear();
            self.model.as_dyn().tokenize(text, model, found)?;
            out.extend(found.iter().map(|t| {
                let range = (piece.span.start + t.span.start) as usize..(piece.span.start + t.span.end) as usize;
                ChunkToken { id: t.id, span: pretokens.text().origin(range), word }
            }));
            word += 1;
        }
        Ok(word)
    }
}

/// What byte-level BPE makes of some bytes, without spelling them first. The symbols cover bytes of the chunk.
fn merge_bytes(bpe: &Bpe, ids: &[u32; 256], chunk: &[u8], scratch: &mut BpeScratch) {
    let BpeScratch { symbols, merge, spelled } = scratch;
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
