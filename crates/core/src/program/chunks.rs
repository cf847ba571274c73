//! Cut, take from the cache, join: the way of nearly all text.

use super::Program;
use super::border_memo::NO_SINGLE;
use super::borders::Chunks;
use super::cache::{Cache, INLINE, Key, SHORT};
use super::encode::Mode;
use super::long_chunks::hash;
use super::plan::{ChunkPlan, Cutter, Flags};
use super::threads::in_order;
use super::tokens::{Run, Tokens};
use super::worker::Worker;
use crate::error::Error;
use crate::steps;
use crate::text::ByteSpan;
use std::ops::Range;

/// Chunks looked up together: their cache lines are asked for first and read later.
const BATCH: usize = 128;
/// Tokens of a batch of chunks whose slots hold them.
const ROOM: usize = BATCH * INLINE;
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

pub(super) type Result<T, E = Stop> = std::result::Result<T, E>;

/// How a chunk is looked up.
#[derive(Clone, Copy)]
pub(super) enum Lookup {
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
    pub(super) fn flags(&self, start: usize, end: usize) -> Flags {
        let wanted = self.plan.flags;
        let mut flags = wanted.and(Flags::RAW);
        if !self.plan.depends_on_place() {
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

    /// Find the chunks from `from` on, up to `to`; how many is returned.
    fn cut(&self, from: usize, to: usize, worker: &mut Worker, chunks: &mut Chunks<BATCH>) -> usize {
        let n = match &self.plan.cutter {
            Cutter::Scanner { scanner, .. } => scanner.scan(self.text, from, &mut chunks.ends),
            Cutter::Borders(borders) => {
                borders.scan(self.text, from, chunks, worker.memory.borders.of(self.plan.flags))
            }
        };
        // Pieces are found in the light of what stands behind the part, but those behind it are left to another thread.
        steps::count(BATCH);
        let n = chunks.ends[..n].partition_point(|&end| end as usize <= to);
        if self.plan.depends_on_place() {
            // At the ends of the stretch a character may become something else than elsewhere.
            if from == 0 {
                chunks.singles[0] = NO_SINGLE;
            }
            if n > 0 && chunks.ends[n - 1] as usize == self.text.len() {
                chunks.singles[n - 1] = NO_SINGLE;
            }
        }
        n
    }

    /// How chunks are looked up, from the one that begins at `at`; what will be read of the cache is asked for.
    fn look_ahead(&self, mut at: usize, ends: &[u32], singles: &[u16], cache: &Cache, lookups: &mut [Lookup; BATCH]) {
        let bytes = self.text.as_bytes();
        let dropping = match &self.plan.cutter {
            Cutter::Scanner { scanner, .. } if scanner.drops() => Some(scanner),
            _ => None,
        };
        let mut any_long = false;
        for ((lookup, &end), &single) in lookups.iter_mut().zip(ends).zip(singles) {
            let end = end as usize;
            if single != NO_SINGLE {
                at = end;
                continue;
            }
            *lookup = if dropping.is_some_and(|scanner| scanner.is_dropped(self.text, at)) {
                Lookup::Dropped
            } else if end - at <= SHORT {
                let key = Key::new(bytes, at, end, self.flags(at, end).bits());
                let hash = key.hash();
                cache.prefetch(hash);
                Lookup::Short(key, hash)
            } else {
                let hash = hash(self.flags(at, end).bits(), &bytes[at..end]);
                steps::count(end - at);
                cache.prefetch_long(hash);
                any_long = true;
                Lookup::Long(hash)
            };
            at = end;
        }
        if any_long {
            for lookup in &lookups[..ends.len()] {
                if let Lookup::Long(hash) = lookup {
                    cache.prefetch_record(*hash);
                }
            }
        }
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
            return self.scan_spread(stretch, worker, out, word);
        }
        let words = self.scan_part(stretch, 0..stretch.text.len(), worker, out, *word)?;
        *word += words;
        Ok(())
    }

    /// Scan the parts of one long text on several threads: between places that are chunk ends whatever stands before them.
    fn scan_spread(&self, stretch: &Stretch<'_>, worker: &mut Worker, out: &mut Tokens, word: &mut u32) -> Result<()> {
        let text = stretch.text;
        let memo = worker.memory.borders.of(stretch.plan.flags);
        let parts = stretch.mode.threads * PARTS_A_THREAD;
        let mut cuts = vec![0];
        cuts.extend((1..parts).filter_map(|i| match &stretch.plan.cutter {
            Cutter::Scanner { scanner, .. } => scanner.sync_point(text, text.len() / parts * i),
            Cutter::Borders(borders) => borders.sync_point(text, text.len() / parts * i, memo),
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
        let Stretch { plan, offset, .. } = *stretch;
        let mut chunks = Chunks::<BATCH>::default();
        let mut lookups = [Lookup::Dropped; BATCH];
        // Chunks of one piece all belong to its word.
        let step = u32::from(!plan.within_a_piece());
        let numbered = plan.numbers_singles();
        let (mut words, mut batches, mut done) = (0, 0, part.start);
        while done < part.end {
            let n = stretch.cut(done, part.end, worker, &mut chunks);
            let (ends, singles) = (&chunks.ends[..n], if numbered { &chunks.singles[..n] } else { &[] });
            stretch.look_ahead(done, ends, &chunks.singles, &worker.cache, &mut lookups);
            out.reserve(n * INLINE);
            let (mut at, mut i) = (done, 0);
            while i < n {
                if singles.get(i).is_some_and(|single| *single != NO_SINGLE) {
                    let word = word + words * step;
                    let run = Run { numbers: &singles[i..], start: at as u32, ends: &ends[i..], offset, word, step };
                    let known = worker.memory.borders.of(plan.flags).singles();
                    let (count, completed) = out.push_slots::<SPANS>(&run, known);
                    if count > 0 {
                        words += completed;
                        i += count;
                        at = ends[i - 1] as usize;
                        continue;
                    }
                    lookups[i] = look_up_single(stretch, at..ends[i] as usize, singles[i], worker);
                }
                let behind = singles.get(i + 1..).unwrap_or_default();
                let next = behind.iter().position(|single| *single != NO_SINGLE).map_or(n, |others| i + 1 + others);
                for (lookup, &end) in lookups[i..next].iter().zip(&ends[i..next]) {
                    let range = at..end as usize;
                    at = range.end;
                    let word = word + words * step;
                    let known = push_known::<SPANS>(stretch, &range, *lookup, &worker.cache, out, word);
                    if let Some(completed) = known {
                        words += completed;
                    } else {
                        words += self.encode_missing(stretch, range, *lookup, worker, out, word)?;
                        out.reserve(ROOM);
                    }
                }
                i = next;
            }
            done = at;
            batches += 1;
            if batches % PATIENCE == 0 && (stretch.mode.interrupt)() {
                return Err(Error::Interrupted.into());
            }
        }
        Ok(if step == 0 { words.min(1) } else { words })
    }
}

/// Add the tokens of a chunk that is remembered; gives the number of words that it completes. There is room for what slots hold of the
/// other chunks of a batch, before and after.
#[inline]
fn push_known<const SPANS: bool>(
    stretch: &Stretch<'_>,
    range: &Range<usize>,
    lookup: Lookup,
    cache: &Cache,
    out: &mut Tokens,
    word: u32,
) -> Option<u32> {
    let place = stretch.offset.wrapping_add(range.start as u32);
    let record = match lookup {
        Lookup::Short(key, hash) => {
            let slot = cache.get(key, hash)?;
            if slot.is_inline() {
                out.push_slot::<SPANS>(slot, place, word);
                return Some(u32::from(slot.completed));
            }
            cache.elsewhere(slot)?
        }
        Lookup::Long(hash) => {
            let flags = stretch.flags(range.start, range.end).bits();
            cache.get_long(flags, &stretch.text.as_bytes()[range.clone()], hash)?
        }
        Lookup::Dropped => return Some(0),
    };
    out.push_record(&record, cache, place, word);
    out.reserve(ROOM);
    Some(record.completed)
}

/// How a single character is looked up that is not known by its number yet. If it is known by its bytes it will be.
#[cold]
fn look_up_single(stretch: &Stretch<'_>, range: Range<usize>, number: u16, worker: &mut Worker) -> Lookup {
    let plan = stretch.plan;
    let key = Key::new(stretch.text.as_bytes(), range.start, range.end, plan.flags.and(Flags::RAW).bits());
    let hash = key.hash();
    if let Some(slot) = worker.cache.get(key, hash)
        && slot.is_inline()
    {
        worker.memory.borders.of(plan.flags).remember_single(number, *slot);
    }
    Lookup::Short(key, hash)
}
