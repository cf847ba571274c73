//! Files of counts.
//!
//! Layout: [`MAGIC`], a version (one byte), the number of words (LEB128), then for each word its length, its bytes and its count
//! (LEB128), in order; at the end 8 bytes, little-endian: FNV-1a of all before.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use super::counts::WordCounts;
use super::progress::Progress;
use super::varint::{read_varint, write_varint};
use crate::error::{Error, Result};

const MAGIC: &[u8; 8] = b"PWCOUNTS";
const VERSION: u8 = 1;
/// Words between two calls of [`Progress::advance`].
const STRIDE: usize = 1 << 16;

impl WordCounts {
    /// Write a file of counts. It appears under its name once it is complete; links, pipes and devices are written through.
    ///
    /// # Errors
    /// [`Error::Io`] with the path; whatever `progress` returns. There is no file then, or the old one.
    pub fn save(&self, path: &Path, progress: &mut dyn Progress) -> Result<()> {
        let io_error = |source| Error::Io { path: path.display().to_string(), source };
        // A link, a pipe or a device is written through: a file renamed to it would take its place.
        let in_place = fs::symlink_metadata(path).is_ok_and(|found| !found.is_file());
        let draft = if in_place { path.to_owned() } else { draft_of(path) };
        let mut write = || -> Result<()> {
            progress.stage("Write counts", self.len() as u64)?;
            let mut file = Summed::new(BufWriter::with_capacity(1 << 18, File::create(&draft).map_err(io_error)?));
            file.write_all(MAGIC).and_then(|()| file.write_all(&[VERSION])).map_err(io_error)?;
            write_varint(&mut file, self.len() as u64).map_err(io_error)?;
            for (i, (word, count)) in self.iter().enumerate() {
                write_varint(&mut file, word.len() as u64)
                    .and_then(|()| file.write_all(word.as_bytes()))
                    .and_then(|()| write_varint(&mut file, count.cast_unsigned()))
                    .map_err(io_error)?;
                if i % STRIDE == STRIDE - 1 {
                    progress.advance(STRIDE as u64)?;
                }
            }
            progress.advance((self.len() % STRIDE) as u64)?;
            let sum = file.sum;
            let mut file = file.inner;
            file.write_all(&sum.to_le_bytes()).and_then(|()| file.flush()).map_err(io_error)?;
            if in_place { Ok(()) } else { fs::rename(&draft, path).map_err(io_error) }
        };
        let result = write();
        if result.is_err() && !in_place {
            // It may not be there at all.
            drop(fs::remove_file(&draft));
        }
        result
    }

    /// Read a file of counts.
    ///
    /// # Errors
    /// [`Error::Io`] with the path if it cannot be read, is no file of counts, is of a later version, or is damaged;
    /// whatever `progress` returns.
    pub fn load(path: &Path, progress: &mut dyn Progress) -> Result<Self> {
        let io_error = |source| Error::Io { path: path.display().to_string(), source };
        let wrong = |reason: &str| io_error(io::Error::new(io::ErrorKind::InvalidData, reason));
        // The end of the file within the file, and numbers that cannot be.
        let damaged = |source: io::Error| match source.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => wrong("the file of counts is damaged"),
            _ => io_error(source),
        };
        let file = File::open(path).map_err(io_error)?;
        let size = file.metadata().map_err(io_error)?.len();
        let mut file = Summed::new(BufReader::with_capacity(1 << 18, file));
        let mut magic = [0; 9];
        match file.read_exact(&mut magic) {
            Ok(()) if magic[..8] == *MAGIC => {}
            Err(e) if e.kind() != io::ErrorKind::UnexpectedEof => return Err(io_error(e)),
            _ => return Err(wrong("is no file of counts")),
        }
        if magic[8] != VERSION {
            return Err(wrong(&format!("has version {} of the format, expected {VERSION}", magic[8])));
        }
        let words = number(&mut file).map_err(damaged)?;
        progress.stage("Read counts", words)?;
        let mut counts = Self::new();
        let mut bytes = Vec::new();
        for i in 0..words {
            let len = number(&mut file).map_err(damaged)?;
            // Not more than there can be: a damaged length must not take all memory.
            if len > size {
                return Err(wrong("the file of counts is damaged"));
            }
            bytes.resize(len as usize, 0);
            file.read_exact(&mut bytes).map_err(damaged)?;
            let word = std::str::from_utf8(&bytes).map_err(|_| wrong("the file of counts is damaged"))?;
            counts.push(word, number(&mut file).map_err(damaged)?.cast_signed());
            if i % STRIDE as u64 == STRIDE as u64 - 1 {
                progress.advance(STRIDE as u64)?;
            }
        }
        progress.advance(words % STRIDE as u64)?;
        let sum = file.sum;
        let mut rest = Vec::new();
        file.inner.read_to_end(&mut rest).map_err(io_error)?;
        if rest != sum.to_le_bytes() {
            return Err(wrong("the file of counts is damaged"));
        }
        Ok(counts)
    }
}

/// A number that has to be there.
fn number(file: &mut impl Read) -> io::Result<u64> {
    read_varint(file)?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

/// The name that a file has while it is written: in the same folder, so that it can be renamed.
fn draft_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

/// Sums up what goes through it. Source of the sum: Fowler, Noll and Vo, FNV-1a of 64 bits.
struct Summed<T> {
    inner: T,
    sum: u64,
}

impl<T> Summed<T> {
    fn new(inner: T) -> Self {
        Self { inner, sum: 0xcbf2_9ce4_8422_2325 }
    }

    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.sum = (self.sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

impl<T: Write> Write for Summed<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(bytes)?;
        self.add(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Summed<T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(bytes)?;
        self.add(&bytes[..n]);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::progress::NoProgress;

    struct Temporary(PathBuf);

    impl Temporary {
        fn new(name: &str) -> Self {
            Self(std::env::temp_dir().join(format!("piecework-{name}-{}", std::process::id())))
        }
    }

    impl Drop for Temporary {
        fn drop(&mut self) {
            drop(fs::remove_file(&self.0));
        }
    }

    #[test]
    fn counts_come_back_and_damage_is_found() {
        let file = Temporary::new("counts");
        let words: WordCounts = [("b", 2), ("", 1), ("äa", i64::MAX)].into_iter().collect();
        words.save(&file.0, &mut NoProgress).unwrap();
        assert_eq!(WordCounts::load(&file.0, &mut NoProgress).unwrap(), words);
        let good = fs::read(&file.0).unwrap();
        for i in 0..good.len() {
            for bad in [[&good[..i], &[good[i] ^ 0x55], &good[i + 1..]].concat(), good[..i].to_vec()] {
                fs::write(&file.0, bad).unwrap();
                let error = WordCounts::load(&file.0, &mut NoProgress).unwrap_err();
                assert!(matches!(error, Error::Io { .. }), "{error}");
            }
        }
        fs::write(&file.0, [&good[..], &[0]].concat()).unwrap();
        assert!(WordCounts::load(&file.0, &mut NoProgress).is_err());
    }

    #[test]
    fn what_is_not_complete_has_no_name() {
        struct Stop;
        impl Progress for Stop {
            fn stage(&mut self, _name: &str, _total: u64) -> Result<()> {
                Ok(())
            }
            fn advance(&mut self, _n: u64) -> Result<()> {
                Err(Error::Interrupted)
            }
        }
        let file = Temporary::new("stopped");
        let words: WordCounts = [("b", 2)].into_iter().collect();
        assert!(words.save(&file.0, &mut Stop).is_err());
        assert!(!file.0.exists() && !draft_of(&file.0).exists());
        let nowhere = Path::new("/nowhere/at all");
        assert!(words.save(nowhere, &mut NoProgress).unwrap_err().to_string().starts_with("/nowhere/at all: "));
    }
}
