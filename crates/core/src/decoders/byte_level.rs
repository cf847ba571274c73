//! From the byte alphabet back to text.

use super::{DecodeToken, Decoder};
use crate::error::Result;
use crate::steps;
use crate::text::byte_alphabet::push_bytes;
use crate::text::byte_level::ByteLevelSettings;
use serde::{Deserialize, Serialize};

/// Reads each token as bytes of the byte alphabet and joins them to one text; bytes that are not UTF-8 become U+FFFD.
///
/// A token with a letter outside the alphabet stands for itself, and so does an added token, which never went through the
/// alphabet. None of the settings matters.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ByteLevel(pub ByteLevelSettings);

impl Decoder for ByteLevel {
    fn decode_tokens<'a>(&self, tokens: Vec<DecodeToken<'a>>) -> Result<Vec<DecodeToken<'a>>> {
        let mut bytes = Vec::with_capacity(tokens.iter().map(|token| token.text.len()).sum());
        for token in &tokens {
            steps::count(token.text.len());
            if token.is_added || !push_bytes(&token.text, &mut bytes) {
                bytes.extend_from_slice(token.text.as_bytes());
            }
        }
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(e) => String::from_utf8_lossy(e.as_bytes()).into_owned(),
        };
        Ok(vec![DecodeToken::ordinary(text)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_several_tokens_make_one_character() -> Result<()> {
        let decode =
            |tokens: &[&str]| ByteLevel::default().decode_chain(tokens.iter().map(ToString::to_string).collect());
        assert_eq!(decode(&["Ã", "©", "Ġx"])?, ["é x"]);
        assert_eq!(decode(&["a", "Ã"])?, ["a\u{fffd}"]);
        assert_eq!(decode(&["中", "Ġ"])?, ["中 "]);
        assert_eq!(decode(&[])?, [""]);
        Ok(())
    }

    #[test]
    fn added_tokens_come_out_as_they_were_added() -> Result<()> {
        let tokens = vec![DecodeToken::ordinary("aĠ"), DecodeToken::added("đem"), DecodeToken::ordinary("Ġb")];
        assert_eq!(ByteLevel::default().decode(tokens)?, "a đem b");
        Ok(())
    }
}
