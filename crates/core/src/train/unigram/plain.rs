//! The reference's training written down plainly, over lattices and maps: the twin that the fast one is held to.

use std::collections::{BTreeMap, BTreeSet};

use super::{UnigramTrained, UnigramTrainer};
use crate::models::unigram::PieceTrie;
use crate::models::unigram::lattice::{Lattice, UNKNOWN};
use crate::models::unigram::viterbi::ViterbiScratch;
use crate::train::counts::WordCounts;

type Scored = Vec<(String, f64)>;

/// Train by the book. Every word has a count above 0, and the vocabulary has room for all characters.
pub(super) fn plainly(trainer: &UnigramTrainer, words: &WordCounts) -> UnigramTrained {
    let desired = trainer.vocab_size * 11 / 10;
    let mut pieces = seeds(trainer, words);
    loop {
        for _ in 0..trainer.n_sub_iterations {
            pieces = improved(&pieces, words);
        }
        let length = pieces.len() + 1;
        if length <= desired {
            break;
        }
        let target = super::part(length, trainer.shrinking_factor).max(desired);
        pieces = pruned(&pieces, words, target);
        if pieces.len() + 1 >= length {
            break;
        }
    }
    finished(trainer, words, &pieces)
}

fn characters(words: &WordCounts) -> BTreeMap<char, i64> {
    let mut found = BTreeMap::new();
    for (word, count) in words.iter() {
        for c in word.chars() {
            *found.entry(c).or_default() += count;
        }
    }
    found
}

fn seeds(trainer: &UnigramTrainer, words: &WordCounts) -> Scored {
    // By substring: how often it occurs, and what stands behind it.
    let mut repeats: BTreeMap<Vec<char>, (u32, BTreeSet<char>)> = BTreeMap::new();
    for (word, _) in words.iter() {
        let word: Vec<char> = word.chars().chain(['\0']).collect();
        for from in 0..word.len() {
            for to in from + 2..word.len().min(from.saturating_add(trainer.max_piece_length).saturating_add(1)) {
                let (count, behind) = repeats.entry(word[from..to].to_vec()).or_default();
                *count += 1;
                behind.insert(word[to]);
            }
        }
    }
    repeats.retain(|text, (_, behind)| behind.len() > 1 && !text.contains(&'\0'));
    let mut characters: Vec<(i64, char)> =
        characters(words).into_iter().filter(|(c, _)| *c != '\0').map(|(c, count)| (count, c)).collect();
    characters.sort_by(|a, b| b.cmp(a));
    let mut seeds: Scored = characters.into_iter().map(|(count, c)| (c.to_string(), count as f64)).collect();
    let room = trainer.seed_size.saturating_sub(seeds.len()).max(1);
    let mut repeats: Vec<(u32, Vec<char>)> =
        repeats.into_iter().map(|(text, (count, _))| (count * text.len() as u32, text)).collect();
    repeats.sort_by(|a, b| b.cmp(a));
    seeds.extend(repeats.into_iter().take(room).map(|(score, text)| (text.into_iter().collect(), f64::from(score))));
    let total: f64 = seeds.iter().map(|(_, score)| score).sum();
    for (_, score) in &mut seeds {
        *score = score.ln() - total.ln();
    }
    seeds
}

fn trie(pieces: &Scored) -> PieceTrie {
    PieceTrie::new(pieces.iter().map(|(text, score)| (text.as_str(), *score)))
}

fn improved(pieces: &Scored, words: &WordCounts) -> Scored {
    let trie = trie(pieces);
    let mut lattice = Lattice::default();
    let mut expected = vec![0.0; pieces.len()];
    for (word, count) in words.iter() {
        lattice.fill(&trie, word);
        lattice.add_expected(count as f64, &mut [Vec::new(), Vec::new()], |id, n| {
            if id != UNKNOWN {
                expected[id as usize] += n;
            }
        });
    }
    let least = if expected.iter().any(|&n| n >= 0.5) { 0.5 } else { f64::MIN_POSITIVE };
    let total: f64 = expected.iter().filter(|&&n| n >= least).sum();
    let kept = pieces.iter().zip(expected).filter(|(_, n)| *n >= least);
    kept.map(|((text, _), n)| (text.clone(), super::fit::digamma(n) - super::fit::digamma(total))).collect()
}

fn pruned(pieces: &Scored, words: &WordCounts, target: usize) -> Scored {
    let trie = trie(pieces);
    let place = |id: Option<u32>| id.map_or(pieces.len(), |id| id as usize);
    let mut used = vec![0.0; pieces.len() + 1];
    for (word, count) in words.iter() {
        let mut path = Vec::new();
        trie.best_path(word, &mut ViterbiScratch::default(), &mut path);
        for step in path {
            used[place(step.id)] += count as f64;
        }
    }
    let total: f64 = used.iter().sum();
    let count: f64 = words.iter().map(|(_, count)| count as f64).sum();
    let mut kept = Vec::new();
    let mut competing = Vec::new();
    let mut lattice = Lattice::default();
    for (id, piece) in pieces.iter().enumerate() {
        lattice.fill(&trie, &piece.0);
        let paths = lattice.n_best_by_agenda(2);
        let ids = |path: usize| paths[path].nodes.iter().map(|&n| lattice.nodes()[n as usize].step().id);
        let is_itself = ids(0).eq([Some(id as u32)]);
        let own = used[id];
        if (is_itself && paths.len() == 1) || (own > 0.0 && !is_itself) {
            kept.push(piece.clone());
        } else if own > 0.0 {
            let log_without = (total + own * pieces.len() as f64).ln();
            let without: f64 = ids(1).map(|id| (used[place(id)] + own).ln() - log_without).sum();
            competing.push((own / count * (own.ln() - total.ln() - without), piece.clone()));
        }
    }
    competing.sort_by(|a, b| b.0.total_cmp(&a.0));
    let room = target.saturating_sub(kept.len() + 1);
    kept.extend(competing.into_iter().take(room).map(|(_, piece)| piece));
    kept
}

fn finished(trainer: &UnigramTrainer, words: &WordCounts, pieces: &Scored) -> UnigramTrained {
    let has_front = trainer.unk_token.as_ref().is_some_and(|unk| !trainer.special_tokens.contains(unk));
    let front: Vec<&String> = trainer.unk_token.iter().filter(|_| has_front).chain(&trainer.special_tokens).collect();
    let lowest = pieces.iter().map(|(_, score)| *score).reduce(f64::min).unwrap_or(0.0);
    let required: BTreeSet<char> = characters(words).into_keys().chain(trainer.initial_alphabet.clone()).collect();
    let mut entries: Scored = Vec::new();
    let mut without = 0;
    for text in required.into_iter().map(String::from) {
        let known = pieces.iter().find(|(piece, _)| *piece == text).map(|(_, score)| *score);
        let score = known.unwrap_or_else(|| {
            without += 1;
            lowest + 0.0001 * f64::from(without - 1)
        });
        entries.push((text, score));
    }
    for piece in pieces {
        if entries.len() < trainer.vocab_size - front.len() && entries.iter().all(|(text, _)| *text != piece.0) {
            entries.push(piece.clone());
        }
    }
    entries.sort_by(|a, b| b.1.total_cmp(&a.1));
    let unk_id = front.iter().position(|token| Some(*token) == trainer.unk_token.as_ref()).map(|id| id as u32);
    let vocab = front.into_iter().map(|token| (token.clone(), 0.0)).chain(entries).collect();
    UnigramTrained { vocab, unk_id }
}
