//! Join all tokens.

use super::{DecodeToken, Decoder};
use crate::error::Result;
use crate::steps;
use serde::{Deserialize, Serialize};

/// Joins all tokens to one, so that what follows sees the whole text.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Fuse {}

impl Decoder for Fuse {
    fn decode_tokens<'a>(&self, tokens: Vec<DecodeToken<'a>>) -> Result<Vec<DecodeToken<'a>>> {
        let text: String = tokens.iter().map(|token| &*token.text).collect();
        steps::count(tokens.len() + text.len());
        Ok(vec![DecodeToken::ordinary(text)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_become_one() -> Result<()> {
        assert_eq!(Fuse {}.decode_chain(vec!["a".into(), " b".into()])?, ["a b"]);
        assert_eq!(Fuse {}.decode_chain(Vec::new())?, [""]);
        Ok(())
    }
}
