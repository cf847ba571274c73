//! Truncation and padding settings, as they stand in `tokenizer.json`.

use crate::error::{Error, Result};
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

/// No text that can be encoded has more tokens, so that rows of this length are long enough for all.
const LONGEST_ROW: usize = 1 << 30;

impl Padding {
    /// Refuse lengths that no row can have.
    ///
    /// # Errors
    /// `Error::Setting`.
    pub fn check(&self) -> Result<()> {
        let length = if let PaddingStrategy::Fixed(length) = self.strategy { length } else { 0 };
        for (name, value) in [("length", length), ("pad_to_multiple_of", self.pad_to_multiple_of.unwrap_or(0))] {
            if value > LONGEST_ROW {
                return Err(Error::Setting(format!(
                    "padding {name} `{value}` is out of reach: no text has more than `{LONGEST_ROW}` tokens"
                )));
            }
        }
        Ok(())
    }

    /// Refuse to fill `rows` up to `length` tokens, for each of which `bytes` are needed, where there is no memory for that.
    ///
    /// # Errors
    /// `Error::Setting`.
    pub fn check_room(rows: usize, length: usize, bytes: usize) -> Result<()> {
        let needed = rows.saturating_mul(length).saturating_mul(bytes);
        let mut room = Vec::<u8>::new();
        let is_there = room.try_reserve_exact(needed).is_ok();
        // What nobody looks at need not be asked for.
        std::hint::black_box(room);
        if is_there {
            return Ok(());
        }
        Err(Error::Setting(format!(
            "padding `{rows}` rows to `{length}` tokens takes `{needed}` bytes, more memory than there is"
        )))
    }

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
