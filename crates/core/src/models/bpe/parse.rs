//! Reading a BPE model from `tokenizer.json`, in one pass over the text.

use super::{Bpe, BpeOptions, Vocabulary};
use crate::component;
use crate::error::{Error, Result};
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// All merges as pairs of ranges into one arena.
#[derive(Default)]
struct Merges {
    arena: String,
    /// Ends of the left and the right part; a pair starts where the one before ends.
    ends: Vec<(u32, u32)>,
}

impl Merges {
    fn push(&mut self, left: &str, right: &str) {
        self.arena.push_str(left);
        let middle = self.arena.len() as u32;
        self.arena.push_str(right);
        self.ends.push((middle, self.arena.len() as u32));
    }

    fn pairs(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        let mut start = 0;
        self.ends.iter().map(move |&(middle, end)| {
            let pair = (&self.arena[start as usize..middle as usize], &self.arena[middle as usize..end as usize]);
            start = end;
            pair
        })
    }
}

struct MergeList;

impl<'de> Visitor<'de> for MergeList {
    type Value = Merges;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of pairs of tokens")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Merges, A::Error> {
        let mut merges = Merges::default();
        let mut lines = None; // which of the two forms this list has
        while let Some(merge) = list.next_element_seed(MergeSeed(&mut merges, &mut lines))? {
            let () = merge;
        }
        Ok(merges)
    }
}

struct MergeSeed<'a>(&'a mut Merges, &'a mut Option<bool>);

impl<'de> serde::de::DeserializeSeed<'de> for MergeSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for MergeSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a merge: `[\"a\", \"b\"]`, or `\"a b\"` in all of the list")
    }

    fn visit_str<E: serde::de::Error>(self, line: &str) -> std::result::Result<(), E> {
        if *self.1.get_or_insert(true) {
            if line.starts_with("#version") {
                return Ok(());
            }
            match line.split_once(' ') {
                Some((left, right)) if !right.contains(' ') => self.0.push(left, right),
                _ => return Err(E::custom(format!("merge `{line}` does not have exactly one space"))),
            }
            return Ok(());
        }
        Err(E::custom("a merge written as text among merges written as pairs"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut pair: A) -> std::result::Result<(), A::Error> {
        use serde::de::Error as _;
        if *self.1.get_or_insert(false) {
            return Err(A::Error::custom("a merge written as a pair among merges written as text"));
        }
        let Merges { arena, ends } = self.0;
        let left = pair.next_element_seed(component::AppendTo(arena))?;
        let middle = arena.len() as u32;
        let right = pair.next_element_seed(component::AppendTo(arena))?;
        if left.is_none() || right.is_none() || pair.next_element::<serde::de::IgnoredAny>()?.is_some() {
            return Err(A::Error::custom("a merge that does not have exactly two parts"));
        }
        ends.push((middle, arena.len() as u32));
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Merges {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_seq(MergeList)
    }
}

#[derive(Deserialize)]
struct Fields {
    #[serde(flatten)]
    options: BpeOptions,
    vocab: Vocabulary,
    merges: Merges,
}

impl Bpe {
    /// Parse a model from its JSON.
    ///
    /// # Errors
    /// `Error::Spec` with the path below the model: a missing key, a wrong type, a merge that names no token.
    pub fn parse(json: &RawValue) -> Result<Self> {
        let Fields { options, vocab, merges } = component::parse_part(json)?;
        Self::new(vocab, merges.pairs(), options)
    }

    /// Parse the settings alone.
    ///
    /// # Errors
    /// `Error::Spec` with the path of the setting.
    pub fn parse_options(json: &str) -> Result<BpeOptions> {
        serde_json::from_str(json).map_err(|e| Error::spec("", e))
    }
}
