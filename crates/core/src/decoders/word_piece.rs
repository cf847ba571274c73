//! Word pieces back to text.

use super::{DecodeToken, Decoder};
use crate::error::Result;
use crate::steps;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Joins a token with the prefix to the one before it, and puts a blank in front of any other but the first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WordPiece {
    /// What marks a token that continues a word.
    pub prefix: String,
    /// Whether blanks in front of punctuation and English contractions are taken away, within each token.
    pub cleanup: bool,
}

impl Default for WordPiece {
    fn default() -> Self {
        Self { prefix: "##".to_owned(), cleanup: true }
    }
}

/// What cleaning up replaces, in this order.
const CLEANUP: [(&str, &str); 11] = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
];

/// Take away the blanks in front of punctuation and English contractions.
///
/// Source: `clean_up_tokenization` of the `transformers` library.
pub(super) fn clean_up(text: Cow<'_, str>) -> Cow<'_, str> {
    // Most tokens hold none of it, which their first blank tells at once: nothing is replaced without a blank.
    let may_change =
        |pair: &[u8]| pair[0] == b' ' && matches!(pair[1], b'.' | b'?' | b'!' | b',' | b'\'' | b'n' | b'd');
    if !text.as_bytes().windows(2).any(may_change) {
        return text;
    }
    CLEANUP.iter().fold(text, |text, (from, to)| if text.contains(from) { text.replace(from, to).into() } else { text })
}

impl Decoder for WordPiece {
    fn decode_tokens<'a>(&self, mut tokens: Vec<DecodeToken<'a>>) -> Result<Vec<DecodeToken<'a>>> {
        for (at, token) in tokens.iter_mut().enumerate() {
            steps::count(token.text.len());
            if at > 0 {
                token.text = match token.text.strip_prefix(&*self.prefix) {
                    Some(rest) => rest.to_owned().into(),
                    None => format!(" {}", token.text).into(),
                };
            }
            if self.cleanup {
                token.text = clean_up(std::mem::take(&mut token.text));
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

    fn decode(decoder: &WordPiece, tokens: &[&str]) -> Result<String> {
        decoder.decode(tokens.iter().map(|token| DecodeToken::ordinary(*token)).collect())
    }

    #[test]
    fn pieces_are_joined() -> Result<()> {
        let decoder = WordPiece::default();
        assert_eq!(decode(&decoder, &["uni", "##aff", "##able", "!", "the"])?, "uniaffable! the");
        assert_eq!(decode(&decoder, &["##x", "####y"])?, "##x##y");
        Ok(())
    }

    #[test]
    fn cleaning_up_sees_one_token_at_a_time() -> Result<()> {
        let tokens = ["I", "'m", "do not", "do", "not", "'", "."];
        assert_eq!(decode(&WordPiece::default(), &tokens)?, "I'm don't do not '.");
        let plain = WordPiece { cleanup: false, ..WordPiece::default() };
        assert_eq!(decode(&plain, &tokens)?, "I 'm do not do not ' .");
        Ok(())
    }
}
