//! Replace what a pattern matches.

use super::Normalizer;
use crate::component::Parse;
use crate::error::Result;
use crate::split::{Pattern, Replacement};
use crate::steps;
use crate::text::AlignedText;
use serde::Serialize;
use serde_json::Value;

/// Puts the content in the place of every match.
///
/// The new characters take the span of the last character of the match; those of an empty match that of the one before it.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct Replace(pub Replacement);

impl Parse for Replace {
    fn parse(fields: Value) -> Result<Self> {
        Replacement::parse(fields).map(Self)
    }
}

impl Normalizer for Replace {
    fn normalize(&self, text: &mut AlignedText) -> Result<()> {
        let mut matches = Vec::new();
        self.0.matcher().matches(text.as_str(), &mut matches)?;
        let mut edit = text.edit();
        for found in &matches {
            steps::count(1);
            edit.keep(found.start as usize - edit.position());
            edit.skip((found.end - found.start) as usize);
            if !self.0.content().is_empty() {
                edit.push(self.0.content(), edit.span_behind());
            }
        }
        edit.finish();
        Ok(())
    }

    fn is_identity(&self, text: &str) -> bool {
        match self.0.pattern() {
            Pattern::String(pattern) => !text.contains(pattern.as_str()),
            Pattern::Regex(_) => {
                let mut matches = Vec::new();
                self.0.matcher().matches(text, &mut matches).is_ok() && matches.is_empty()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::ByteSpan;

    fn replaced(pattern: Pattern, content: &str, text: &str) -> Result<(String, Vec<(u32, u32)>)> {
        let mut text = AlignedText::new(text, 0);
        Replace(Replacement::new(pattern, content.to_owned())?).normalize(&mut text)?;
        let spans = text.byte_origins().into_iter().map(|ByteSpan { start, end }| (start, end)).collect();
        Ok((text.into_string(), spans))
    }

    #[test]
    fn new_characters_take_the_span_of_the_last_one_matched() -> Result<()> {
        let ab = || Pattern::String("ab".to_owned());
        assert_eq!(replaced(ab(), "XY", "1ab2")?, ("1XY2".to_owned(), vec![(0, 1), (2, 3), (2, 3), (3, 4)]));
        assert_eq!(replaced(ab(), "", "1ab2")?, ("12".to_owned(), vec![(0, 1), (3, 4)]));
        let content = "$1\\0";
        assert_eq!(replaced(Pattern::Regex("a(b)".to_owned()), content, "ab")?.0, content);
        Ok(())
    }

    #[test]
    fn empty_matches_insert() -> Result<()> {
        let start = Pattern::Regex("^".to_owned());
        assert_eq!(replaced(start, ">", "ab")?, (">ab".to_owned(), vec![(0, 0), (0, 1), (1, 2)]));
        let everywhere = Pattern::String(String::new());
        let spans = vec![(0, 0), (0, 1), (0, 1), (1, 2), (1, 2)];
        assert_eq!(replaced(everywhere, "-", "ab")?, ("-a-b-".to_owned(), spans));
        Ok(())
    }
}
