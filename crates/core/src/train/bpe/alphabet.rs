//! Which characters have an entry, and how words become symbols.

use std::cmp::Reverse;

use super::BpeTrainer;
use super::symbols::{Symbols, SymbolsBuilder};
use super::vocabulary::Vocabulary;
use crate::error::Result;
use crate::train::counts::WordCounts;
use crate::train::progress::Progress;

/// No symbol: the character is dropped.
const NONE: u32 = u32::MAX;
/// Words between two calls of [`Progress::advance`].
const STRIDE: usize = 1 << 14;

/// The symbols of each character, by its place in a word.
pub(in crate::train) struct Alphabet {
    /// Code point → index into `forms`, or [`NONE`]; code points past the end have none.
    index: Vec<u32>,
    /// By code point: a character and its ids where it is [first, continuing, last, continuing and last]; [`NONE`] where it
    /// never is.
    forms: Vec<(char, [u32; 4])>,
}

impl Alphabet {
    /// Add the alphabet of `words` and of `others` to `vocabulary`: characters sorted by code point, then, if there are affixes,
    /// the symbols with affixes that occur in `words`, sorted by character (then: continuing, last, both).
    pub(in crate::train) fn build(
        trainer: &BpeTrainer,
        words: &[&WordCounts],
        others: &[&WordCounts],
        vocabulary: &mut Vocabulary,
    ) -> Self {
        let mut counts: Vec<u64> = Vec::new();
        for (word, count) in words.iter().chain(others).flat_map(|words| words.iter()) {
            for c in word.chars() {
                *at(&mut counts, c, 0) += count.cast_unsigned();
            }
        }
        for &c in &trainer.initial_alphabet {
            *at(&mut counts, c, 0) = u64::MAX;
        }
        for c in kept(&counts, trainer.limit_alphabet) {
            vocabulary.intern(c.encode_utf8(&mut [0; 4]));
        }
        // A special token of one character stands for it, even if the limit cut it.
        let mut this = Self { index: Vec::new(), forms: Vec::new() };
        for (c, _) in characters(&counts) {
            if let Some(id) = vocabulary.id(c.encode_utf8(&mut [0; 4])) {
                *at(&mut this.index, c, NONE) = this.forms.len() as u32;
                this.forms.push((c, [id, NONE, NONE, NONE]));
            }
        }
        let prefix = trainer.continuing_subword_prefix.as_deref().unwrap_or("");
        let suffix = trainer.end_of_word_suffix.as_deref().unwrap_or("");
        if prefix.is_empty() && suffix.is_empty() {
            for (_, ids) in &mut this.forms {
                *ids = [ids[0]; 4];
            }
        } else {
            this.add_affixes(prefix, suffix, words, vocabulary);
        }
        this
    }

    fn add_affixes(&mut self, prefix: &str, suffix: &str, words: &[&WordCounts], vocabulary: &mut Vocabulary) {
        let mut occurs = vec![[false; 4]; self.forms.len()];
        for (word, _) in words.iter().flat_map(|words| words.iter()).filter(|&(_, count)| count > 0) {
            each_form(word, |c, form| {
                if let Some(i) = self.find(c) {
                    occurs[i][form] = true;
                }
            });
        }
        for ((c, ids), occurs) in self.forms.iter_mut().zip(occurs) {
            for form in (1..4).filter(|&form| occurs[form]) {
                let prefix = if form & 1 == 1 { prefix } else { "" };
                let suffix = if form & 2 == 2 { suffix } else { "" };
                ids[form] = vocabulary.intern(&format!("{prefix}{c}{suffix}"));
            }
        }
    }

    fn find(&self, c: char) -> Option<usize> {
        self.index.get(c as usize).filter(|&&i| i != NONE).map(|&i| i as usize)
    }

    /// All words as symbols, in the given order; characters without one are dropped, so that their neighbours become adjacent.
    ///
    /// # Errors
    /// More symbols than an array of [`Symbols`] takes; whatever `progress` returns.
    pub(in crate::train) fn segment(
        &self,
        words: &WordCounts,
        order: &[u32],
        progress: &mut dyn Progress,
    ) -> Result<Symbols> {
        let mut symbols = SymbolsBuilder::new();
        for chunk in order.chunks(STRIDE) {
            for &i in chunk {
                each_form(words.word(i as usize), |c, form| {
                    // A form may be missing if the alphabet is that of other words.
                    if let Some(id) = self.find(c).map(|index| self.forms[index].1[form]).filter(|&id| id != NONE) {
                        symbols.push(id);
                    }
                });
                symbols.end_word(words.count(i as usize))?;
            }
            progress.advance(chunk.len() as u64)?;
        }
        Ok(symbols.finish())
    }
}

/// The words that have a count, by count descending: words of the same count lie together, so that a position tells the
/// count.
pub(in crate::train) fn by_count(words: &WordCounts) -> Vec<u32> {
    let mut order = in_order(words);
    order.sort_by_key(|&i| Reverse(words.count(i as usize)));
    order
}

/// The words that have a count, in the order of their first appearance.
pub(in crate::train) fn in_order(words: &WordCounts) -> Vec<u32> {
    (0..words.len() as u32).filter(|&i| words.count(i as usize) > 0).collect()
}

/// Call `each` with every character and its form: 1 if it does not begin the word, plus 2 if it ends it.
pub(super) fn each_form(word: &str, mut each: impl FnMut(char, usize)) {
    let mut chars = word.chars();
    let last = chars.next_back();
    let mut form = 0;
    for c in chars {
        each(c, form);
        form = 1;
    }
    if let Some(c) = last {
        each(c, form | 2);
    }
}

/// The characters to keep, by code point.
fn kept(counts: &[u64], limit: Option<usize>) -> Vec<char> {
    let mut kept: Vec<(char, u64)> = characters(counts).collect();
    if let Some(limit) = limit {
        // A stable sort: of equal counts the lower code points stay.
        kept.sort_by_key(|&(_, count)| Reverse(count));
        kept.truncate(limit);
        kept.sort_unstable_by_key(|&(c, _)| c);
    }
    kept.into_iter().map(|(c, _)| c).collect()
}

/// The characters that have a count, by code point.
fn characters(counts: &[u64]) -> impl Iterator<Item = (char, u64)> {
    counts
        .iter()
        .enumerate()
        .filter(|&(_, &count)| count > 0)
        .filter_map(|(i, &count)| Some((char::from_u32(i as u32)?, count)))
}

/// The place of a character in a table by code point that grows as needed.
fn at<T: Copy>(table: &mut Vec<T>, c: char, empty: T) -> &mut T {
    if table.len() <= c as usize {
        table.resize(c as usize + 1, empty);
    }
    &mut table[c as usize]
}
