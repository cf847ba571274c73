//! Counting beside counting by hand, on any number of threads.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use proptest::prelude::*;

use super::{CountOptions, LineFormat, PieceSource, TextBatch, count_batches};
use crate::error::{Error, Result};
use crate::train::counts::WordCounts;
use crate::train::progress::{NoProgress, Progress};

/// Pieces end with a blank or newline, which belongs to them; `!` cannot be cut. `finish` puts `_` for both.
struct Blanks;

impl PieceSource for Blanks {
    type Scratch = ();

    fn pieces(&self, item: &str, (): &mut (), sink: &mut dyn FnMut(&[u8])) -> Result<()> {
        if item.contains('!') {
            return Err(Error::Encode(item.to_owned()));
        }
        item.split_inclusive([' ', '\n']).for_each(|piece| sink(piece.as_bytes()));
        Ok(())
    }

    fn finish(&self, piece: &[u8], sink: &mut dyn FnMut(&str)) -> Result<()> {
        sink(&std::str::from_utf8(piece).unwrap().replace([' ', '\n'], "_"));
        Ok(())
    }
}

/// A file that is removed in the end.
struct Temporary(PathBuf);

impl Temporary {
    fn new(bytes: &[u8]) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("piecework-feed-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::File::create(&path).unwrap().write_all(bytes).unwrap();
        Self(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).unwrap();
    }
}

fn count_files(paths: &[PathBuf], source: &Blanks, threads: usize, progress: &mut dyn Progress) -> Result<WordCounts> {
    super::count_files(paths, &LineFormat::Text, source, &CountOptions::new(threads), progress)
}

fn by_hand<'a>(items: impl IntoIterator<Item = &'a str>) -> WordCounts {
    let mut words: Vec<(String, i64)> = Vec::new();
    for piece in items.into_iter().flat_map(|item| item.split_inclusive([' ', '\n'])) {
        let word = piece.replace([' ', '\n'], "_");
        match words.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => words.push((word, 1)),
        }
    }
    words.into_iter().collect()
}

fn batches(items: &[String], size: usize, threads: usize, progress: &mut dyn Progress) -> Result<WordCounts> {
    let mut chunks = items.chunks(size);
    let mut pull = |batch: &mut TextBatch| {
        let chunk = chunks.next();
        chunk.unwrap_or_default().iter().for_each(|item| batch.push(item));
        Ok(chunk.is_some())
    };
    count_batches(&mut pull, items.len() as u64, &Blanks, &CountOptions::new(threads), progress)
}

#[test]
fn lines_keep_their_ends_and_files_end_lines() {
    let files = [&b"a b\r\nc\n\n"[..], b"", b"a b", b"x\ra\x0bb\n"].map(Temporary::new);
    let paths: Vec<PathBuf> = files.iter().map(|file| file.0.clone()).collect();
    let expected = by_hand(["a b\r\n", "c\n", "\n", "a b", "x\ra\x0bb\n"]);
    for threads in 1..4 {
        assert_eq!(count_files(&paths, &Blanks, threads, &mut NoProgress).unwrap(), expected);
    }
    assert!(count_files(&[], &Blanks, 2, &mut NoProgress).unwrap().is_empty());
}

#[test]
fn large_files_are_cut_at_lines_only() {
    // Lines of 1 byte up to some units of work, so that borders fall everywhere.
    let lines: Vec<String> = (0..2000)
        .map(|i| "ab".repeat(if i % 400 == 7 { 900_000 } else { i % 700 }) + &format!(" {}\n", i % 50))
        .collect();
    let file = Temporary::new(lines.concat().as_bytes());
    let paths = [file.0.clone(), file.0.clone()];
    let expected = by_hand(lines.iter().chain(&lines).map(String::as_str));
    for threads in [1, 2, 5] {
        assert_eq!(count_files(&paths, &Blanks, threads, &mut NoProgress).unwrap(), expected);
    }
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let reason = |path: &Path, threads| {
        let good = Temporary::new(b"a b\n");
        let paths = [good.0.clone(), path.to_owned()];
        let error = count_files(&paths, &Blanks, threads, &mut NoProgress).unwrap_err().to_string();
        error.strip_prefix(&format!("{}: ", path.display())).unwrap().to_owned()
    };
    let mut bytes = "ä\n".repeat(200_000).into_bytes();
    let wrong = bytes.len();
    bytes.extend_from_slice(b"abc\xff\n");
    bytes.extend(b"b\xfe\n".repeat(200_000));
    let file = Temporary::new(&bytes);
    for threads in [1, 3] {
        assert!(reason(Path::new("/nowhere/at all"), threads).starts_with("No such file"));
        assert!(reason(&std::env::temp_dir(), threads).to_lowercase().starts_with("is a directory"));
        assert_eq!(reason(&file.0, threads), format!("byte {} is not UTF-8", wrong + 3));
    }
}

#[test]
fn the_error_of_the_earliest_item_comes_out() {
    let items: Vec<String> = (0..500).map(|i| format!("item {i}{}", if i % 100 == 99 { "!" } else { "" })).collect();
    for threads in 1..4 {
        let error = batches(&items, 3, threads, &mut NoProgress).unwrap_err();
        assert_eq!(error.to_string(), "item 99!");
    }
}

#[test]
fn errors_of_the_caller_come_out_after_earlier_errors_only() {
    for (threads, second, expected) in [(1, "b", "mine"), (2, "b", "mine"), (1, "b!", "b!"), (2, "b!", "b!")] {
        let mut turn = 0;
        let mut pull = |batch: &mut TextBatch| {
            turn += 1;
            batch.push(if turn == 2 { second } else { "a" });
            if turn == 3 { Err(Error::Setting("mine".into())) } else { Ok(true) }
        };
        let error = count_batches(&mut pull, 0, &Blanks, &CountOptions::new(threads), &mut NoProgress).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn the_last_batch_counts_and_progress_is_complete() {
    struct Sum(Vec<(u64, u64)>);
    impl Progress for Sum {
        fn stage(&mut self, _name: &str, total: u64) -> Result<()> {
            self.0.push((total, 0));
            Ok(())
        }
        fn advance(&mut self, n: u64) -> Result<()> {
            self.0.last_mut().unwrap().1 += n;
            Ok(())
        }
    }
    let file = Temporary::new("some text\n".repeat(100_000).as_bytes());
    for threads in 1..4 {
        let mut sum = Sum(Vec::new());
        count_files(std::slice::from_ref(&file.0), &Blanks, threads, &mut sum).unwrap();
        let mut once = |batch: &mut TextBatch| {
            batch.push("a");
            Ok(false)
        };
        let words = count_batches(&mut once, 1, &Blanks, &CountOptions::new(threads), &mut sum).unwrap();
        assert_eq!(words, by_hand(["a"]));
        assert_eq!(sum.0, [(1_000_000, 1_000_000), (1, 1)]);
    }
}

#[test]
fn an_interrupt_ends_an_endless_corpus() {
    struct Impatient(u32);
    impl Progress for Impatient {
        fn stage(&mut self, _name: &str, _total: u64) -> Result<()> {
            Ok(())
        }
        fn advance(&mut self, _n: u64) -> Result<()> {
            self.0 += 1;
            if self.0 > 50 { Err(Error::Interrupted) } else { Ok(()) }
        }
    }
    for threads in 1..4 {
        let mut endless = |batch: &mut TextBatch| {
            batch.push("again and again");
            Ok(true)
        };
        let error =
            count_batches(&mut endless, 0, &Blanks, &CountOptions::new(threads), &mut Impatient(0)).unwrap_err();
        assert!(matches!(error, Error::Interrupted));
    }
}

#[test]
fn a_field_of_lines_of_json() {
    let file = Temporary::new("{\"t\": \"a b\", \"n\": 1}\r\n\n{\"n\": [], \"t\": \"c\\nä\"}\n".as_bytes());
    let format = LineFormat::JsonField("t".into());
    let count =
        |path: &Path| super::count_files(&[path.to_owned()], &format, &Blanks, &CountOptions::new(2), &mut NoProgress);
    assert_eq!(count(&file.0).unwrap(), by_hand(["a b", "c\nä"]));
    let wrong = Temporary::new(b"{\"t\": \"a\"}\n{}\n");
    let expected = format!("{}: the line at byte 11 has no field `t`", wrong.0.display());
    assert_eq!(count(&wrong.0).unwrap_err().to_string(), expected);
}

#[test]
fn a_bound_of_memory_changes_nothing_and_leaves_nothing() {
    // Words of all lengths, in an order in which most appear again long after; more runs than are merged at once.
    let lines: Vec<String> = (0..60_000_u32)
        .map(|i| format!("{} word{} {}\n", i % 7, i * 7919 % 30_011, "x".repeat(i as usize % 40)))
        .collect();
    let file = Temporary::new(lines.concat().as_bytes());
    let folder = std::env::temp_dir().join(format!("piecework-spill-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let paths = [file.0.clone()];
    let expected = count_files(&paths, &Blanks, 1, &mut NoProgress).unwrap();
    for (threads, memory) in [(1, 1), (2, 1), (3, 1 << 19), (2, 1 << 40)] {
        let options = CountOptions { threads, memory: Some(memory), folder: Some(folder.clone()) };
        let got = super::count_files(&paths, &LineFormat::Text, &Blanks, &options, &mut NoProgress).unwrap();
        assert_eq!(got, expected);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    }
    std::fs::remove_dir(&folder).unwrap();
    let options = CountOptions { threads: 2, memory: Some(1), folder: Some(folder.clone()) };
    let error = super::count_files(&paths, &LineFormat::Text, &Blanks, &options, &mut NoProgress).unwrap_err();
    assert!(error.to_string().starts_with(&format!("{}: ", folder.display())), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn threads_and_batches_do_not_matter(
        items in prop::collection::vec("[abcé \n]{0,40}", 0..120),
        size in 1..40_usize,
        threads in 1..5_usize,
    ) {
        let words = batches(&items, size, threads, &mut NoProgress).unwrap();
        prop_assert_eq!(words, by_hand(items.iter().map(String::as_str)));
    }
}
