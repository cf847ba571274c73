//! The growing list of entries.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// Entries by id and ids by text.
#[derive(Default)]
pub(in crate::train) struct Vocabulary {
    tokens: Vec<String>,
    ids: HashTable<u32>,
    hasher: RandomState,
}

impl Vocabulary {
    pub(in crate::train) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The text of an entry that exists.
    pub(in crate::train) fn token(&self, id: u32) -> &str {
        &self.tokens[id as usize]
    }

    pub(in crate::train) fn id(&self, token: &str) -> Option<u32> {
        self.ids.find(self.hasher.hash_one(token), |&id| self.tokens[id as usize] == token).copied()
    }

    /// The id of `token`, the next free one if it is new.
    pub(in crate::train) fn intern(&mut self, token: &str) -> u32 {
        let Self { tokens, ids, hasher } = self;
        let entry = ids.entry(
            hasher.hash_one(token),
            |&id| tokens[id as usize] == token,
            |&id| hasher.hash_one(tokens[id as usize].as_str()),
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(entry) => *entry.get(),
            hashbrown::hash_table::Entry::Vacant(entry) => {
                let id = tokens.len() as u32;
                entry.insert(id);
                tokens.push(token.to_owned());
                id
            }
        }
    }

    pub(in crate::train) fn into_tokens(self) -> Vec<String> {
        self.tokens
    }
}
