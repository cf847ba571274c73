//! `[CLS] A [SEP]` and `[CLS] A [SEP] B [SEP]`, as BERT was trained with.

use super::{PostProcessor, framed, special};
use crate::columns::Item;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// Type id 0 for what frames the first sequence, 1 for the separator of the second; sequences keep theirs.
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
        let framed = parts.into_iter().enumerate().map(|(i, part)| {
            let type_id = u32::from(i > 0);
            framed(part, (i == 0).then(|| special(&self.cls, type_id)), special(&self.sep, type_id))
        });
        Ok(framed.collect())
    }
}
