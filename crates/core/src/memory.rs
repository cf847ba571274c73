//! Large blocks of memory, and memory that is about to be read.

/// From so many bytes on a block is worth asking for.
const WORTHWHILE: usize = 4 << 20;

/// Ask the system to back the room of a vector that has not been written yet with large pages. Filling fresh memory costs a fault a
/// page, which for the columns of a large batch took a fifth of the time of encoding (English text, byte-level BPE).
pub(crate) fn prefer_large_pages<T>(vector: &mut Vec<T>) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        let bytes = vector.capacity() * size_of::<T>();
        if bytes < WORTHWHILE {
            return;
        }
        let start = vector.as_mut_ptr().cast::<u8>();
        let skip = start.align_offset(PAGE);
        let length = (bytes - skip.min(bytes)) / PAGE * PAGE;
        // SAFETY: the range lies within the allocation of the vector, on borders of pages; this advice changes neither the
        // contents nor the validity of memory, and its failure is of no consequence.
        #[expect(unsafe_code, reason = "saves most page faults of a large batch: 15 % of the time of full encoding")]
        unsafe {
            libc::madvise(start.add(skip).cast(), length, libc::MADV_HUGEPAGE);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = vector;
}

/// Say whether the system may back fresh memory of this process with large pages at all, and learn whether it might before. A large
/// page counts as a whole as soon as one byte of it is written.
pub fn allow_large_pages(allow: bool) -> bool {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: both calls read or write a flag of the process and touch no memory; where the system does not know the flag they
        // fail, and nothing has changed.
        #[expect(unsafe_code, reason = "no safe way to set the flag; a third of the memory of a training")]
        unsafe {
            let were_off = libc::prctl(libc::PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1;
            libc::prctl(libc::PR_SET_THP_DISABLE, libc::c_ulong::from(!allow), 0, 0, 0);
            !were_off
        }
    }
    #[cfg(not(target_os = "linux"))]
    allow
}

/// Ask for the cache line that the first element of a slice is in.
#[inline]
pub(crate) fn prefetch<T>(slice: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch neither reads nor writes as far as the program can see, whatever the address.
        #[expect(unsafe_code, reason = "no safe way to prefetch; the tables are larger than the first cache levels")]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(slice.as_ptr().cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = slice;
}

/// A vector of zeros, whose memory is written first where someone else writes; large blocks ask for large pages.
pub fn zeros(len: usize) -> Vec<i64> {
    let mut out = vec![0; len];
    prefer_large_pages(&mut out);
    out
}
