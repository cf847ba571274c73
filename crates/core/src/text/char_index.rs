//! From places in bytes to places in code points.

use super::{ByteSpan, CharSpan};

/// Which code point each byte of a text belongs to. Eight bytes of text cost eight bytes; a look-up costs one access.
#[derive(Clone, Debug, Default)]
pub struct CharIndex {
    blocks: Vec<Block>,
}

/// Eight bytes of text.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// Characters that start before the block.
    before: u32,
    /// For each byte of the block, four bits: the characters that start in the block up to and with the byte.
    within: u32,
}

impl CharIndex {
    /// Make it the index of another text.
    pub fn renew(&mut self, text: &str) {
        let (blocks, rest) = text.as_bytes().as_chunks::<8>();
        // What stands behind the text counts as the start of a character.
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let mut before = 0;
        self.blocks.clear();
        self.blocks.extend(blocks.iter().chain([&last]).map(|bytes| {
            let within = counts(u64::from_le_bytes(*bytes));
            let block = Block { before, within };
            before += within >> 28;
            block
        }));
    }

    /// From spans in bytes to spans in code points. Where one starts or ends within a character it covers the whole of it.
    #[inline]
    pub fn chars(&self) -> impl Fn(&ByteSpan) -> CharSpan {
        let blocks = Blocks(&self.blocks);
        move |span| CharSpan::new(blocks.char_of(span.start), blocks.chars_before(span.end))
    }
}

/// The index as a slice, which a loop that writes elsewhere need not look up again for every span.
#[derive(Clone, Copy)]
struct Blocks<'a>(&'a [Block]);

impl Blocks<'_> {
    /// The character that byte `at` belongs to, counted from 0; at the length of the text, the number of characters.
    #[inline]
    fn char_of(self, at: u32) -> u32 {
        let Block { before, within } = self.0[(at >> 3) as usize];
        (before + (within >> ((at & 7) * 4) & 15)).wrapping_sub(1)
    }

    /// Number of characters that start before byte `at`, which is at most the length of the text.
    #[inline]
    fn chars_before(self, at: u32) -> u32 {
        let Block { before, within } = self.0[(at >> 3) as usize];
        before + (within << 4 >> ((at & 7) * 4) & 15)
    }
}

/// For each of eight bytes, four bits: the characters that start up to and with the byte.
#[inline]
fn counts(bytes: u64) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // 10xxxxxx is the only form of a byte that starts no character.
    let continues = bytes >> 7 & !(bytes >> 6) & ONES;
    let starts = continues ^ ONES;
    // From a byte to four bits each; then the sums, by one multiplication.
    let pairs = (starts | starts >> 4) & 0x00ff_00ff_00ff_00ff;
    let quads = (pairs | pairs >> 8) & 0x0000_ffff_0000_ffff;
    ((quads | quads >> 16) as u32).wrapping_mul(0x1111_1111)
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn is_what_counting_gives(text: String) {
            let mut index = CharIndex::default();
            index.renew("something else before it");
            index.renew(&text);
            for at in 0..=text.len() {
                let before = text.char_indices().filter(|(i, _)| *i < at).count();
                let index = Blocks(&index.blocks);
                assert_eq!(index.chars_before(at as u32) as usize, before, "byte {at}");
                let inside = usize::from(!text.is_char_boundary(at));
                assert_eq!(index.char_of(at as u32) as usize, before - inside, "byte {at}");
            }
        }
    }
}
