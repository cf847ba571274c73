//! Reading a Unigram model from `tokenizer.json`, in one pass over the text.
//!
//! The scores have to be those of the reference to the last bit: rounding decides between paths of the same entries in another
//! order (runs of one character). The reference reads numbers with two roundings, which is why `serde_json` is used without
//! its feature `float_roundtrip`; a test holds that.

use super::{Unigram, UnigramOptions, Vocabulary};
use crate::component::{self, AppendTo};
use crate::error::Result;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

struct Entries {
    vocabulary: Vocabulary,
    scores: Vec<f64>,
}

/// Reads one `[token, score]`; the token goes to the end of the string.
struct EntrySeed<'a>(&'a mut String);

impl<'de> serde::de::DeserializeSeed<'de> for EntrySeed<'_> {
    type Value = f64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<f64, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for EntrySeed<'_> {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a pair of token and score")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut pair: A) -> std::result::Result<f64, A::Error> {
        pair.next_element_seed(AppendTo(self.0))?
            .ok_or_else(|| A::Error::invalid_length(0, &"a pair of token and score"))?;
        let score = pair.next_element()?.ok_or_else(|| A::Error::invalid_length(1, &"a pair of token and score"))?;
        match pair.next_element::<serde::de::IgnoredAny>()? {
            None => Ok(score),
            Some(_) => Err(A::Error::invalid_length(3, &"a pair of token and score")),
        }
    }
}

struct EntryList;

impl<'de> Visitor<'de> for EntryList {
    type Value = Entries;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of pairs of token and score")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Entries, A::Error> {
        let mut builder = Vocabulary::builder(0, 0);
        let mut scores = Vec::new();
        let mut token = String::new();
        let mut bytes = 0;
        while let Some(score) = list.next_element_seed(EntrySeed(&mut token))? {
            builder.append(&token, scores.len() as u32);
            scores.push(score);
            bytes += token.len();
            token.clear();
            if bytes > u32::MAX as usize / 2 {
                return Err(A::Error::custom("the vocabulary holds over 2 GiB of text"));
            }
        }
        Ok(Entries { vocabulary: builder.build(), scores })
    }
}

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_seq(EntryList)
    }
}

#[derive(Deserialize)]
struct Fields {
    #[serde(default)]
    unk_id: Option<u32>,
    vocab: Entries,
    #[serde(default)]
    byte_fallback: bool,
}

impl Unigram {
    /// Parse a model from its JSON.
    ///
    /// # Errors
    /// `Error::Spec` with the path below the model: a missing key, a wrong type, an `unk_id` that is no id.
    pub fn parse(json: &RawValue) -> Result<Self> {
        let Fields { unk_id, vocab: Entries { vocabulary, scores }, byte_fallback } = component::parse_part(json)?;
        let options = UnigramOptions { unk_id, byte_fallback, ..UnigramOptions::default() };
        Self::from_vocabulary(vocabulary, scores, options)
    }
}
