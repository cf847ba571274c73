//! Windows without any special instructions.

use super::Tier;

/// Plain 64-bit arithmetic.
#[derive(Clone, Copy)]
pub(super) struct Portable;

/// A bit for each byte of `word` whose highest bit is set, in order.
fn gather(word: u64) -> u64 {
    (word >> 7 & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

fn by_word(vector: &[u8; 64], test: impl Fn(u64) -> u64) -> u64 {
    let mut mask = 0;
    for (i, chunk) in vector.chunks_exact(8).enumerate() {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        mask |= gather(test(u64::from_le_bytes(word))) << (8 * i);
    }
    mask
}

const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
const EACH: u64 = 0x0101_0101_0101_0101;

/// The highest bit of each byte that is not zero, and nothing else of use.
fn not_zero(word: u64) -> u64 {
    ((word & LOW) + LOW) | word
}

/// The bytes from `at` on, or up to the end of the text and zeros behind it.
#[inline]
pub(super) fn load(bytes: &[u8], at: usize) -> [u8; 64] {
    let rest = &bytes[at..];
    if let Some(whole) = rest.first_chunk() {
        return *whole;
    }
    let mut part = [0; 64];
    part[..rest.len()].copy_from_slice(rest);
    part
}

impl Tier for Portable {
    type Vector = [u8; 64];

    fn load(self, bytes: &[u8], at: usize) -> [u8; 64] {
        load(bytes, at)
    }

    fn vector(self, bytes: &[u8; 64]) -> [u8; 64] {
        *bytes
    }

    fn array(self, vector: [u8; 64]) -> [u8; 64] {
        vector
    }

    fn high(self, vector: [u8; 64]) -> u64 {
        by_word(&vector, |word| word)
    }

    fn having(self, vector: [u8; 64], bits: u8) -> u64 {
        by_word(&vector, |word| not_zero(word & (EACH * u64::from(bits))))
    }

    fn equal(self, vector: [u8; 64], byte: u8) -> u64 {
        by_word(&vector, |word| !not_zero(word ^ (EACH * u64::from(byte))))
    }

    fn look_up(self, vector: [u8; 64], table: &[u8; 128]) -> [u8; 64] {
        vector.map(|byte| table[usize::from(byte & 0x7F)])
    }

    fn extract(self, mask: u64, at: u64) -> u64 {
        let (mut out, mut rest, mut place) = (0, at, 0);
        while rest != 0 {
            out |= (mask >> rest.trailing_zeros() & 1) << place;
            place += 1;
            rest &= rest - 1;
        }
        out
    }

    fn deposit(self, mask: u64, at: u64) -> u64 {
        let (mut out, mut rest, mut place) = (0, at, 0);
        while rest != 0 {
            out |= (mask >> place & 1) << rest.trailing_zeros();
            place += 1;
            rest &= rest - 1;
        }
        out
    }

    fn positions(self, mask: u64, base: u32, out: &mut [u32; 64]) {
        let mut rest = mask;
        for out in out {
            if rest == 0 {
                break;
            }
            *out = base + rest.trailing_zeros();
            rest &= rest - 1;
        }
    }
}
