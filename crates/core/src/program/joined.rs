//! Which characters BPE may join: where no pre-tokenizer cuts, a piece may still be cut between two that no token holds side by side.

use super::cuts::Side;
use crate::models::Model;
use crate::models::bpe::Bpe;
use foldhash::fast::FixedState;
use hashbrown::HashSet;

/// The characters of a vocabulary that stand side by side in an entry.
#[derive(Debug)]
pub(super) struct Joined {
    pairs: HashSet<(char, char), FixedState>,
    /// The first characters of these pairs, and the second ones, by [`Side`].
    sides: [HashSet<char, FixedState>; 2],
    /// Characters that are entries themselves.
    tokens: HashSet<char, FixedState>,
    /// Whether other characters are spelled by bytes that no merge holds.
    spelled_apart: bool,
}

/// What matters of a character at one side of a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Joins {
    /// It may be joined with anything.
    Anything,
    /// With nothing.
    Nothing,
    /// With what it stands beside in an entry.
    Listed,
}

impl Joined {
    /// `None` where a part of a piece does not become what it becomes within the whole.
    pub(super) fn new(bpe: &Bpe) -> Option<Self> {
        // A whole piece that is looked up as it is cannot be looked up in parts.
        if !bpe.is_plain() || bpe.options().ignore_merges {
            return None;
        }
        // Merges go by ids: of two entries with one id the text of either says what is joined with what.
        let mut ids: Vec<u32> = bpe.vocabulary().iter().map(|(_, id)| id).collect();
        ids.sort_unstable();
        if ids.windows(2).any(|pair| pair[0] == pair[1]) {
            return None;
        }
        // Behind a character that is dropped all spans of the piece are moved, not only those of its part.
        let bytes = bpe.options().byte_fallback.then(|| (0..=255).map(|b| bpe.byte_id(b)).collect::<Option<Vec<_>>>());
        let bytes = bytes.flatten();
        if bpe.options().unk_token.is_none() && bytes.is_none() {
            return None;
        }
        let spelled_apart = bytes.is_some_and(|mut bytes| {
            bytes.sort_unstable();
            let is_byte = |id: u32| bytes.binary_search(&id).is_ok();
            !bpe.merges().iter().any(|(a, b)| is_byte(*a) || is_byte(*b))
        });
        let mut joined =
            Self { pairs: HashSet::default(), sides: Default::default(), tokens: HashSet::default(), spelled_apart };
        for (token, _) in bpe.vocabulary().iter() {
            let mut chars = token.chars();
            let Some(mut last) = chars.next() else { continue };
            if chars.as_str().is_empty() {
                joined.tokens.insert(last);
            }
            for c in chars {
                joined.pairs.insert((last, c));
                joined.sides[Side::Before as usize].insert(last);
                joined.sides[Side::Behind as usize].insert(c);
                last = c;
            }
        }
        Some(joined)
    }

    /// What matters of a character at one side of a place.
    pub(super) fn joins(&self, c: char, side: Side) -> Joins {
        match self.tokens.contains(&c) {
            true if self.sides[side as usize].contains(&c) => Joins::Listed,
            true => Joins::Nothing,
            false if self.spelled_apart => Joins::Nothing,
            // Unknowns are joined with their neighbours, and bytes may have merges of their own.
            false => Joins::Anything,
        }
    }

    /// Whether nothing is ever joined across a place between these two.
    pub(super) fn allows(&self, a: char, b: char) -> bool {
        match (self.joins(a, Side::Before), self.joins(b, Side::Behind)) {
            (Joins::Anything, _) | (_, Joins::Anything) => false,
            (Joins::Listed, Joins::Listed) => !self.pairs.contains(&(a, b)),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::AnyModel;
    use serde_json::json;
    use serde_json::value::to_raw_value;

    fn joined(merge: [&str; 2]) -> Joined {
        let bytes = (0..=255u8).map(|b| (format!("<0x{b:02X}>"), json!(b)));
        let mut vocab: serde_json::Map<_, _> = bytes.collect();
        for (token, id) in [("a", 256), ("b", 257), (&merge.concat(), 258)] {
            vocab.insert(token.to_owned(), json!(id));
        }
        let model = json!({"type": "BPE", "byte_fallback": true, "vocab": vocab, "merges": [merge]});
        let AnyModel::BPE(bpe) = AnyModel::parse(&to_raw_value(&model).unwrap()).unwrap() else {
            unreachable!("it says so")
        };
        Joined::new(&bpe).unwrap()
    }

    #[test]
    fn what_is_spelled_by_bytes_is_joined_only_if_merges_hold_some() {
        let apart = joined(["a", "b"]);
        assert!(apart.allows('中', '文') && apart.allows('a', '中') && apart.allows('b', 'a'));
        assert!(!apart.allows('a', 'b'));
        let merged = joined(["<0xAD>", "<0xE6>"]);
        assert!(!merged.allows('中', '文') && !merged.allows('a', '中'));
        assert!(merged.allows('a', 'b'));
    }
}
