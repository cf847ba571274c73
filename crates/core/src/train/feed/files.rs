//! Counting of text files.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::json::text_of_field;
use super::team::{self, Worker};
use super::{CountOptions, LineFormat, PieceSource};
use crate::error::{Error, Result};
use crate::train::counts::WordCounts;
use crate::train::progress::Progress;

/// Bytes of a unit of work, which then goes on to the next line border.
const UNIT: usize = 1 << 18;

/// Count the pieces of text files. An item is a line with its newline (`\n`; a `\r` before it belongs to the line), or the text
/// in a field of a line of JSON, where blank lines are passed over.
///
/// Files are read in blocks, so that memory does not depend on their size but on the longest line. Progress is in bytes.
///
/// # Errors
/// [`Error::Io`] if a file cannot be read (naming it), is not UTF-8 or has a line without such a field (naming it and the byte);
/// errors of `source` and `progress`.
pub fn count_files<S: PieceSource>(
    paths: &[PathBuf],
    format: &LineFormat,
    source: &S,
    options: &CountOptions,
    progress: &mut dyn Progress,
) -> Result<WordCounts> {
    // All at once before the work begins: a missing file should not be found after an hour.
    let size = paths.iter().map(|path| size(path).map_err(|e| io_error(path, e))).sum::<Result<u64>>()?;
    progress.stage("Read files", size)?;
    let reader = Mutex::new(Reader::new(paths));
    let work = |worker: &mut Worker<S>, after: &mut dyn FnMut(&Worker<S>)| {
        let mut block = Vec::new();
        while !worker.stopped() {
            let unit = reader.lock().unwrap_or_else(PoisonError::into_inner).next_unit(&mut block);
            let Some((unit, place)) = unit else { break };
            let outcome = place.and_then(|place| count_lines(worker, &block, format, unit, &place));
            worker.finished(unit, block.len() as u64, outcome);
            after(worker);
        }
    };
    team::run(
        source,
        options,
        progress,
        |worker, progress| work(worker, &mut |worker| worker.report(progress)),
        |worker| work(worker, &mut |_| ()),
    )
}

fn size(path: &Path) -> io::Result<u64> {
    let metadata = fs::metadata(path)?;
    // A pipe can be opened once, which is for reading it.
    if metadata.is_file() || metadata.is_dir() {
        let mut file = File::open(path)?;
        if metadata.is_dir() {
            file.read_exact(&mut [0])?; // the error of the system, with its number
            return Err(io::ErrorKind::IsADirectory.into());
        }
    }
    Ok(metadata.len())
}

fn io_error(path: &Path, source: io::Error) -> Error {
    Error::Io { path: path.display().to_string(), source }
}

fn count_lines<S: PieceSource>(
    worker: &mut Worker<S>,
    block: &[u8],
    format: &LineFormat,
    unit: u32,
    place: &Place,
) -> Result<()> {
    let text = std::str::from_utf8(block).map_err(|e| {
        let reason = format!("byte {} is not UTF-8", place.offset + e.valid_up_to() as u64);
        io_error(place.path, io::Error::new(io::ErrorKind::InvalidData, reason))
    })?;
    let mut count = |start: usize, end: usize| {
        let line = &text[start..end];
        match format {
            LineFormat::Text => worker.count(line, unit),
            LineFormat::JsonField(_) if line.trim_ascii().is_empty() => Ok(()),
            LineFormat::JsonField(field) => {
                let text = text_of_field(line, field).map_err(|reason| {
                    let reason = format!("the line at byte {} {reason}", place.offset + start as u64);
                    io_error(place.path, io::Error::new(io::ErrorKind::InvalidData, reason))
                })?;
                worker.count(&text, unit)
            }
        }
    };
    let mut start = 0;
    for newline in memchr::memchr_iter(b'\n', block) {
        count(start, newline + 1)?;
        start = newline + 1;
    }
    if start < text.len() { count(start, text.len()) } else { Ok(()) }
}

/// Where a unit begins.
struct Place<'a> {
    path: &'a Path,
    /// In bytes.
    offset: u64,
}

/// Cuts files into units of whole lines.
struct Reader<'a> {
    paths: std::slice::Iter<'a, PathBuf>,
    file: Option<(File, Place<'a>)>,
    /// What was read behind the last line border.
    rest: Vec<u8>,
    unit: u32,
}

impl<'a> Reader<'a> {
    fn new(paths: &'a [PathBuf]) -> Self {
        Self { paths: paths.iter(), file: None, rest: Vec::new(), unit: 0 }
    }

    /// Fill `block` with the next unit; its number, and where it begins. `None` at the end of the last file.
    fn next_unit(&mut self, block: &mut Vec<u8>) -> Option<(u32, Result<Place<'a>>)> {
        let place = self.fill(block).transpose()?;
        self.unit += 1;
        Some((self.unit - 1, place))
    }

    fn fill(&mut self, block: &mut Vec<u8>) -> Result<Option<Place<'a>>> {
        loop {
            let (file, place) = match &mut self.file {
                Some(open) => open,
                closed => {
                    let Some(path) = self.paths.next() else { return Ok(None) };
                    let file = File::open(path).map_err(|e| io_error(path, e))?;
                    closed.insert((file, Place { path, offset: 0 }))
                }
            };
            block.clear();
            block.append(&mut self.rest);
            let this = Place { ..*place };
            loop {
                let known = block.len();
                // A line that goes on for long is read in growing parts.
                let wanted = UNIT.max(known) as u64;
                let read = file.take(wanted).read_to_end(block).map_err(|e| io_error(place.path, e))?;
                if read == 0 {
                    self.file = None;
                    break;
                }
                if let Some(newline) = memchr::memrchr(b'\n', &block[known..]) {
                    self.rest.extend_from_slice(&block[known + newline + 1..]);
                    block.truncate(known + newline + 1);
                    break;
                }
            }
            if let Some((_, place)) = &mut self.file {
                place.offset += block.len() as u64;
            }
            if !block.is_empty() {
                return Ok(Some(this));
            }
        }
    }
}
