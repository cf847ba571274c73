//! End-of-word suffixes back to blanks.

use super::{DecodeToken, Decoder};
use crate::error::Result;
use crate::steps;
use serde::{Deserialize, Serialize};

/// Writes a blank for each suffix, and nothing in the last token.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BPEDecoder {
    /// What ends a word.
    pub suffix: String,
}

impl Default for BPEDecoder {
    fn default() -> Self {
        Self { suffix: "</w>".to_owned() }
    }
}

impl Decoder for BPEDecoder {
    fn decode_tokens<'a>(&self, mut tokens: Vec<DecodeToken<'a>>) -> Result<Vec<DecodeToken<'a>>> {
        let count = tokens.len();
        for (at, token) in tokens.iter_mut().enumerate() {
            steps::count(token.text.len());
            if token.text.contains(&self.suffix) {
                let blank = if at + 1 == count { "" } else { " " };
                token.text = token.text.replace(&self.suffix, blank).into();
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
    fn words_are_set_apart() -> Result<()> {
        let decode =
            |tokens: &[&str]| BPEDecoder::default().decode_chain(tokens.iter().map(ToString::to_string).collect());
        assert_eq!(decode(&["hel", "lo</w>", "wor", "ld</w>"])?.concat(), "hello world");
        assert_eq!(decode(&["a</w>b", "</w>", "c</w></w>"])?.concat(), "a b c");
        Ok(())
    }
}
