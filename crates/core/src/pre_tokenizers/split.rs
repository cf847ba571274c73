//! Cut where a pattern matches.

use super::PreTokenizer;
use crate::component::{Parse, parse_fields};
use crate::error::Result;
use crate::split::{Behavior, Matcher, Pattern, Scanner, pieces};
use crate::text::{ByteSpan, Cuts, Pretokens};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Cuts at the matches of a pattern.
#[derive(Clone, Debug, Serialize)]
pub struct Split {
    pattern: Pattern,
    behavior: Behavior,
    invert: bool,
    #[serde(skip)]
    matcher: Matcher,
}

#[derive(Deserialize)]
struct Fields {
    pattern: Pattern,
    behavior: Behavior,
    invert: bool,
}

impl Split {
    /// Compile the pattern. With `invert` what the pattern does not match is the delimiter.
    ///
    /// # Errors
    /// `Error::Spec` if the pattern cannot be compiled.
    pub fn new(pattern: Pattern, behavior: Behavior, invert: bool) -> Result<Self> {
        let matcher = Matcher::new(&pattern).map_err(|e| e.within("pattern"))?;
        Ok(Self { pattern, behavior, invert, matcher })
    }

    /// What is matched.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The compiled pattern.
    pub fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    /// What cuts as this does, if there is such a scanner.
    pub fn scanner(&self) -> Option<Scanner> {
        self.matcher.scanner_for(self.behavior, self.invert)
    }

    /// What becomes of a match.
    pub fn behavior(&self) -> Behavior {
        self.behavior
    }

    /// Whether what the pattern does not match is the delimiter.
    pub fn invert(&self) -> bool {
        self.invert
    }
}

impl Parse for Split {
    fn parse(fields: Value) -> Result<Self> {
        let Fields { pattern, behavior, invert } = parse_fields(fields)?;
        Self::new(pattern, behavior, invert)
    }
}

impl PreTokenizer for Split {
    fn pre_tokenize(&self, pretokens: &mut Pretokens) -> Result<()> {
        let mut delimited = Delimited::new(self.behavior, self.invert);
        pretokens.cut(|text, cuts| {
            self.matcher.matches(text, &mut delimited.matches)?;
            delimited.cut(text, cuts);
            Ok(())
        })
    }
}

/// Cuts pieces at delimiters, and keeps its memory from piece to piece.
pub(super) struct Delimited {
    behavior: Behavior,
    invert: bool,
    /// The delimiters in the piece at hand.
    pub(super) matches: Vec<ByteSpan>,
    pieces: Vec<(ByteSpan, bool)>,
}

impl Delimited {
    pub(super) fn new(behavior: Behavior, invert: bool) -> Self {
        Self { behavior, invert, matches: Vec::new(), pieces: Vec::new() }
    }

    pub(super) fn cut(&mut self, text: &str, cuts: &mut Cuts<'_>) {
        pieces(text, &self.matches, self.behavior, self.invert, &mut self.pieces);
        for (span, _) in &self.pieces {
            cuts.keep(span.range());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AnyPreTokenizer, pieces_of};
    use super::*;
    use serde_json::json;

    #[test]
    fn delimiters_and_what_is_between() -> Result<()> {
        let split = |behavior, invert| {
            let split = Split::new(Pattern::Regex("-".to_owned()), behavior, invert)?;
            pieces_of(&split, "a-é--b")
        };
        assert_eq!(split(Behavior::MergedWithNext, false)?, ["a 0..1", "-é 1..4", "- 4..5", "-b 5..7"]);
        assert_eq!(split(Behavior::Removed, true)?, ["- 1..2", "- 4..5", "- 5..6"]);
        Ok(())
    }

    #[test]
    fn written_as_read() -> Result<()> {
        let text = r#"{"type":"Split","pattern":{"Regex":"\\d+"},"behavior":"Isolated","invert":false}"#;
        let split = AnyPreTokenizer::parse(serde_json::from_str(text).unwrap())?;
        assert_eq!(serde_json::to_string(&split).unwrap(), text);
        Ok(())
    }

    #[test]
    fn a_bad_pattern_is_refused_with_its_path() {
        let description = json!({"type": "Split", "pattern": {"Regex": "["}, "behavior": "Isolated", "invert": false});
        let error = AnyPreTokenizer::parse(description).unwrap_err().to_string();
        assert!(error.starts_with("pattern"), "{error}");
    }
}
