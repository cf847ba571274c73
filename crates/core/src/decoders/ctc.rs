//! Connectionist temporal classification: the output of speech models.

use super::word_piece::clean_up;
use super::{DecodeToken, Decoder};
use crate::error::Result;
use crate::steps;
use serde::{Deserialize, Serialize};

/// Drops repeated tokens and padding, and writes a blank for each word delimiter.
///
/// Source: Graves et al. 2006, the map B of section 3.1.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CTC {
    /// The blank label, dropped wherever it stands.
    pub pad_token: String,
    /// What stands between words.
    pub word_delimiter_token: String,
    /// Whether delimiters become blanks and punctuation is joined to what precedes it.
    pub cleanup: bool,
}

impl Default for CTC {
    fn default() -> Self {
        Self { pad_token: "<pad>".to_owned(), word_delimiter_token: "|".to_owned(), cleanup: true }
    }
}

impl Decoder for CTC {
    fn decode_tokens<'a>(&self, mut tokens: Vec<DecodeToken<'a>>) -> Result<Vec<DecodeToken<'a>>> {
        tokens.dedup_by(|next, token| next.text == token.text);
        tokens.retain_mut(|token| {
            steps::count(token.text.len());
            if token.text.contains(&self.pad_token) {
                token.text = token.text.replace(&self.pad_token, "").into();
            }
            if self.cleanup {
                token.text = clean_up(std::mem::take(&mut token.text));
                if token.text.contains(&self.word_delimiter_token) {
                    token.text = token.text.replace(&self.word_delimiter_token, " ").into();
                }
            }
            !token.text.is_empty()
        });
        Ok(tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_and_padding_are_dropped() -> Result<()> {
        let tokens = || "<pad> <pad> h e e l l <pad> l o o o <pad> | | w".split(' ').map(str::to_owned).collect();
        assert_eq!(CTC::default().decode_chain(tokens())?, ["h", "e", "l", "l", "o", " ", "w"]);
        let plain = CTC { cleanup: false, ..CTC::default() };
        assert_eq!(plain.decode_chain(tokens())?.concat(), "hello|w");
        Ok(())
    }
}
