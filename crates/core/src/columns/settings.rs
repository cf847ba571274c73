//! Truncation and padding settings, as they stand in `tokenizer.json`.

use serde::{Deserialize, Serialize};

/// The side on which tokens are cut off or put in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    /// At the start.
    Left,
    /// At the end.
    #[default]
    Right,
}

/// Which sequence of a pair is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Strategy {
    /// The longer one, then both.
    LongestFirst,
    /// The first one alone.
    OnlyFirst,
    /// The second one alone.
    OnlySecond,
}

/// How long a row may be, and what happens to the rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truncation {
    /// The side that is cut off.
    #[serde(default)]
    pub direction: Direction,
    /// Most tokens of a row, with those that the processor puts in.
    pub max_length: usize,
    /// Which sequence is cut.
    pub strategy: Strategy,
    /// Tokens that each window shares with the one before.
    pub stride: usize,
}

/// How long rows are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PaddingStrategy {
    /// As long as the longest row of the batch.
    BatchLongest,
    /// At least so many tokens.
    Fixed(usize),
}

/// What rows are filled up with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Padding {
    /// How long rows are made.
    pub strategy: PaddingStrategy,
    /// The side that is filled.
    pub direction: Direction,
    /// Lengths are rounded up to a multiple of this.
    #[serde(default)]
    pub pad_to_multiple_of: Option<usize>,
    /// Id of the padding token.
    pub pad_id: u32,
    /// Type id of the padding token.
    pub pad_type_id: u32,
    /// Text of the padding token.
    pub pad_token: String,
}

impl Padding {
    /// The length that rows are made where the longest of them has `longest` tokens.
    pub fn target(&self, longest: usize) -> usize {
        let length = match self.strategy {
            PaddingStrategy::BatchLongest => longest,
            PaddingStrategy::Fixed(n) => n,
        };
        match self.pad_to_multiple_of {
            Some(multiple) if multiple > 0 => length.next_multiple_of(multiple),
            _ => length,
        }
    }
}
