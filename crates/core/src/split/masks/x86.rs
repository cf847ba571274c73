//! Windows by the vector instructions of x86-64.
//!
//! The tiers are values that exist only within [`scan_avx2`] and [`scan_avx512`], which are reached only when the processor
//! has what they need: [`Kind::Avx2`] and [`Kind::Avx512`] come from [`available`] alone. All methods are inlined into them.

use super::pairs::{AsciiPairs, Places, windows};
use super::{Kind, Program, Progress, Tier, choose};
#[allow(clippy::wildcard_imports, reason = "instructions are named like nothing else")]
use std::arch::x86_64::*;

/// What this processor has, the best last.
pub(super) fn available() -> Vec<Kind> {
    let mut kinds = Vec::new();
    let basic = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt");
    if basic {
        kinds.push(Kind::Avx2);
    }
    if basic
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
    {
        kinds.push(Kind::Avx512);
    }
    kinds
}

/// [`Program::scan`] by AVX2.
pub(super) fn scan_avx2(program: &Program, bytes: &[u8], from: usize, ends: &mut [u32]) -> Progress {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn inner(program: &Program, bytes: &[u8], from: usize, ends: &mut [u32]) -> Progress {
        choose(Avx2, program, bytes, from, ends)
    }
    // SAFETY: the kind of the program is `Avx2`, which is given only to processors that have these features.
    #[expect(unsafe_code, reason = "vector instructions: six times the speed of the automaton")]
    unsafe {
        inner(program, bytes, from, ends)
    }
}

/// [`Program::scan`] by AVX-512.
pub(super) fn scan_avx512(program: &Program, bytes: &[u8], from: usize, ends: &mut [u32]) -> Progress {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
    fn inner(program: &Program, bytes: &[u8], from: usize, ends: &mut [u32]) -> Progress {
        choose(Avx512, program, bytes, from, ends)
    }
    // SAFETY: the kind of the program is `Avx512`, which is given only to processors that have these features.
    #[expect(unsafe_code, reason = "vector instructions: ten times the speed of the automaton")]
    unsafe {
        inner(program, bytes, from, ends)
    }
}

/// [`AsciiPairs::windows`] by AVX2.
pub(super) fn windows_avx2(pairs: &AsciiPairs, bytes: &[u8], at: usize, out: &mut [Places]) -> usize {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn inner(pairs: &AsciiPairs, bytes: &[u8], at: usize, out: &mut [Places]) -> usize {
        windows(Avx2, pairs, bytes, at, out)
    }
    // SAFETY: the kind of the pairs is `Avx2`, which is given only to processors that have these features.
    #[expect(unsafe_code, reason = "vector instructions: four times the speed of looking at each pair")]
    unsafe {
        inner(pairs, bytes, at, out)
    }
}

/// [`AsciiPairs::windows`] by AVX-512.
pub(super) fn windows_avx512(pairs: &AsciiPairs, bytes: &[u8], at: usize, out: &mut [Places]) -> usize {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
    fn inner(pairs: &AsciiPairs, bytes: &[u8], at: usize, out: &mut [Places]) -> usize {
        windows(Avx512, pairs, bytes, at, out)
    }
    // SAFETY: the kind of the pairs is `Avx512`, which is given only to processors that have these features.
    #[expect(unsafe_code, reason = "vector instructions: six times the speed of looking at each pair")]
    unsafe {
        inner(pairs, bytes, at, out)
    }
}

/// One body for all methods: an unsafe block, always inlined.
macro_rules! instructions {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),*) $(-> $out:ty)? $body:block)+) => {
        $($(#[$doc])*
        #[inline(always)]
        fn $name(self, $($arg: $type),*) $(-> $out)? {
            // SAFETY: the features of the instructions are there, as the head of this file says. Pointers are to arrays
            // or to slices whose length has been checked.
            #[expect(unsafe_code, reason = "vector instructions")]
            unsafe { $body }
        })+
    };
}

#[derive(Clone, Copy)]
struct Avx512;

impl Tier for Avx512 {
    type Vector = __m512i;

    instructions! {
        fn load(bytes: &[u8], at: usize) -> __m512i {
            let rest = &bytes[at..];
            if rest.len() >= 64 {
                _mm512_loadu_si512(rest.as_ptr().cast())
            } else {
                // Bytes outside of the mask are not touched.
                _mm512_maskz_loadu_epi8((1 << rest.len()) - 1, rest.as_ptr().cast())
            }
        }
        fn vector(bytes: &[u8; 64]) -> __m512i {
            _mm512_loadu_si512(bytes.as_ptr().cast())
        }
        fn array(vector: __m512i) -> [u8; 64] {
            let mut out = [0; 64];
            _mm512_storeu_si512(out.as_mut_ptr().cast(), vector);
            out
        }
        fn high(vector: __m512i) -> u64 {
            _mm512_movepi8_mask(vector)
        }
        fn having(vector: __m512i, bits: u8) -> u64 {
            _mm512_test_epi8_mask(vector, _mm512_set1_epi8(bits.cast_signed()))
        }
        fn equal(vector: __m512i, byte: u8) -> u64 {
            _mm512_cmpeq_epi8_mask(vector, _mm512_set1_epi8(byte.cast_signed()))
        }
        fn look_up(vector: __m512i, table: &[u8; 128]) -> __m512i {
            let low = _mm512_loadu_si512(table.as_ptr().cast());
            let high = _mm512_loadu_si512(table[64..].as_ptr().cast());
            _mm512_permutex2var_epi8(low, vector, high)
        }
        fn extract(mask: u64, at: u64) -> u64 {
            _pext_u64(mask, at)
        }
        fn deposit(mask: u64, at: u64) -> u64 {
            _pdep_u64(mask, at)
        }
        fn positions(mask: u64, base: u32, out: &mut [u32; 64]) {
            const PLACES: [u8; 64] = {
                let mut places = [0; 64];
                let mut i = 0;
                while i < 64 {
                    places[i] = i as u8;
                    i += 1;
                }
                places
            };
            let places = _mm512_maskz_compress_epi8(mask, _mm512_loadu_si512(PLACES.as_ptr().cast()));
            let base = _mm512_set1_epi32(base.cast_signed());
            let out = out.as_mut_ptr();
            let wide = |part: __m128i, to: usize| {
                _mm512_storeu_si512(out.add(to).cast(), _mm512_add_epi32(_mm512_cvtepu8_epi32(part), base));
            };
            wide(_mm512_castsi512_si128(places), 0);
            if mask.count_ones() > 16 {
                wide(_mm512_extracti32x4_epi32::<1>(places), 16);
                if mask.count_ones() > 32 {
                    wide(_mm512_extracti32x4_epi32::<2>(places), 32);
                    wide(_mm512_extracti32x4_epi32::<3>(places), 48);
                }
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Avx2;

/// A bit for each byte of 64 whose highest bit is set.
macro_rules! bits_of {
    ($low:expr, $high:expr) => {{
        let low = u64::from(_mm256_movemask_epi8($low).cast_unsigned());
        let high = u64::from(_mm256_movemask_epi8($high).cast_unsigned());
        low | high << 32
    }};
}

impl Tier for Avx2 {
    type Vector = (__m256i, __m256i);

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop")]
    fn load(self, bytes: &[u8], at: usize) -> (__m256i, __m256i) {
        self.vector(&super::portable::load(bytes, at))
    }

    instructions! {
        fn vector(bytes: &[u8; 64]) -> (__m256i, __m256i) {
            let high = bytes[32..].as_ptr();
            (_mm256_loadu_si256(bytes.as_ptr().cast()), _mm256_loadu_si256(high.cast()))
        }
        fn array(vector: (__m256i, __m256i)) -> [u8; 64] {
            let mut out = [0; 64];
            _mm256_storeu_si256(out.as_mut_ptr().cast(), vector.0);
            _mm256_storeu_si256(out[32..].as_mut_ptr().cast(), vector.1);
            out
        }
        fn high(vector: (__m256i, __m256i)) -> u64 {
            bits_of!(vector.0, vector.1)
        }
        fn having(vector: (__m256i, __m256i), bits: u8) -> u64 {
            let (bits, zero) = (_mm256_set1_epi8(bits.cast_signed()), _mm256_setzero_si256());
            let none = |half| _mm256_cmpeq_epi8(_mm256_and_si256(half, bits), zero);
            !bits_of!(none(vector.0), none(vector.1))
        }
        fn equal(vector: (__m256i, __m256i), byte: u8) -> u64 {
            let byte = _mm256_set1_epi8(byte.cast_signed());
            bits_of!(_mm256_cmpeq_epi8(vector.0, byte), _mm256_cmpeq_epi8(vector.1, byte))
        }
        fn look_up(vector: (__m256i, __m256i), table: &[u8; 128]) -> (__m256i, __m256i) {
            // Sixteen entries at a time: bytes of other rows come out of the addition with the highest bit set, for
            // which the shuffle gives zero.
            let mut out = (_mm256_setzero_si256(), _mm256_setzero_si256());
            for row in 0..8u8 {
                let entries = _mm_loadu_si128(table[16 * usize::from(row)..][..16].as_ptr().cast());
                let entries = _mm256_broadcastsi128_si256(entries);
                let flip = _mm256_set1_epi8((row << 4).cast_signed());
                let keep = _mm256_set1_epi8(0x70);
                let part = |half| {
                    _mm256_shuffle_epi8(entries, _mm256_adds_epu8(_mm256_xor_si256(half, flip), keep))
                };
                out = (_mm256_or_si256(out.0, part(vector.0)), _mm256_or_si256(out.1, part(vector.1)));
            }
            out
        }
        fn extract(mask: u64, at: u64) -> u64 {
            _pext_u64(mask, at)
        }
        fn deposit(mask: u64, at: u64) -> u64 {
            _pdep_u64(mask, at)
        }
        fn positions(mask: u64, base: u32, out: &mut [u32; 64]) {
            // Eight at a time without a branch for each; behind the last bit, what is written does not matter.
            let mut rest = mask;
            for out in out.chunks_exact_mut(8) {
                for out in out {
                    *out = base.wrapping_add(rest.trailing_zeros());
                    rest = _blsr_u64(rest);
                }
                if rest == 0 {
                    break;
                }
            }
        }
    }
}
