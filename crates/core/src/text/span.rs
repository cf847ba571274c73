//! Spans that carry their unit. An offset without a unit is a bug.

/// A half-open range of bytes, `start..end`, of one text. A `u32` suffices: texts over 4 GiB are refused at the border.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ByteSpan {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl ByteSpan {
    /// `start..end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest span that holds both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The span as a range of `usize`, for slicing.
    pub const fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A half-open range of code points, `start..end`, of one text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(C)]
pub struct CharSpan {
    /// First code point.
    pub start: u32,
    /// One past the last code point.
    pub end: u32,
}

impl CharSpan {
    /// `start..end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }
}
