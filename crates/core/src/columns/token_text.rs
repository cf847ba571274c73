//! Texts of tokens that are not shown with that of their id.

use std::ops::{Deref, Range};
use std::sync::Arc;

/// A text, or a part of one that several tokens share: added tokens that take blanks in may overlap, and in a run of blanks each
/// of them would have a copy of the rest of the run.
#[derive(Clone, Debug)]
pub struct TokenText {
    whole: Arc<str>,
    start: u32,
    end: u32,
}

impl Deref for TokenText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.whole[self.start as usize..self.end as usize]
    }
}

impl<T: Into<Arc<str>>> From<T> for TokenText {
    fn from(text: T) -> Self {
        let whole = text.into();
        Self { start: 0, end: whole.len() as u32, whole }
    }
}

impl PartialEq for TokenText {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for TokenText {}

impl TokenText {
    /// Whether both are parts of one text.
    pub(super) fn shares_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.whole, &other.whole)
    }

    /// Whether it ends where the other does, given that both are parts of one text.
    pub(super) fn ends_with(&self, other: &Self) -> bool {
        self.end == other.end
    }
}

/// Parts of one text, in the order of their starts, as texts of tokens: a part within an earlier one is not copied again.
#[derive(Debug)]
pub struct Shared<'a> {
    text: &'a str,
    last: Option<(Range<usize>, TokenText)>,
}

impl<'a> Shared<'a> {
    /// Parts of `text`.
    pub fn new(text: &'a str) -> Self {
        Self { text, last: None }
    }

    /// These bytes.
    pub fn part(&self, bytes: &Range<usize>) -> &'a str {
        &self.text[bytes.clone()]
    }

    /// The same as the text of a token.
    pub fn get(&mut self, bytes: &Range<usize>) -> TokenText {
        if let Some((range, last)) = &self.last
            && range.start <= bytes.start
            && bytes.end <= range.end
        {
            let [start, end] = [bytes.start, bytes.end].map(|at| (at - range.start) as u32);
            return TokenText { start, end, ..last.clone() };
        }
        crate::steps::count(bytes.len());
        let text = TokenText::from(&self.text[bytes.clone()]);
        self.last = Some((bytes.clone(), text.clone()));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_part_share_its_text() {
        let mut shared = Shared::new("ab  c");
        let [whole, rest, other] = [1..4, 2..4, 2..5].map(|range| shared.get(&range));
        assert_eq!([&*whole, &*rest, &*other], ["b  ", "  ", "  c"]);
        assert!(rest.shares_with(&whole) && !other.shares_with(&whole));
        assert_eq!(rest, TokenText::from("  "));
    }
}
