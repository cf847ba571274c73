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
    let text = |piece: u32| extent.text(words, pieces.at[piece as usize], pieces.links[piece as usize].length);
    let is_character = |piece: u32| pieces.links[piece as usize].length == 1;
    let score = |piece: u32| pieces.scores[piece as usize];
    let characters: HashMap<&str, f64> =
        pieces.order.iter().filter(|&&p| is_character(p)).map(|&p| (text(p), score(p))).collect();
    let lowest = if pieces.len() == 0 { 0.0 } else { pieces.lowest_score() };
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
    vocab.extend(entries);
    UnigramTrained { vocab, unk_id }
}
