//! Processors one after the other.

use super::{AnyProcessor, PostProcessor};
use crate::columns::Item;
use crate::component::{Parse, parse_list};
use crate::error::Result;
use serde::Serialize;
use serde_json::Value;

/// Each processor gets what the one before it gave.
#[derive(Clone, Debug, Serialize)]
pub struct Sequence {
    /// The processors, in order.
    pub processors: Vec<AnyProcessor>,
}

impl Parse for Sequence {
    fn parse(fields: Value) -> Result<Self> {
        Ok(Self { processors: parse_list(fields, "processors", AnyProcessor::parse_lenient)? })
    }
}

impl PostProcessor for Sequence {
    fn arrange(&self, parts: Vec<Vec<Item>>, add_special_tokens: bool) -> Result<Vec<Vec<Item>>> {
        self.processors.iter().try_fold(parts, |parts, p| p.as_dyn().arrange(parts, add_special_tokens))
    }
}
