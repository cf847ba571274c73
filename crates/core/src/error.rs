//! One error type for the crate: what is wrong, where, and what would be right.
//!
//! Messages are lower case without a full stop; values stand in backticks.

use std::fmt;

/// Everything that can go wrong in this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A description (a `tokenizer.json` or one component) that cannot be compiled.
    #[error("{}{reason}", prefix(path))]
    Spec {
        /// Where in the description, as `model.merges[17]`; empty for the whole of it.
        path: String,
        /// What is wrong there, and what would be right.
        reason: String,
    },
    /// A text that the compiled tokenizer cannot encode (an unknown without an unknown token, a regex over its step limit).
    #[error("{0}")]
    Encode(String),
    /// Ids or tokens that cannot be decoded.
    #[error("{0}")]
    Decode(String),
    /// Truncation or padding settings that cannot be satisfied.
    #[error("{0}")]
    Setting(String),
    /// Nothing to learn from, a size out of reach, or parameters that contradict each other.
    #[error("{0}")]
    Training(String),
    /// What went wrong with one input of many.
    #[error("input {index}: {source}")]
    Item {
        /// Its index.
        index: usize,
        /// What went wrong with it.
        #[source]
        source: Box<Error>,
    },
    /// A file that cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The caller asked to stop (Ctrl-C).
    #[error("interrupted")]
    Interrupted,
    /// An error of a component that lives outside this crate; it comes out unchanged.
    #[error("{0}")]
    Foreign(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A [`Error::Spec`] at `path`.
    pub fn spec(path: impl Into<String>, reason: impl fmt::Display) -> Self {
        Self::Spec { path: path.into(), reason: reason.to_string() }
    }

    /// The same error of the input with this index.
    #[must_use]
    pub fn of_item(self, index: usize) -> Self {
        match self {
            Self::Interrupted => Self::Interrupted,
            other => Self::Item { index, source: Box::new(other) },
        }
    }

    /// The same error one level further out: `path` is put in front of the path of a [`Error::Spec`].
    #[must_use]
    pub fn within(self, outer: &str) -> Self {
        match self {
            Self::Spec { path, reason } => {
                let path = match path.as_str() {
                    "" => outer.to_owned(),
                    p if p.starts_with('[') => format!("{outer}{p}"),
                    p => format!("{outer}.{p}"),
                };
                Self::Spec { path, reason }
            }
            other => other,
        }
    }
}

fn prefix(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("{path}: ") }
}
