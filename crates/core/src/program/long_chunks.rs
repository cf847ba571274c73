//! The chunks that fit no slot of the cache: long ones, and those of many tokens.
//!
//! All bytes lie in one arena and all tokens in another, so that an entry costs no allocation. When they hold as much as is
//! allowed, all is forgotten at once.

use super::cache::ChunkToken;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Most bytes of chunks and their tokens.
const MOST_BYTES: usize = 32 << 20;
/// A longer chunk is not worth the room: it hardly comes twice.
const LONGEST: usize = 1 << 16;
const HASHER: FixedState = FixedState::with_seed(0x6368_756e);

/// Chunks and their tokens.
#[derive(Debug, Default)]
pub(super) struct LongTable {
    table: HashTable<Entry>,
    bytes: Vec<u8>,
    tokens: Vec<ChunkToken>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u64,
    start: u32,
    end: u32,
    first_token: u32,
    last_token: u32,
    completed: u32,
    flags: u8,
}

/// What is known of a chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct LongEntry<'a> {
    pub(super) tokens: &'a [ChunkToken],
    /// Number of words that it completes.
    pub(super) completed: u32,
}

fn hash(flags: u8, chunk: &[u8]) -> u64 {
    HASHER.hash_one((flags, chunk))
}

impl LongTable {
    pub(super) fn get(&self, flags: u8, chunk: &[u8]) -> Option<LongEntry<'_>> {
        let hash = hash(flags, chunk);
        let found = self.table.find(hash, |e| {
            e.hash == hash && e.flags == flags && self.bytes[e.start as usize..e.end as usize] == *chunk
        })?;
        let tokens = &self.tokens[found.first_token as usize..found.last_token as usize];
        Some(LongEntry { tokens, completed: found.completed })
    }

    pub(super) fn insert(&mut self, flags: u8, chunk: &[u8], tokens: &[ChunkToken], completed: u32) {
        if chunk.len() > LONGEST {
            return;
        }
        let held = self.bytes.len() + size_of_val(self.tokens.as_slice()) + self.table.len() * size_of::<Entry>();
        if held + chunk.len() + size_of_val(tokens) > MOST_BYTES {
            *self = Self::default();
        }
        let (start, first_token) = (self.bytes.len() as u32, self.tokens.len() as u32);
        self.bytes.extend_from_slice(chunk);
        self.tokens.extend_from_slice(tokens);
        let (end, last_token) = (self.bytes.len() as u32, self.tokens.len() as u32);
        let hash = hash(flags, chunk);
        let entry = Entry { hash, start, end, first_token, last_token, completed, flags };
        self.table.insert_unique(hash, entry, |e| e.hash);
    }
}
