//! Tables that grew too large go to disk: sorted runs, merged in the end.
//!
//! A run holds the pieces of one table in the order of their bytes, each with its count and the place where it was met first.
//! Merging adds up the counts of equal pieces and keeps the earliest place, so the result is that of one large table.
//! Record: length, bytes, count, unit, number in the thread, all numbers as LEB128.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::train::counter::{CountedWords, WordCounter};
use crate::train::progress::Progress;
use crate::train::varint::{read_varint, write_varint};

use super::CountOptions;

/// A table smaller than this is not worth a file.
const LEAST: u64 = 1 << 16;
/// Runs that are merged at once: each takes an open file and a buffer.
const FAN_IN: usize = 64;
/// Records between two calls of [`Progress::advance`].
const STRIDE: u64 = 1 << 14;

/// The runs of one counting, in a folder of their own that is removed in the end.
pub(super) struct Spill {
    /// Bytes that the table of one thread may take.
    limit: u64,
    parent: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    folder: Option<PathBuf>,
    runs: Vec<PathBuf>,
    made: usize,
}

impl Drop for Spill {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = &state.folder {
            // A folder of temporary files that cannot be removed is no reason to fail.
            drop(fs::remove_dir_all(folder));
        }
    }
}

/// A piece of a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Record {
    piece: Vec<u8>,
    place: Place,
    count: i64,
}

/// Where a piece was met first: unit, and number of the piece in its thread. A unit belongs to one thread.
pub(super) type Place = (u32, u64);

impl Spill {
    /// `None` if memory has no bound.
    pub(super) fn new(options: &CountOptions) -> Option<Self> {
        let limit = (options.memory? / options.threads.max(1) as u64).max(LEAST);
        let parent = options.folder.clone().unwrap_or_else(std::env::temp_dir);
        Some(Self { limit, parent, state: Mutex::default() })
    }

    /// Whether a table has to go.
    pub(super) fn is_due(&self, counter: &WordCounter) -> bool {
        counter.memory() > self.limit && !counter.is_empty()
    }

    /// Write a table as a run. `before` is how many pieces its thread wrote before.
    ///
    /// # Errors
    /// [`Error::Io`] with the path.
    pub(super) fn write(&self, words: &CountedWords, before: u64) -> Result<()> {
        let path = self.new_run()?;
        let mut order: Vec<u32> = (0..words.len() as u32).collect();
        order.sort_unstable_by_key(|&i| words.bytes(i as usize));
        let write = || {
            let mut file = BufWriter::with_capacity(1 << 18, File::create_new(&path)?);
            for &i in &order {
                let unit = words.unit(i as usize).unwrap_or_default();
                let place = (unit, before + u64::from(i));
                write_record(&mut file, &words.bytes(i as usize), words.count(i as usize), place)?;
            }
            file.flush()
        };
        write().map_err(|e| io_error(&path, e))
    }

    fn new_run(&self) -> Result<PathBuf> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = match &state.folder {
            Some(folder) => folder.clone(),
            None => state.folder.insert(new_folder(&self.parent).map_err(|e| io_error(&self.parent, e))?).clone(),
        };
        let path = folder.join(format!("{}.run", state.made));
        state.made += 1;
        state.runs.push(path.clone());
        Ok(path)
    }

    /// Whether nothing was written.
    pub(super) fn is_empty(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).runs.is_empty()
    }

    /// Merge all runs: every piece once, by its place.
    ///
    /// # Errors
    /// [`Error::Io`] with the path; whatever `progress` returns.
    pub(super) fn merge(&self, progress: &mut dyn Progress) -> Result<Pieces> {
        let mut runs = std::mem::take(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner).runs);
        while runs.len() > FAN_IN {
            let merged = self.new_run()?;
            let some: Vec<PathBuf> = runs.drain(..FAN_IN).collect();
            let mut file = BufWriter::new(File::create_new(&merged).map_err(|e| io_error(&merged, e))?);
            merge_runs(&some, progress, &mut |Record { piece, place, count }| {
                write_record(&mut file, &piece, count, place).map_err(|e| io_error(&merged, e))
            })?;
            file.flush().map_err(|e| io_error(&merged, e))?;
            for run in &some {
                fs::remove_file(run).map_err(|e| io_error(run, e))?;
            }
            runs.push(merged);
        }
        let mut pieces = Pieces::default();
        merge_runs(&runs, progress, &mut |Record { piece, place, count }| {
            pieces.bytes.extend_from_slice(&piece);
            pieces.entries.push((place, pieces.bytes.len(), piece.len(), count));
            Ok(())
        })?;
        pieces.entries.sort_unstable_by_key(|&(place, ..)| place);
        Ok(pieces)
    }
}

/// Pieces with their counts, by place.
#[derive(Default)]
pub(super) struct Pieces {
    bytes: Vec<u8>,
    /// Place, end in `bytes`, length, count.
    entries: Vec<(Place, usize, usize, i64)>,
}

impl Pieces {
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], i64)> {
        self.entries.iter().map(|&(_, end, len, count)| (&self.bytes[end - len..end], count))
    }
}

fn merge_runs(runs: &[PathBuf], progress: &mut dyn Progress, each: &mut dyn FnMut(Record) -> Result<()>) -> Result<()> {
    let mut readers = Vec::new();
    let mut heads = BinaryHeap::new();
    for (i, path) in runs.iter().enumerate() {
        let mut reader = BufReader::with_capacity(1 << 16, File::open(path).map_err(|e| io_error(path, e))?);
        if let Some(record) = read_record(&mut reader).map_err(|e| io_error(path, e))? {
            heads.push(Reverse((record, i)));
        }
        readers.push(reader);
    }
    let mut done = 0;
    let mut current: Option<Record> = None;
    while let Some(Reverse((record, i))) = heads.pop() {
        if let Some(next) = read_record(&mut readers[i]).map_err(|e| io_error(&runs[i], e))? {
            heads.push(Reverse((next, i)));
        }
        match &mut current {
            // Equal pieces come by place: the first one has the earliest.
            Some(known) if known.piece == record.piece => known.count = known.count.saturating_add(record.count),
            _ => {
                if let Some(done) = current.replace(record) {
                    each(done)?;
                }
            }
        }
        done += 1;
        if done % STRIDE == 0 {
            progress.advance(0)?;
        }
    }
    current.map_or(Ok(()), each)
}

fn write_record(file: &mut impl Write, piece: &[u8], count: i64, (unit, number): Place) -> io::Result<()> {
    write_varint(file, piece.len() as u64)?;
    file.write_all(piece)?;
    write_varint(file, count.cast_unsigned())?;
    write_varint(file, unit.into())?;
    write_varint(file, number)
}

fn read_record(file: &mut impl Read) -> io::Result<Option<Record>> {
    let Some(len) = read_varint(file)? else { return Ok(None) };
    let whole = |number: Option<u64>| number.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof));
    let mut piece = vec![0; len as usize];
    file.read_exact(&mut piece)?;
    let count = whole(read_varint(file)?)?.cast_signed();
    let unit = whole(read_varint(file)?)? as u32;
    let number = whole(read_varint(file)?)?;
    Ok(Some(Record { piece, place: (unit, number), count }))
}

/// A new folder that no other process, and no other counting of this one, has.
fn new_folder(parent: &Path) -> io::Result<PathBuf> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = parent.join(format!("piecework-counts-{}-{number}", std::process::id()));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
}

fn io_error(path: &Path, source: io::Error) -> Error {
    Error::Io { path: path.display().to_string(), source }
}
