//! `<s> A </s>` and `<s> A </s> </s> B </s>`, as RoBERTa was trained with.

use super::byte_level::trim_all;
use super::{PostProcessor, framed, special, with_type_id};
use crate::columns::Item;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// All type ids are 0, also without special tokens.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RobertaProcessing {
    /// Text and id of the separator.
    pub sep: (String, u32),
    /// Text and id of the token in front.
    pub cls: (String, u32),
    /// Whether white space at the ends of tokens is left out of their spans.
    pub trim_offsets: bool,
    /// Whether one leading space of the first token is taken for one that the pre-tokenizer put there, and kept.
    pub add_prefix_space: bool,
}

impl PostProcessor for RobertaProcessing {
    fn arrange(&self, mut parts: Vec<Vec<Item>>, add_special_tokens: bool) -> Result<Vec<Vec<Item>>> {
        if self.trim_offsets {
            trim_all(&mut parts, self.add_prefix_space);
        }
        for part in &mut parts {
            with_type_id(part, 0);
        }
        if !add_special_tokens {
            return Ok(parts);
        }
        let framed = parts.into_iter().enumerate().map(|(i, part)| {
            let first = if i == 0 { &self.cls } else { &self.sep };
            framed(part, Some(special(first, 0)), special(&self.sep, 0))
        });
        Ok(framed.collect())
    }
}
