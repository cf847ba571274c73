//! The vocabulary: special tokens, then the pieces by their scores.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::corpus::Extent;
use super::pieces::Pieces;
use super::{UnigramTrained, UnigramTrainer};
use crate::train::counts::WordCounts;

/// What the scores of characters without a piece differ by.
const STEP: f64 = 1e-4;

/// Put the vocabulary together: all required characters, and `room` pieces with them.
pub(super) fn vocabulary(
    trainer: &UnigramTrainer,
    pieces: &Pieces,
    words: &WordCounts,
    extent: &Extent,
    required: &BTreeSet<char>,
    room: usize,
) -> UnigramTrained {
    let spans: Vec<(u32, u32)> = pieces.at.iter().zip(&pieces.links).map(|(&at, link)| (at, link.length)).collect();
    let texts = extent.texts(words, &spans);
    let text = |piece: u32| texts[piece as usize];
    let is_character = |piece: u32| pieces.links[piece as usize].length == 1;
    let score = |piece: u32| pieces.scores[piece as usize];
    let characters: HashMap<&str, f64> =
        pieces.order.iter().filter(|&&p| is_character(p)).map(|&p| (text(p), score(p))).collect();
    let lowest = pieces.lowest_score();
    let mut without = 0;
    let mut entries: Vec<(String, f64)> = Vec::with_capacity(room.min(required.len() + pieces.len()));
    for c in required {
        let c = c.to_string();
        let score = characters.get(c.as_str()).copied().unwrap_or_else(|| {
            without += 1;
            lowest + STEP * f64::from(without - 1)
        });
        entries.push((c, score));
    }
    let longer = pieces.order.iter().filter(|&&p| !is_character(p)).take(room - entries.len());
    entries.extend(longer.map(|&p| (text(p).to_owned(), score(p))));
    entries.sort_by(|a, b| b.1.total_cmp(&a.1));

    let mut vocab: Vec<(String, f64)> = Vec::with_capacity(trainer.vocab_size.min(entries.len() + 1));
    if trainer.has_unknown_in_front() {
        vocab.extend(trainer.unk_token.iter().map(|unk| (unk.clone(), 0.0)));
    }
    vocab.extend(trainer.special_tokens.iter().map(|token| (token.clone(), 0.0)));
    let is_unknown = |(token, _): &(String, f64)| Some(token) == trainer.unk_token.as_ref();
    let unk_id = vocab.iter().position(is_unknown).map(|id| id as u32);
    vocab.extend(entries.into_iter().map(|(token, score)| (token, rounded(score))));
    UnigramTrained { vocab, unk_id }
}

/// A score with 15 digits. So many come out of a file as they went in, with any reader: the one of the reference takes the last
/// digits of 17 for others, and these decide between segmentations of the same pieces in another order.
fn rounded(score: f64) -> f64 {
    format!("{score:.14e}").parse().unwrap_or(score)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn scores_come_out_of_a_file_as_they_went_in(score in -1e3..0.0_f64) {
            let rounded = rounded(score);
            prop_assert!((rounded - score).abs() <= 1e-14 * score.abs());
            let written = serde_json::to_string(&rounded).unwrap();
            prop_assert_eq!(serde_json::from_str::<f64>(&written).unwrap().to_bits(), rounded.to_bits());
        }
    }
}
