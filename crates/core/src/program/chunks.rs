//! Cut, take from the cache, join: the way of nearly all text.

use super::Program;
use super::cache::{ChunkToken, INLINE, Key, SHORT};
use super::encode::Mode;
use super::long_chunks::hash;
use super::plan::{ChunkPlan, Cutter, Flags, NO_ID};
use super::threads::in_order;
use super::tokens::Tokens;
use super::worker::{Memory, Worker};
use crate::error::Error;
use crate::models::bpe::{BpeScratch, Symbol, merge_all};
use crate::models::{AnyModel, Bpe, Model};
use crate::pre_tokenizers::{AnyPreTokenizer, PreTokenizer};
use crate::steps;
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

/// Why a stretch was not encoded.
#[derive(Debug)]
pub(super) enum Stop {
    /// Something is wrong with it.
    Error(Error),
    /// Once normalised it may hold an added token, which has to be looked for in the whole of it.
    AddedToken,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

type Result<T, E = Stop> = std::result::Result<T, E>;

/// How a chunk is looked up.
#[derive(Clone, Copy)]
enum Lookup {
    /// In a slot.
    Short(Key, u64),
    /// In the table of long ones.
    Long(u32),
    /// Not at all: the pre-tokenizer removes it.
    Dropped,
}

/// A stretch to be cut into chunks.
#[derive(Clone, Copy)]
pub(super) struct Stretch<'a> {
    pub(super) plan: &'a ChunkPlan,
    pub(super) text: &'a str,
    /// What is added to the places of its bytes to give those that spans speak of.
    pub(super) offset: u32,
    /// Whether its first character came from the start of the text.
    pub(super) starts: bool,
    pub(super) mode: Mode<'a>,
}

impl Stretch<'_> {
    /// What the tokens of a chunk depend on beside its bytes.
    #[inline]
    fn flags(&self, start: usize, end: usize) -> Flags {
        let wanted = self.plan.flags;
        let mut flags = wanted.and(Flags::RAW);
        if wanted == flags {
            return flags;
        }
        if start == 0 {
            flags = flags.with(wanted.and(if self.starts { Flags::FIRST.with(Flags::START) } else { Flags::FIRST }));
        }
        if end == self.text.len() {
            flags = flags.with(wanted.and(Flags::LAST));
        }
        flags
    }
}

impl Program {
    /// Encode a stretch that holds no added token.
    pub(super) fn encode_chunks(
        &self,
        stretch: &Stretch<'_>,
        worker: &mut Worker,
        out: &mut Tokens,
        word: &mut u32,
    ) -> Result<()> {
        let text = stretch.text;
        if !stretch.plan.puts_blank_in_front(text) {
            return self.scan(stretch, worker, out, word);
        }
        let mut prefixed = std::mem::take(&mut worker.memory.prefixed);
        prefixed.clear();
        prefixed.push(' ');
        prefixed.push_str(text);
        let from = out.len();
        // Everything stands one byte too far to the right, except that the blank belongs to the first character.
        let part = Stretch { text: &prefixed, offset: 0, ..*stretch };
        let result = self.scan(&part, worker, out, word);
        let first = text.chars().next().map_or(0, char::len_utf8) as u32;
        let start = stretch.offset;
        out.map_spans(from, |s| {
            let end = if (s.start, s.end) == (0, 1) { first } else { s.end.saturating_sub(1) };
            ByteSpan::new(start + s.start.saturating_sub(1), start + end)
        });
        worker.memory.prefixed = prefixed;
        result
    }

    fn scan(&self, stretch: &Stretch<'_>, worker: &mut Worker, out: &mut Tokens, word: &mut u32) -> Result<()> {
        if stretch.mode.threads > 1 && stretch.text.len() >= SPREAD {
            return self.scan_spread(stretch, out, word);
        }
        let words = self.scan_part(stretch, 0..stretch.text.len(), worker, out, *word)?;
        *word += words;
        Ok(())
    }

    /// Scan the parts of one long text on several threads: between places that are chunk ends whatever stands before them.
    fn scan_spread(&self, stretch: &Stretch<'_>, out: &mut Tokens, word: &mut u32) -> Result<()> {
        let text = stretch.text;
        let parts = stretch.mode.threads * PARTS_A_THREAD;
        let mut cuts = vec![0];
        cuts.extend((1..parts).filter_map(|i| match &stretch.plan.cutter {
            Cutter::Scanner { scanner, .. } => scanner.sync_point(text, text.len() / parts * i),
            Cutter::Borders(borders) => borders.sync_point(text, text.len() / parts * i),
        }));
        cuts.push(text.len());
        cuts.dedup();
        let ranges: Vec<_> = cuts.windows(2).map(|w| w[0]..w[1]).collect();
        let done = in_order(&ranges, stretch.mode.threads, |range| {
            self.workers.with(|worker| {
                let mut tokens = Tokens::default();
                tokens.clear(stretch.mode.spans, stretch.mode.texts);
                let words = self.scan_part(stretch, range.clone(), worker, &mut tokens, 0)?;
                Ok::<_, Stop>((tokens, words))
            })
        })?;
        let within_a_piece = stretch.plan.within_a_piece();
        let mut any = false;
        for (tokens, words) in done {
            out.append(&tokens, *word);
            any |= words > 0;
            *word += if within_a_piece { 0 } else { words };
        }
        *word += u32::from(within_a_piece && any);
        Ok(())
    }

    /// Scan a part of a text, both ends of which are chunk ends. Gives the number of words.
    fn scan_part(
        &self,
        stretch: &Stretch<'_>,
        part: Range<usize>,
        worker: &mut Worker,
        out: &mut Tokens,
        word: u32,
    ) -> Result<u32> {
        if stretch.mode.spans {
            self.scan_with::<true>(stretch, part, worker, out, word)
        } else {
            self.scan_with::<false>(stretch, part, worker, out, word)
        }
    }

    fn scan_with<const SPANS: bool>(
        &self,
        stretch: &Stretch<'_>,
        part: Range<usize>,
        worker: &mut Worker,
        out: &mut Tokens,
        word: u32,
    ) -> Result<u32> {
        let Stretch { plan, text, offset, .. } = *stretch;
        let bytes = text.as_bytes();
        let mut ends = [0; BATCH];
        let mut lookups = [Lookup::Dropped; BATCH];
        // Chunks of one piece all belong to its word.
        let step = u32::from(!plan.within_a_piece());
        let (mut words, mut batches, mut done) = (0, 0, part.start);
        while done < part.end {
            let (n, dropping) = match &plan.cutter {
                Cutter::Scanner { scanner, .. } => {
                    (scanner.scan(text, done, &mut ends), scanner.drops().then_some(scanner))
                }
                Cutter::Borders(borders) => {
                    (borders.scan(text, done, &mut ends, worker.memory.borders.of(plan.flags)), None)
                }
            };
            // Pieces are found in the light of what stands behind the part, but those behind it are left to another thread.
            steps::count(BATCH);
            let n = ends[..n].partition_point(|&end| end as usize <= part.end);
            let ends = &ends[..n];
            let (mut at, mut any_long) = (done, false);
            for (lookup, &end) in lookups.iter_mut().zip(ends) {
                let end = end as usize;
                *lookup = if dropping.is_some_and(|scanner| scanner.is_dropped(text, at)) {
                    Lookup::Dropped
                } else if end - at <= SHORT {
                    let key = Key::new(bytes, at, end, stretch.flags(at, end).bits());
                    let hash = key.hash();
                    worker.cache.prefetch(hash);
                    Lookup::Short(key, hash)
                } else {
                    let hash = hash(stretch.flags(at, end).bits(), &bytes[at..end]);
                    steps::count(end - at);
                    worker.cache.prefetch_long(hash);
                    any_long = true;
                    Lookup::Long(hash)
                };
                at = end;
            }
            if any_long {
                for lookup in &lookups[..n] {
                    if let Lookup::Long(hash) = lookup {
                        worker.cache.prefetch_record(*hash);
                    }
                }
            }
            out.reserve(n * INLINE);
            at = done;
            for (lookup, &end) in lookups.iter().zip(ends) {
                let range = at..end as usize;
                let place = offset.wrapping_add(at as u32);
                at = range.end;
                match *lookup {
                    Lookup::Short(key, hash) => {
                        if let Some(slot) = worker.cache.get(key, hash) {
                            if slot.is_inline() {
                                out.push_slot::<SPANS>(slot, place, word + words * step);
                                words += u32::from(slot.completed);
                                continue;
                            }
                            if let Some(record) = worker.cache.elsewhere(slot) {
                                out.push_record(&record, &worker.cache, place, word + words * step);
                                words += record.completed;
                                out.reserve(n * INLINE);
                                continue;
                            }
                        }
                    }
                    Lookup::Long(hash) => {
                        let flags = stretch.flags(range.start, range.end).bits();
                        if let Some(record) = worker.cache.get_long(flags, &bytes[range.clone()], hash) {
                            out.push_record(&record, &worker.cache, place, word + words * step);
                            words += record.completed;
                            out.reserve(n * INLINE);
                            continue;
                        }
                    }
                    Lookup::Dropped => continue,
                }
                words += self.encode_missing(stretch, range, *lookup, worker, out, word + words * step)?;
                out.reserve(n * INLINE);
            }
            done = at;
            batches += 1;
            if batches % PATIENCE == 0 && (stretch.mode.interrupt)() {
                return Err(Error::Interrupted.into());
            }
        }
        Ok(if step == 0 { words.min(1) } else { words })
    }

    /// Encode a chunk that the cache does not have, and remember it. Gives the number of words that it completes.
    #[cold]
    fn encode_missing(
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
