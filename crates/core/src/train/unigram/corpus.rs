//! All distinct words in one array of characters.

use std::collections::BTreeSet;

use crate::error::{Error, Result};
use crate::train::counts::WordCounts;

/// Behind every word, and where a word has U+0000, which is part of no piece.
pub(super) const BORDER: u32 = 0;
/// More characters than this (the reference cannot count as many) weigh as if they were so many: otherwise the characters, whose
/// weights grow with the corpus, would leave the repeats, whose weights do not, no chance.
const WEIGHTIEST: f64 = 4_294_967_296.0;
/// Code points.
const CODE_POINTS: usize = char::MAX as usize + 1;

/// The text to train on. A *symbol* is the number of a character in the order of code points, from 1.
pub(super) struct Corpus {
    /// By position: all words in their order, each with a [`BORDER`] behind it.
    pub(super) symbols: Vec<u32>,
    /// By symbol less 1: how often the character occurs, with the counts of the words.
    pub(super) frequencies: Vec<i64>,
    pub(super) extent: Extent,
    /// What a count is multiplied by.
    pub(super) scale: f64,
    /// The characters that have to become entries.
    pub(super) required: BTreeSet<char>,
}

/// Where the words are.
pub(super) struct Extent {
    /// The first position of each word, and one more at the end. A word without a count has no characters here.
    pub(super) starts: Vec<u32>,
}

impl Extent {
    /// The positions of a word.
    pub(super) fn word(&self, index: usize) -> std::ops::Range<usize> {
        self.starts[index] as usize..self.starts[index + 1] as usize - 1
    }

    /// How many words there are.
    pub(super) fn words(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many positions there are.
    pub(super) fn positions(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    /// How many positions some words have.
    pub(super) fn size(&self, words: std::ops::Range<usize>) -> u64 {
        u64::from(self.starts[words.end] - self.starts[words.start])
    }

    /// The texts of some characters each, given by their first position and their number; each lies within a word.
    pub(super) fn texts<'a>(&self, words: &'a WordCounts, spans: &[(u32, u32)]) -> Vec<&'a str> {
        let mut texts = vec![""; spans.len()];
        let mut order: Vec<usize> = (0..spans.len()).collect();
        order.sort_unstable_by_key(|&index| spans[index].0);
        // The word of the last one, and where that stands: words can be long, so none is read from its start again.
        let (mut word, mut position, mut rest) = (usize::MAX, 0, "");
        for index in order {
            let (at, length) = spans[index];
            let its_word = self.starts.partition_point(|&start| start <= at) - 1;
            if its_word != word {
                (word, position, rest) = (its_word, self.starts[its_word], words.word(its_word));
            }
            rest = &rest[bytes(rest, at - position)..];
            position = at;
            texts[index] = &rest[..bytes(rest, length)];
        }
        texts
    }
}

/// Bytes of the first characters of a text.
fn bytes(text: &str, characters: u32) -> usize {
    text.char_indices().nth(characters as usize).map_or(text.len(), |(byte, _)| byte)
}

impl Corpus {
    /// Lay out the words.
    pub(super) fn read(words: &WordCounts, initial_alphabet: &[char]) -> Result<Self> {
        let mut occurrences = vec![0_i64; CODE_POINTS];
        let mut required: BTreeSet<char> = initial_alphabet.iter().copied().collect();
        let mut total = 0;
        for (word, count) in words.iter() {
            total += 1;
            if count > 0 {
                for c in word.chars() {
                    occurrences[c as usize] += count;
                    total += 1;
                }
            }
        }
        if total >= u32::MAX as usize {
            return Err(Error::Training(format!("the distinct words have `{total}` characters, 2^32 or more")));
        }
        if occurrences[0] > 0 {
            required.insert('\0');
            occurrences[0] = 0;
        }
        let mut symbol_of = vec![BORDER; CODE_POINTS];
        let mut frequencies = Vec::new();
        for c in (0..=char::MAX as u32).filter_map(char::from_u32).filter(|&c| occurrences[c as usize] > 0) {
            frequencies.push(occurrences[c as usize]);
            symbol_of[c as usize] = frequencies.len() as u32;
            required.insert(c);
        }
        let mut symbols = Vec::with_capacity(total);
        let mut starts = Vec::with_capacity(words.len() + 1);
        starts.push(0);
        for (word, count) in words.iter() {
            if count > 0 {
                symbols.extend(word.chars().map(|c| symbol_of[c as usize]));
            }
            symbols.push(BORDER);
            starts.push(symbols.len() as u32);
        }
        let weight: f64 = frequencies.iter().map(|&n| n as f64).sum();
        let scale = (WEIGHTIEST / weight).min(1.0);
        Ok(Self { symbols, frequencies, extent: Extent { starts }, scale, required })
    }
}
