//! White space at the ends of tokens, which a processor may leave out of their spans.

use crate::text::CharSpan;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// For each id the number of white space characters that its text starts and ends with.
#[derive(Clone, Debug, Default)]
pub struct TrimTable {
    low: Vec<[u16; 2]>,
    /// Of ids so far up that a table of all below them would be mostly empty.
    high: HashMap<u32, [u16; 2], FixedState>,
}

impl TrimTable {
    /// From ids and the texts that they are shown with.
    pub fn new<'a>(tokens: impl ExactSizeIterator<Item = (u32, &'a str)>) -> Self {
        let dense = tokens.len() * 8 + 1024;
        let mut table = Self::default();
        for (id, margins) in tokens.map(|(id, text)| (id, margins(text))).filter(|(_, margins)| *margins != [0, 0]) {
            let at = id as usize;
            if at >= dense {
                table.high.insert(id, margins);
                continue;
            }
            if table.low.len() <= at {
                table.low.resize(at + 1, [0, 0]);
            }
            table.low[at] = margins;
        }
        table
    }

    /// The number of white space characters at both ends of the text of an id.
    #[inline]
    pub(super) fn margins(&self, id: u32) -> [u16; 2] {
        let low = self.low.get(id as usize).copied();
        low.unwrap_or_else(|| self.high.get(&id).copied().unwrap_or_default())
    }
}

/// White space, also as the byte-level alphabet writes a blank, at both ends of a token.
pub(super) fn margins(text: &str) -> [u16; 2] {
    let is_blank = |c: &char| *c == 'Ġ' || c.is_whitespace();
    let count = |n: usize| n.min(u16::MAX as usize) as u16;
    [count(text.chars().take_while(is_blank).count()), count(text.chars().rev().take_while(is_blank).count())]
}

/// A span without white space at its ends. Where a space may have been put in front, one leading space is taken for that one.
/// There are no branches: tokens of running text start with a space or not as chance has it.
#[inline]
pub(super) fn trimmed(span: CharSpan, margin: [u16; 2], may_be_put: bool) -> CharSpan {
    let [leading, trailing] = margin.map(u32::from);
    let leading = if may_be_put && leading == 1 { 0 } else { leading };
    let start = (span.start + leading).min(span.end);
    // As in the reference an end that stands too near to the start of the text stays.
    let end = span.end.checked_sub(trailing).unwrap_or(span.end);
    CharSpan { start, end: end.max(start) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_far_up_cost_no_table() {
        let table = TrimTable::new([(0, "a"), (3, "Ġa"), (u32::MAX, "ĠĠb ")].into_iter());
        assert_eq!(
            [0, 3, 4, u32::MAX, u32::MAX - 1].map(|id| table.margins(id)),
            [[0, 0], [1, 0], [0, 0], [2, 1], [0, 0]]
        );
        assert_eq!(table.low.len(), 4);
    }
}
