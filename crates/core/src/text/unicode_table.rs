//! A byte of facts for every character, worked out a block at a time when a text first needs it.

use std::sync::OnceLock;

/// Characters in a block.
const BLOCK: usize = 256;
/// Blocks of Unicode.
const BLOCKS: usize = 0x11_0000 / BLOCK;

/// A table over all characters. Only the blocks that texts touch are ever filled, so it costs nothing at start.
pub struct LazyTable {
    fill: fn(char) -> u8,
    blocks: [OnceLock<Box<[u8; BLOCK]>>; BLOCKS],
}

impl LazyTable {
    #[expect(clippy::large_stack_arrays, reason = "tables are statics, so this runs in the compiler")]
    /// A table of what `fill` says of each character.
    pub const fn new(fill: fn(char) -> u8) -> Self {
        Self { fill, blocks: [const { OnceLock::new() }; BLOCKS] }
    }

    /// What is known of a character.
    #[inline]
    pub fn get(&self, c: char) -> u8 {
        let code = c as usize;
        match self.blocks[code / BLOCK].get() {
            Some(block) => block[code % BLOCK],
            None => self.filled(code / BLOCK)[code % BLOCK],
        }
    }

    #[cold]
    fn filled(&self, block: usize) -> &[u8; BLOCK] {
        self.blocks[block].get_or_init(|| {
            let mut facts = Box::new([0; BLOCK]);
            for (at, fact) in facts.iter_mut().enumerate() {
                // A surrogate is no character, and no text holds one.
                *fact = char::from_u32((block * BLOCK + at) as u32).map_or(0, self.fill);
            }
            facts
        })
    }
}

impl std::fmt::Debug for LazyTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let filled = self.blocks.iter().filter(|block| block.get().is_some()).count();
        f.debug_struct("LazyTable").field("filled", &filled).finish_non_exhaustive()
    }
}
