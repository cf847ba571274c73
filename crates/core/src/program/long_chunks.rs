//! Where the records of long chunks are: a table from their bytes to places.

use super::cache::ChunkToken;
use super::records::{Place, Record, Records};
use crate::memory::{prefer_large_pages, prefetch};
use foldhash::fast::FixedState;
use std::hash::{BuildHasher, Hasher};

/// Slots of a new table, and of the largest one (16 MiB).
const FIRST_SLOTS: usize = 1 << 10;
const MOST_SLOTS: usize = 1 << 20;
/// Slots looked at before one is evicted.
const PROBES: usize = 8;
const HASHER: FixedState = FixedState::with_seed(0x6368_756e);

/// The hash of a chunk and of what its tokens depend on beside its bytes.
#[inline]
pub(super) fn hash(flags: u8, chunk: &[u8]) -> u32 {
    let mut hasher = HASHER.build_hasher();
    hasher.write_u8(flags);
    hasher.write(chunk);
    (hasher.finish() >> 32) as u32
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    hash: u32,
    place: Place,
    /// Bytes of the chunk; 0 where the slot is free.
    length: u16,
    flags: u8,
}

/// See the module. The table is bounded; what is evicted is encoded again when it comes back.
#[derive(Debug)]
pub(super) struct LongTable {
    slots: Vec<Slot>,
    used: usize,
}

impl LongTable {
    pub(super) fn new() -> Self {
        Self { slots: vec![Slot::default(); FIRST_SLOTS], used: 0 }
    }

    fn probes(&self, hash: u32) -> impl Iterator<Item = usize> + use<> {
        let mask = self.slots.len() - 1;
        (0..PROBES).map(move |i| (hash as usize).wrapping_add(i) & mask)
    }

    fn first(&self, hash: u32) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    /// Ask for the cache line that the slot of a chunk would be in.
    #[inline]
    pub(super) fn prefetch(&self, hash: u32) {
        prefetch(&self.slots[self.first(hash)..]);
    }

    /// Ask for the record of a chunk, if it has the slot that its hash leads to.
    #[inline]
    pub(super) fn prefetch_record(&self, hash: u32, records: &Records) {
        let slot = &self.slots[self.first(hash)];
        if slot.hash == hash {
            records.prefetch(slot.place);
        }
    }

    pub(super) fn get<'a>(&self, flags: u8, chunk: &[u8], hash: u32, records: &'a Records) -> Option<Record<'a>> {
        for at in self.probes(hash) {
            let slot = &self.slots[at];
            if slot.length == 0 {
                return None;
            }
            if slot.hash == hash
                && slot.flags == flags
                && slot.length as usize == chunk.len()
                && let Some(record) = records.get(slot.place, chunk)
            {
                return Some(record);
            }
        }
        None
    }

    pub(super) fn insert(
        &mut self,
        flags: u8,
        chunk: &[u8],
        hash: u32,
        tokens: &[ChunkToken],
        completed: u32,
        records: &mut Records,
    ) {
        let Ok(length @ 1..) = u16::try_from(chunk.len()) else { return };
        let Some(place) = records.push(chunk, tokens, completed) else { return };
        if self.used * 2 >= self.slots.len() && self.slots.len() < MOST_SLOTS {
            self.grow(records);
        }
        self.put(Slot { hash, place, length, flags }, records);
    }

    fn grow(&mut self, records: &Records) {
        let size = self.slots.len() * 4;
        let mut larger = Vec::with_capacity(size);
        prefer_large_pages(&mut larger);
        larger.resize(size, Slot::default());
        let old = std::mem::replace(&mut self.slots, larger);
        self.used = 0;
        for slot in old.into_iter().filter(|s| s.length != 0 && records.holds(s.place)) {
            self.put(slot, records);
        }
    }

    fn put(&mut self, slot: Slot, records: &Records) {
        let is_free = |at: &usize| self.slots[*at].length == 0 || !records.holds(self.slots[*at].place);
        let free = self.probes(slot.hash).find(is_free);
        // Where all are taken one goes that the hash picks: as good as any, and repeatable.
        let picked = slot.hash.wrapping_add(slot.hash >> 29);
        let at = free.unwrap_or_else(|| self.first(picked));
        self.used += usize::from(self.slots[at].length == 0);
        self.slots[at] = slot;
    }
}
