//! White space at the ends of tokens, which a processor may leave out of their spans.

use super::TokenText;
use crate::steps;
use crate::text::CharSpan;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// How the spans of byte-level tokens are trimmed of white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trim {
    /// Whether one leading space of the first token is taken for one that the pre-tokenizer put there.
    pub add_prefix_space: bool,
    /// Whether the first token of the sequence is the first one that the processor gets.
    pub first: bool,
}

impl Trim {
    /// A span that is trimmed time after time. `first` says whether it is that of the first token of its sequence.
    pub(super) fn all(trims: &[Self], span: CharSpan, margins: [u32; 2], first: bool) -> CharSpan {
        trims.iter().fold(span, |span, trim| {
            trimmed(span, margins, trim.add_prefix_space && (span.start == 0 || first && trim.first))
        })
    }
}

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
        for (id, text) in tokens {
            // A vocabulary has no token with so many blanks that this would make a difference.
            let margins = margins(text).map(|n| u16::try_from(n).unwrap_or(u16::MAX));
            if margins == [0, 0] {
                continue;
            }
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
    pub(super) fn margins(&self, id: u32) -> [u32; 2] {
        let low = self.low.get(id as usize).copied();
        low.unwrap_or_else(|| self.high.get(&id).copied().unwrap_or_default()).map(u32::from)
    }
}

/// White space, also as the byte-level alphabet writes a blank.
fn is_blank(c: char) -> bool {
    c == 'Ġ' || c.is_whitespace()
}

/// The number of white space characters that these begin with.
fn leading(chars: impl Iterator<Item = char>) -> u32 {
    chars.take_while(|&c| is_blank(c)).inspect(|c| steps::count(c.len_utf8())).count() as u32
}

/// The number of white space characters at both ends of a text.
fn margins(text: &str) -> [u32; 2] {
    [leading(text.chars()), leading(text.chars().rev())]
}

/// The number of white space characters at both ends of texts, one after the other. Of texts that are each the rest of one run of
/// white space the run is gone through once.
#[derive(Debug, Default)]
pub(super) struct Margins<'a> {
    run: Option<Run<'a>>,
}

/// The white space at the end of a text.
#[derive(Debug)]
struct Run<'a> {
    text: &'a TokenText,
    /// What is left of it.
    rest: &'a str,
    /// Number of characters of that.
    chars: u32,
}

impl<'a> Run<'a> {
    fn new(text: &'a TokenText) -> Self {
        let rest = &text[text.trim_end_matches(is_blank).len()..];
        steps::count(rest.len());
        Self { text, rest, chars: rest.chars().count() as u32 }
    }

    /// The number of characters of a later text that is the rest of the run.
    fn rest(&mut self, text: &TokenText) -> Option<u32> {
        let is_rest = text.ends_with(self.text) && text.len() <= self.rest.len();
        is_rest.then(|| {
            let (passed, rest) = self.rest.split_at(self.rest.len() - text.len());
            steps::count(passed.len());
            self.chars -= passed.chars().count() as u32;
            self.rest = rest;
            self.chars
        })
    }
}

impl<'a> Margins<'a> {
    pub(super) fn of(&mut self, text: &'a TokenText) -> [u32; 2] {
        match &mut self.run {
            Some(run) if text.shares_with(run.text) => run.rest(text).map_or_else(|| margins(text), |n| [n, n]),
            _ => [leading(text.chars()), self.run.insert(Run::new(text)).chars],
        }
    }
}

/// A span without white space at its ends. Where a space may have been put in front, one leading space is taken for that one.
/// There are no branches: tokens of running text start with a space or not as chance has it.
#[inline]
pub(super) fn trimmed(span: CharSpan, [leading, trailing]: [u32; 2], may_be_put: bool) -> CharSpan {
    let leading = if may_be_put && leading == 1 { 0 } else { leading };
    let start = (span.start + leading).min(span.end);
    // As in the reference an end that stands too near to the start of the text stays.
    let end = span.end.checked_sub(trailing).unwrap_or(span.end);
    CharSpan { start, end: end.max(start) }
}

#[cfg(test)]
mod tests {
    use super::super::Shared;
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

    #[test]
    fn rests_of_a_run_are_counted_once() {
        let text = format!("a{}b", " \u{3000}".repeat(500));
        let mut shared = Shared::new(&text);
        let end = text.len() - 1;
        let blanks = text.char_indices().filter(|(_, c)| *c == ' ').map(|(at, _)| at..end);
        let ranges: Vec<_> = std::iter::once(0..end).chain(blanks).chain([5..9, 1..2, 5..end + 1]).collect();
        let texts: Vec<_> = ranges.iter().map(|range| shared.get(range)).collect();
        let mut margins = Margins::default();
        let mut found = Vec::new();
        let steps = steps::of(|| found.extend(texts.iter().map(|text| margins.of(text))));
        assert_eq!(found, texts.iter().map(|text| super::margins(text)).collect::<Vec<_>>());
        assert!(steps < 4 * text.len() as u64, "{steps}");
    }
}
