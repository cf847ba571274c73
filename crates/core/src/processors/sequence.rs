//! Processors one after the other.

use super::{AnyProcessor, PostProcessor};
use crate::columns::Item;
use crate::error::Result;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Each processor gets what the one before it gave.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sequence {
    /// The processors, in order.
    #[serde(deserialize_with = "lenient")]
    pub processors: Vec<AnyProcessor>,
}

fn lenient<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Vec<AnyProcessor>, D::Error> {
    let values = Vec::<Value>::deserialize(deserializer)?;
    let parse = |(i, value)| AnyProcessor::parse_lenient(value).map_err(|e| e.within(&format!("[{i}]")));
    values.into_iter().enumerate().map(parse).collect::<Result<_>>().map_err(serde::de::Error::custom)
}

impl PostProcessor for Sequence {
    fn arrange(&self, parts: Vec<Vec<Item>>, add_special_tokens: bool) -> Result<Vec<Vec<Item>>> {
        self.processors.iter().try_fold(parts, |parts, p| p.as_dyn().arrange(parts, add_special_tokens))
    }
}
