//! Several decoders, one after the other.

use super::{AnyDecoder, DecodeToken, Decoder};
use crate::component::{Parse, parse_list};
use crate::error::Result;
use serde::Serialize;
use serde_json::Value;

/// Applies each of its decoders to the list that the one before has made.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Sequence {
    /// In the order of application.
    pub decoders: Vec<AnyDecoder>,
}

impl Parse for Sequence {
    fn parse(fields: Value) -> Result<Self> {
        Ok(Self { decoders: parse_list(fields, "decoders", AnyDecoder::parse)? })
    }
}

impl Decoder for Sequence {
    fn decode_tokens<'a>(&self, tokens: Vec<DecodeToken<'a>>) -> Result<Vec<DecodeToken<'a>>> {
        self.decoders.iter().try_fold(tokens, |tokens, decoder| decoder.as_dyn().decode_tokens(tokens))
    }

    fn is_tokenwise(&self) -> bool {
        self.decoders.iter().all(|decoder| decoder.as_dyn().is_tokenwise())
    }
}
