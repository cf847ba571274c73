//! A vocabulary: token ↔ id, in one arena of text.

use crate::component::AppendTo;
use crate::steps;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::hash::BuildHasher;

const HASHER: FixedState = FixedState::with_seed(0x7069_6563);

/// Ids denser than one in this many slots are looked up in an array, sparser ones in a map.
const DENSE: usize = 8;

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    end: u32,
    id: u32,
}

#[derive(Clone, Debug)]
enum ById {
    /// Index of the entry with this id, plus one; 0 where there is none.
    Dense(Vec<u32>),
    Sparse(HashMap<u32, u32, FixedState>),
}

/// A map from tokens to ids and back. Ids may have holes; two tokens may share an id (the later one is found by the id).
#[derive(Clone, Debug)]
pub struct Vocabulary {
    arena: String,
    entries: Vec<Entry>,
    table: HashTable<u32>,
    by_id: ById,
    end: u64,
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self::builder(0, 0).build()
    }
}

impl Vocabulary {
    /// Start a vocabulary of about `entries` tokens with `bytes` bytes of text in all.
    pub fn builder(entries: usize, bytes: usize) -> VocabularyBuilder {
        VocabularyBuilder {
            arena: String::with_capacity(bytes),
            entries: Vec::with_capacity(entries),
            table: HashTable::with_capacity(entries),
        }
    }

    /// The id of a token.
    pub fn id(&self, token: &str) -> Option<u32> {
        steps::count(token.len());
        let hash = HASHER.hash_one(token.as_bytes());
        let found = self.table.find(hash, |&i| self.text(self.entries[i as usize]) == token)?;
        Some(self.entries[*found as usize].id)
    }

    /// The token of an id.
    pub fn token(&self, id: u32) -> Option<&str> {
        let index = match &self.by_id {
            ById::Dense(slots) => slots.get(id as usize)?.checked_sub(1)?,
            ById::Sparse(map) => *map.get(&id)?,
        };
        Some(self.text(self.entries[index as usize]))
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no token.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// One past the largest id; 0 when empty.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// All tokens with their ids, in the order in which they were added.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, u32)> {
        self.entries.iter().map(|e| (self.text(*e), e.id))
    }

    /// All tokens with their ids, by id; of tokens with one id only the one that the id finds.
    pub fn by_id(&self) -> Vec<(&str, u32)> {
        let mut order: Vec<(u32, u32)> = self.entries.iter().enumerate().map(|(i, e)| (e.id, i as u32)).collect();
        order.sort_unstable_by_key(|&(id, index)| (id, std::cmp::Reverse(index)));
        order.dedup_by_key(|pair| pair.0);
        order.into_iter().map(|(id, index)| (self.text(self.entries[index as usize]), id)).collect()
    }

    fn text(&self, entry: Entry) -> &str {
        &self.arena[entry.start as usize..entry.end as usize]
    }
}

/// See [`Vocabulary::builder`].
#[derive(Debug)]
pub struct VocabularyBuilder {
    arena: String,
    entries: Vec<Entry>,
    table: HashTable<u32>,
}

impl VocabularyBuilder {
    /// Add a token, or give it another id if it is there already.
    pub fn insert(&mut self, token: &str, id: u32) {
        let hash = HASHER.hash_one(token.as_bytes());
        let Self { arena, entries, table } = self;
        let text = |e: Entry| &arena.as_bytes()[e.start as usize..e.end as usize];
        if let Some(&at) = table.find(hash, |&i| text(entries[i as usize]) == token.as_bytes()) {
            entries[at as usize].id = id;
            return;
        }
        let index = entries.len() as u32;
        entries.push(Entry { start: arena.len() as u32, end: (arena.len() + token.len()) as u32, id });
        arena.push_str(token);
        table.insert_unique(hash, index, |&i| {
            let e = entries[i as usize];
            HASHER.hash_one(&arena.as_bytes()[e.start as usize..e.end as usize])
        });
    }

    /// Add a token with an id of its own, also if it is there already: the token then finds the new id, while the old id still
    /// finds the token.
    pub fn append(&mut self, token: &str, id: u32) {
        let hash = HASHER.hash_one(token.as_bytes());
        let Self { arena, entries, table } = self;
        let text = |e: Entry| &arena.as_bytes()[e.start as usize..e.end as usize];
        match table.find_mut(hash, |&i| text(entries[i as usize]) == token.as_bytes()) {
            Some(at) => {
                let twin = Entry { id, ..entries[*at as usize] };
                *at = entries.len() as u32;
                entries.push(twin);
            }
            None => self.insert(token, id),
        }
    }

    /// Finish: the way from ids to tokens is made here.
    pub fn build(self) -> Vocabulary {
        let Self { arena, entries, table } = self;
        let end = entries.iter().map(|e| u64::from(e.id) + 1).max().unwrap_or(0);
        let by_id = if end as usize <= entries.len() * DENSE + 1024 {
            let mut slots = vec![0; end as usize];
            for (i, e) in entries.iter().enumerate() {
                if let Some(slot) = slots.get_mut(e.id as usize) {
                    *slot = i as u32 + 1;
                }
            }
            ById::Dense(slots)
        } else {
            let mut map = HashMap::with_capacity_and_hasher(entries.len(), HASHER);
            map.extend(entries.iter().enumerate().map(|(i, e)| (e.id, i as u32)));
            ById::Sparse(map)
        };
        Vocabulary { arena, entries, table, by_id, end }
    }
}

impl<S: AsRef<str>> FromIterator<(S, u32)> for Vocabulary {
    fn from_iter<I: IntoIterator<Item = (S, u32)>>(pairs: I) -> Self {
        let mut builder = Self::builder(0, 0);
        for (token, id) in pairs {
            builder.insert(token.as_ref(), id);
        }
        builder.build()
    }
}

impl Serialize for Vocabulary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let order = self.by_id();
        let mut map = serializer.serialize_map(Some(order.len()))?;
        for (token, id) in order {
            map.serialize_entry(token, &id)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Vocabulary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Vocabulary;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of token to id")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vocabulary, A::Error> {
                let mut builder = Vocabulary::builder(map.size_hint().unwrap_or(0), 0);
                let mut token = String::new();
                while map.next_key_seed(AppendTo(&mut token))?.is_some() {
                    builder.insert(&token, map.next_value()?);
                    token.clear();
                    if builder.arena.len() > u32::MAX as usize / 2 {
                        return Err(A::Error::custom("the vocabulary holds over 2 GiB of text"));
                    }
                }
                Ok(builder.build())
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_shared_ids_and_far_ids() {
        let vocab: Vocabulary = [("a", 0), ("b", 7), ("c", 7), ("a", 3)].into_iter().collect();
        assert_eq!(vocab.id("a"), Some(3));
        assert_eq!(vocab.token(7), Some("c"));
        assert_eq!(vocab.token(0), None);
        assert_eq!(vocab.by_id(), [("a", 3), ("c", 7)]);
        let mut builder = Vocabulary::builder(0, 0);
        for (id, token) in ["a", "b", "a"].into_iter().enumerate() {
            builder.append(token, id as u32);
        }
        let repeated = builder.build();
        assert_eq!(repeated.id("a"), Some(2));
        assert_eq!(repeated.by_id(), [("a", 0), ("b", 1), ("a", 2)]);
        let far: Vocabulary = [("a", u32::MAX - 1)].into_iter().collect();
        assert_eq!(far.token(u32::MAX - 1), Some("a"));
    }
}
