//! Word marks back to blanks.

use super::{DecodeToken, Decoder};
use crate::error::Result;
use crate::text::word_mark::{PrependScheme, WordMark};
use serde::{Deserialize, Serialize};

/// Writes a blank for each word mark. The mark in front of the first token is dropped, unless none is ever put there.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metaspace(pub WordMark);

impl Decoder for Metaspace {
    fn decode_tokens<'a>(&self, mut tokens: Vec<DecodeToken<'a>>) -> Result<Vec<DecodeToken<'a>>> {
        let WordMark { replacement, prepend_scheme, .. } = self.0;
        for (at, token) in tokens.iter_mut().enumerate() {
            let text = match token.text.strip_prefix(replacement) {
                Some(rest) if at == 0 && prepend_scheme != PrependScheme::Never => rest,
                _ => &*token.text,
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
    fn only_the_mark_in_front_is_dropped() -> Result<()> {
        let always = Metaspace::default();
        let decode = |metaspace: &Metaspace, tokens: &[&str]| {
            metaspace.decode(tokens.iter().map(|token| DecodeToken::ordinary(*token)).collect())
        };
        assert_eq!(decode(&always, &["▁in▁the", "▁house"])?, "in the house");
        assert_eq!(decode(&always, &["▁▁a", "b"])?, " ab");
        assert_eq!(decode(&always, &["a", "▁b"])?, "a b");
        let never = Metaspace(WordMark { prepend_scheme: PrependScheme::Never, ..WordMark::default() });
        assert_eq!(decode(&never, &["▁a"])?, " a");
        Ok(())
    }
}
