//! WordPiece: from the left, always the longest entry of the vocabulary.
//!
//! Source: Schuster and Nakajima 2012, "Japanese and Korean Voice Search"; the greedy longest match is that of Devlin et al.
//! 2019 (BERT). An entry with the continuing prefix stands for text that does not begin the piece.

mod trie;

use self::trie::EntryTrie;
use super::vocabulary::Vocabulary;
use super::{Model, ModelScratch, Token, quoted, shown};
use crate::component;
use crate::error::{Error, Result};
use crate::text::ByteSpan;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use std::sync::Arc;

/// The settings of a [`WordPiece`] that can be changed without touching its vocabulary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordPieceOptions {
    /// Stands for pieces that entries of the vocabulary cannot make up.
    pub unk_token: String,
    /// In front of entries that continue a piece.
    pub continuing_subword_prefix: String,
    /// Longest piece that is looked at, in characters; a longer one is unknown.
    pub max_input_chars_per_word: usize,
}

impl Default for WordPieceOptions {
    fn default() -> Self {
        Self { unk_token: "[UNK]".into(), continuing_subword_prefix: "##".into(), max_input_chars_per_word: 100 }
    }
}

#[derive(Debug, Default)]
struct Tables {
    vocabulary: Vocabulary,
    trie: EntryTrie,
    /// Whether tokens share an id, so that the id alone does not say what to show.
    shares_ids: bool,
}

/// A WordPiece model. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct WordPiece {
    tables: Arc<Tables>,
    options: WordPieceOptions,
    unk_id: Option<u32>,
    /// Where the continuing prefix ends in the trie, if an entry has it.
    continuing: Option<u32>,
}

#[derive(Deserialize)]
struct Fields {
    #[serde(flatten)]
    options: WordPieceOptions,
    vocab: Vocabulary,
}

impl WordPiece {
    /// Build a model from its vocabulary.
    pub fn new(vocabulary: Vocabulary, options: WordPieceOptions) -> Self {
        let trie = EntryTrie::new(&vocabulary);
        let shares_ids = vocabulary.iter().any(|(token, id)| vocabulary.token(id) != Some(token));
        Self { tables: Arc::new(Tables { vocabulary, trie, shares_ids }), ..Self::default() }.with_options(options)
    }

    /// The same vocabulary with other settings.
    #[must_use]
    pub fn with_options(&self, options: WordPieceOptions) -> Self {
        let unk_id = self.tables.vocabulary.id(&options.unk_token);
        let continuing = self.tables.trie.descend(options.continuing_subword_prefix.as_bytes());
        Self { tables: Arc::clone(&self.tables), options, unk_id, continuing }
    }

    /// The settings.
    pub fn options(&self) -> &WordPieceOptions {
        &self.options
    }

    /// Parse a model from its JSON.
    ///
    /// # Errors
    /// `Error::Spec` with the path below the model: a missing key, a wrong type.
    pub fn parse(json: &RawValue) -> Result<Self> {
        let Fields { options, vocab } = component::parse_part(json)?;
        Ok(Self::new(vocab, options))
    }

    fn is_too_long(&self, piece: &str) -> bool {
        let limit = self.options.max_input_chars_per_word;
        piece.len() > limit && piece.chars().count() > limit
    }

    /// Append the longest entries from the left; whether they make up the whole piece. Linear in the piece for a given
    /// vocabulary: no walk is longer than the longest entry.
    fn longest_entries(&self, piece: &str, out: &mut Vec<Token>) -> bool {
        let Tables { trie, .. } = &*self.tables;
        let bytes = piece.as_bytes();
        let mut root = Some(super::trie::ROOT);
        let mut start = 0;
        while start < bytes.len() {
            let Some((length, id)) = root.and_then(|r| trie.longest(r, &bytes[start..])) else { return false };
            out.push(Token { id, span: ByteSpan::new(start as u32, (start + length) as u32), text: None });
            start += length;
            root = self.continuing;
        }
        true
    }

    /// Give the tokens their own text where another token is found by their id.
    fn name_sharers(&self, piece: &str, tokens: &mut [Token]) {
        for token in tokens {
            let prefix = if token.span.start == 0 { "" } else { &self.options.continuing_subword_prefix };
            token.text = shown(&self.tables.vocabulary, token.id, &format!("{prefix}{}", &piece[token.span.range()]));
        }
    }
}

impl Model for WordPiece {
    fn vocabulary(&self) -> &Vocabulary {
        &self.tables.vocabulary
    }

    fn tokenize(&self, piece: &str, _: &mut ModelScratch, out: &mut Vec<Token>) -> Result<()> {
        let before = out.len();
        if !self.is_too_long(piece) && self.longest_entries(piece, out) {
            if self.tables.shares_ids {
                self.name_sharers(piece, &mut out[before..]);
            }
            return Ok(());
        }
        out.truncate(before);
        let unk_token = &self.options.unk_token;
        let Some(id) = self.unk_id else {
            let reason = format!(
                "no entries of the vocabulary make up {}, and the unk_token `{unk_token}` that would stand for it is missing",
                quoted(piece)
            );
            return Err(Error::Encode(reason));
        };
        let text = shown(&self.tables.vocabulary, id, unk_token);
        out.push(Token { id, span: ByteSpan::new(0, piece.len() as u32), text });
        Ok(())
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

impl Serialize for WordPiece {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written<'a> {
            r#type: &'static str,
            #[serde(flatten)]
            options: &'a WordPieceOptions,
            vocab: &'a Vocabulary,
        }
        Written { r#type: "WordPiece", options: &self.options, vocab: &self.tables.vocabulary }.serialize(serializer)
    }
}

#[cfg(test)]
mod tests;
