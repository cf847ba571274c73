//! Leaves the white space at the ends of byte-level tokens out of their spans.

use super::PostProcessor;
use crate::columns::{Item, Trim};
use crate::error::Result;
use crate::text::byte_level::ByteLevelSettings;
use serde::{Deserialize, Serialize};

/// Trims spans; puts nothing in.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ByteLevel(pub ByteLevelSettings);

impl PostProcessor for ByteLevel {
    fn arrange(&self, mut parts: Vec<Vec<Item>>, _: bool) -> Result<Vec<Vec<Item>>> {
        if self.0.trim_offsets {
            trim_all(&mut parts, self.0.add_prefix_space);
        }
        Ok(parts)
    }
}

/// Trim the spans of every sequence. What the processor gets as one part begins with its first item.
pub(super) fn trim_all(parts: &mut [Vec<Item>], add_prefix_space: bool) {
    for (place, item) in parts.iter_mut().flat_map(|part| part.iter_mut().enumerate()) {
        if let Item::Sequence(sequence) = item {
            sequence.trims.push(Trim { add_prefix_space, first: place == 0 });
        }
    }
}
