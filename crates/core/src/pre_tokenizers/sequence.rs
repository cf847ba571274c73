//! Several pre-tokenizers, one after the other.

use super::{AnyPreTokenizer, PreTokenizer};
use crate::component::{Parse, parse_list};
use crate::error::Result;
use crate::text::Pretokens;
use serde::Serialize;
use serde_json::Value;

/// Applies each of its pre-tokenizers to the pieces that the one before has made.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Sequence {
    /// In the order of application.
    pub pretokenizers: Vec<AnyPreTokenizer>,
}

impl Parse for Sequence {
    fn parse(fields: Value) -> Result<Self> {
        Ok(Self { pretokenizers: parse_list(fields, "pretokenizers", AnyPreTokenizer::parse)? })
    }
}

impl PreTokenizer for Sequence {
    fn pre_tokenize(&self, pretokens: &mut Pretokens) -> Result<()> {
        self.pretokenizers.iter().try_for_each(|part| part.as_dyn().pre_tokenize(pretokens))
    }
}
