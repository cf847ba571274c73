//! `<s> A </s>` and `<s> A </s> </s> B </s>`, as RoBERTa was trained with.

use super::byte_level::trim_all;
use super::{PostProcessor, special, with_type_id};
use crate::columns::{Item, Trim};
use crate::error::{Error, Result};
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
        if parts.len() > 2 {
            return Err(Error::spec("", "`RobertaProcessing` takes one sequence or two, the processor before it gives more"));
        }
        if self.trim_offsets {
            trim_all(&mut parts, Trim { add_prefix_space: self.add_prefix_space });
        }
        for (i, part) in parts.iter_mut().enumerate() {
            with_type_id(part, 0);
            if add_special_tokens {
                part.insert(0, special(if i == 0 { &self.cls } else { &self.sep }, 0));
                part.push(special(&self.sep, 0));
            }
        }
        Ok(parts)
    }
}
