//! `[CLS] A [SEP]` and `[CLS] A [SEP] B [SEP]`, as BERT was trained with.

use super::{PostProcessor, special, with_type_id};
use crate::columns::Item;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Type id 0 for the first sequence and what frames it, 1 for the second and its separator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BertProcessing {
    /// Text and id of the separator.
    pub sep: (String, u32),
    /// Text and id of the token in front.
    pub cls: (String, u32),
}

impl PostProcessor for BertProcessing {
    fn arrange(&self, parts: Vec<Vec<Item>>, add_special_tokens: bool) -> Result<Vec<Vec<Item>>> {
        if !add_special_tokens {
            return Ok(parts);
        }
        if parts.len() > 2 {
            return Err(Error::spec("", "`BertProcessing` takes one sequence or two, the processor before it gives more"));
        }
        let framed = parts.into_iter().enumerate().map(|(i, mut part)| {
            let type_id = i as u32;
            with_type_id(&mut part, type_id);
            if i == 0 {
                part.insert(0, special(&self.cls, type_id));
            }
            part.push(special(&self.sep, type_id));
            part
        });
        Ok(framed.collect())
    }
}
