//! Replace what a pattern matches, in each token.

use super::{DecodeToken, Decoder};
use crate::component::Parse;
use crate::error::Result;
use crate::split::Replacement;
use crate::steps;
use serde::Serialize;
use serde_json::Value;

/// Puts the content in the place of every match within a token.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct Replace(pub Replacement);

impl Parse for Replace {
    fn parse(fields: Value) -> Result<Self> {
        Replacement::parse(fields).map(Self)
    }
}

impl Decoder for Replace {
    fn decode_tokens<'a>(&self, mut tokens: Vec<DecodeToken<'a>>) -> Result<Vec<DecodeToken<'a>>> {
        let mut matches = Vec::new();
        for token in &mut tokens {
            self.0.matcher().matches(&token.text, &mut matches).map_err(|e| match e {
                crate::error::Error::Encode(reason) => crate::error::Error::Decode(reason),
                other => other,
            })?;
            if matches.is_empty() {
                continue;
            }
            steps::count(token.text.len() + matches.len());
            let mut text = String::with_capacity(token.text.len());
            let mut kept = 0;
            for found in &matches {
                text.push_str(&token.text[kept..found.start as usize]);
                text.push_str(self.0.content());
                kept = found.end as usize;
            }
            text.push_str(&token.text[kept..]);
            token.text = text.into();
        }
        Ok(tokens)
    }

    fn is_tokenwise(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::Pattern;

    #[test]
    fn every_match_in_every_token() -> Result<()> {
        let replace = |pattern, content: &str| {
            Replace(Replacement::new(pattern, content.to_owned())?)
                .decode_chain(vec!["▁a▁▁b".to_owned(), "c".to_owned()])
        };
        assert_eq!(replace(Pattern::String("▁".to_owned()), " ")?, [" a  b", "c"]);
        assert_eq!(replace(Pattern::Regex("▁+|c".to_owned()), "$0")?, ["$0a$0b", "$0"]);
        Ok(())
    }
}
