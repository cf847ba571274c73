//! The settings of the components named `ByteLevel`.

use serde::{Deserialize, Serialize};

/// What files repeat for the pre-tokenizer, the post-processor and the decoder of that name; each goes by some of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ByteLevelSettings {
    /// Whether a blank is put in front of every piece that does not start with one: by the pre-tokenizer. The post-processor takes
    /// a leading blank of the first token for that one, and keeps it.
    pub add_prefix_space: bool,
    /// Whether the post-processor trims spans.
    pub trim_offsets: bool,
    /// Whether the pre-tokenizer cuts by the pattern of GPT-2.
    #[serde(default = "yes")]
    pub use_regex: bool,
}

fn yes() -> bool {
    true
}

impl Default for ByteLevelSettings {
    fn default() -> Self {
        Self { add_prefix_space: true, trim_offsets: true, use_regex: true }
    }
}
