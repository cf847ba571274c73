//! Replace what a pattern matches, in each token.

use crate::steps;
use super::{DecodeToken, Decoder};
use crate::component::{Parse, parse_fields};
use crate::error::Result;
use crate::split::{Matcher, Pattern};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Puts `content` in the place of every match within a token. The content is literal: no groups are filled in.
#[derive(Clone, Debug, Serialize)]
pub struct Replace {
    pattern: Pattern,
    content: String,
    #[serde(skip)]
    matcher: Matcher,
}

#[derive(Deserialize)]
struct Fields {
    pattern: Pattern,
    content: String,
}

impl Replace {
    /// Compile the pattern.
    ///
    /// # Errors
    /// `Error::Spec` if the pattern cannot be compiled.
    pub fn new(pattern: Pattern, content: String) -> Result<Self> {
        let matcher = Matcher::new(&pattern).map_err(|e| e.within("pattern"))?;
        Ok(Self { pattern, content, matcher })
    }

    /// What is replaced.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// What is put in its place.
    pub fn content(&self) -> &str {
        &self.content
    }
}

impl Parse for Replace {
    fn parse(fields: Value) -> Result<Self> {
        let Fields { pattern, content } = parse_fields(fields)?;
        Self::new(pattern, content)
    }
}

impl Decoder for Replace {
    fn decode_tokens<'a>(&self, mut tokens: Vec<DecodeToken<'a>>) -> Result<Vec<DecodeToken<'a>>> {
        let mut matches = Vec::new();
        for token in &mut tokens {
            self.matcher.matches(&token.text, &mut matches).map_err(|e| match e {
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
                text.push_str(&self.content);
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

    #[test]
    fn every_match_in_every_token() -> Result<()> {
        let replace = |pattern, content: &str| {
            Replace::new(pattern, content.to_owned())?.decode_chain(vec!["▁a▁▁b".to_owned(), "c".to_owned()])
        };
        assert_eq!(replace(Pattern::String("▁".to_owned()), " ")?, [" a  b", "c"]);
        assert_eq!(replace(Pattern::Regex("▁+|c".to_owned()), "$0")?, ["$0a$0b", "$0"]);
        Ok(())
    }
}
