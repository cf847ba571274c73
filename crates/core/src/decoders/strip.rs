//! Take characters away at the ends of tokens.

use super::{DecodeToken, Decoder};
use crate::error::Result;
use crate::steps;
use serde::{Deserialize, Serialize};

/// Takes away up to `start` copies of a character at the start of each token, and up to `stop` at its end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Strip {
    /// The character.
    pub content: char,
    /// How many at most at the start.
    pub start: usize,
    /// How many at most at the end.
    pub stop: usize,
}

impl Default for Strip {
    fn default() -> Self {
        Self { content: ' ', start: 0, stop: 0 }
    }
}

impl Decoder for Strip {
    fn decode_tokens<'a>(&self, mut tokens: Vec<DecodeToken<'a>>) -> Result<Vec<DecodeToken<'a>>> {
        for token in &mut tokens {
            steps::count(token.text.len());
            let mut rest = &*token.text;
            for _ in 0..self.start {
                let Some(less) = rest.strip_prefix(self.content) else { break };
                rest = less;
            }
            for _ in 0..self.stop {
                let Some(less) = rest.strip_suffix(self.content) else { break };
                rest = less;
            }
            if rest.len() < token.text.len() {
                token.text = rest.to_owned().into();
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
    fn at_most_so_many_at_each_end() -> Result<()> {
        let strip =
            |content, start, stop, token: &str| Strip { content, start, stop }.decode_chain(vec![token.to_owned()]);
        assert_eq!(strip('a', 2, 0, "aaab")?, ["ab"]);
        assert_eq!(strip('_', 1, 1, "_x__")?, ["x_"]);
        assert_eq!(strip('H', 1, 0, "Hey")?, ["ey"]);
        assert_eq!(strip(' ', 3, 3, "  ")?, [""]);
        assert_eq!(strip(' ', 1, 1, "")?, [""]);
        Ok(())
    }
}
