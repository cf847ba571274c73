//! Split patterns: what they match, the pieces that follow, and scanners that find piece ends at the speed of memory.
//!
//! A pattern is read in the dialect of the reference (Oniguruma, Ruby syntax, Unicode 16) into a tree. Where the tree is
//! regular but for conditions on the next character, it becomes a deterministic automaton over the classes of characters
//! that the pattern tells apart ([`Scanner`]); everything else runs on `fancy-regex` ([`Matcher`]). Neither looks at names
//! of models or spellings of patterns.

mod alphabet;
mod ast;
mod dfa;
mod emit;
mod family;
mod fold;
mod fuse;
mod grapheme;
mod masks;
mod matcher;
mod nfa;
mod parse;
mod pieces;
mod properties;
mod replacement;
mod scanner;
mod sequence;
mod stage;
#[cfg(test)]
mod tests;

pub use masks::pairs::{AsciiPairs, Places, WINDOW_STEP};
pub use matcher::Matcher;
pub use pieces::pieces;
pub use replacement::Replacement;
pub use scanner::Scanner;

/// What a `Split` or `Replace` looks for, as it stands in `tokenizer.json`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Pattern {
    /// This very text.
    String(String),
    /// A regular expression in the dialect of the reference.
    Regex(String),
}

/// What becomes of a delimiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Behavior {
    /// It is dropped.
    Removed,
    /// It is a piece of its own.
    Isolated,
    /// It ends the piece before it; of adjacent delimiters only the first does.
    MergedWithPrevious,
    /// It begins the piece behind it; of adjacent delimiters only the last does.
    MergedWithNext,
    /// Adjacent delimiters are one piece.
    Contiguous,
}
