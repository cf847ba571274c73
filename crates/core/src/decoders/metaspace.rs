//! Word marks back to blanks.

use super::{DecodeToken, Decoder};
use crate::error::Result;
use crate::steps;
use crate::text::word_mark::{PrependScheme, WordMark};
use serde::{Deserialize, Serialize};

/// Writes a blank for each word mark. Marks in front of the first token are dropped, unless none is ever put there.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metaspace(pub WordMark);

impl Decoder for Metaspace {
    fn decode_tokens<'a>(&self, mut tokens: Vec<DecodeToken<'a>>) -> Result<Vec<DecodeToken<'a>>> {
        let WordMark { replacement, prepend_scheme, .. } = self.0;
        for (at, token) in tokens.iter_mut().enumerate() {
            steps::count(token.text.len());
            let text = if at == 0 && prepend_scheme != PrependScheme::Never {
                token.text.trim_start_matches(replacement)
            } else {
                &*token.text
            };
            if text.contains(replacement) {
                token.text = text.replace(replacement, " ").into();
            } else if text.len() < token.text.len() {
                token.text = text.to_owned().into();
            }
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
    fn only_marks_in_front_are_dropped() -> Result<()> {
        let always = Metaspace::default();
        let decode = |metaspace: &Metaspace, tokens: &[&str]| {
            metaspace.decode(tokens.iter().map(|token| DecodeToken::ordinary(*token)).collect())
        };
        assert_eq!(decode(&always, &["▁in▁the", "▁house"])?, "in the house");
        assert_eq!(decode(&always, &["▁▁a", "▁▁b"])?, "a  b");
        assert_eq!(decode(&always, &["a", "▁b"])?, "a b");
        let never = Metaspace(WordMark { prepend_scheme: PrependScheme::Never, ..WordMark::default() });
        assert_eq!(decode(&never, &["▁a"])?, " a");
        Ok(())
    }
}
