//! What stands for the matches of a pattern, as `Replace` writes it into texts and into tokens.

use super::{Matcher, Pattern};
use crate::component::{Parse, parse_fields};
use crate::error::Result;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The settings of `Replace`, which its normalizer and its decoder share. The content is literal: no groups are filled in.
#[derive(Clone, Debug, Serialize)]
pub struct Replacement {
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

impl Replacement {
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

    /// The compiled pattern.
    pub fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    /// What is put in its place.
    pub fn content(&self) -> &str {
        &self.content
    }
}

impl Parse for Replacement {
    fn parse(fields: Value) -> Result<Self> {
        let Fields { pattern, content } = parse_fields(fields)?;
        Self::new(pattern, content)
    }
}
