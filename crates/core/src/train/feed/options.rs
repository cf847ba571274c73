//! How to count.

use std::path::PathBuf;

/// How a corpus is counted. The counts do not depend on any of it.
#[derive(Debug, Clone)]
pub struct CountOptions {
    /// Threads, at least 1.
    pub threads: usize,
    /// Bytes that the tables of all threads may take, about; what is more goes to sorted files, which are merged in the end. The
    /// result is held in memory beside that. `None` sets no bound.
    pub memory: Option<u64>,
    /// Where a folder for these files is made, and removed again; `None` is the system's folder for temporary files.
    pub folder: Option<PathBuf>,
}

impl CountOptions {
    /// Without a bound.
    pub fn new(threads: usize) -> Self {
        Self { threads, memory: None, folder: None }
    }
}

/// What a line of a file is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum LineFormat {
    /// A text, with its newline.
    #[default]
    Text,
    /// A JSON object, one of whose fields holds the text.
    JsonField(String),
}
