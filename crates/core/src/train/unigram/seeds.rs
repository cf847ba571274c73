//! The pieces to start from: all characters, and the repeats that cover most of the text.

use super::UnigramTrainer;
use super::corpus::Extent;
use super::crew::Crew;
use super::pieces::{Link, NONE, Pieces};
use super::suffixes::{self, Repeat};
use crate::error::Result;

/// A piece to be: its suffixes, and where it stands in the order of the seeds.
struct Seed {
    repeat: Repeat,
    /// What its probability is in proportion to.
    weight: f64,
    order: u32,
}

/// Choose the pieces to start from. `symbols` are those of the corpus, `weights` how often each occurs.
pub(super) fn collect(
    trainer: &UnigramTrainer,
    symbols: Vec<u32>,
    weights: &[f64],
    extent: &Extent,
    crew: &mut Crew,
) -> Result<Pieces> {
    crew.stage("Sort suffixes", symbols.len() as u64)?;
    let longest_word = (0..extent.words()).map(|word| extent.word(word).len()).max().unwrap_or(0);
    let longest = trainer.max_piece_length.min(longest_word) as u32;
    // One repeat is always taken, as in the reference.
    let limit = trainer.seed_size.saturating_sub(weights.len()).max(1);
    let sorted = suffixes::sort(&symbols, weights.len() as u32, longest, limit, crew)?;
    drop(symbols);
    let mut characters: Vec<(u32, f64)> = (1..).zip(weights.iter().copied()).collect();
    characters.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    let mut seeds = Vec::with_capacity(characters.len() + sorted.repeats.len());
    for (symbol, weight) in characters {
        let (low, high) = (sorted.first[symbol as usize], sorted.first[symbol as usize + 1]);
        let repeat = Repeat { low, count: high - low, length: 1 };
        seeds.push(Seed { repeat, weight, order: seeds.len() as u32 });
    }
    for repeat in sorted.repeats {
        let weight = f64::from(repeat.count) * f64::from(repeat.length);
        seeds.push(Seed { repeat, weight, order: seeds.len() as u32 });
    }
    Ok(plant(seeds, &sorted.order, extent.positions()))
}

/// Make pieces of seeds; `order` has all suffixes.
fn plant(mut seeds: Vec<Seed>, suffixes: &[u32], positions: usize) -> Pieces {
    let total: f64 = seeds.iter().map(|seed| seed.weight).sum();
    seeds.sort_unstable_by_key(|seed| (seed.repeat.low, seed.repeat.length));
    let mut order = vec![0; seeds.len()];
    let mut longest = vec![NONE; positions];
    let mut links: Vec<Link> = Vec::with_capacity(seeds.len());
    // Pieces whose suffixes go on, each a prefix of the next, and where their suffixes end.
    let mut open: Vec<(u32, u32)> = Vec::new();
    let mut upcoming = (0..).zip(&seeds).peekable();
    for (index, &suffix) in (0..).zip(suffixes) {
        while open.pop_if(|(_, end)| *end <= index).is_some() {}
        while let Some((piece, seed)) = upcoming.next_if(|(_, seed)| seed.repeat.low == index) {
            let parent = open.last().map_or(NONE, |(piece, _)| *piece);
            links.push(Link { value: 0.0, parent, length: seed.repeat.length });
            order[seed.order as usize] = piece;
            open.push((piece, index + seed.repeat.count));
        }
        if let Some((piece, _)) = open.last() {
            longest[suffix as usize] = *piece;
        }
    }
    let scores = seeds.iter().map(|seed| seed.weight.ln() - total.ln()).collect();
    let at = seeds.iter().map(|seed| suffixes[seed.repeat.low as usize]).collect();
    Pieces { links, scores, at, order, longest }
}
