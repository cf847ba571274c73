//! Dropping the pieces that the corpus misses least.

use super::crew::{Crew, Watch};
use super::fit::Fitting;
use super::paths::{Role, Searcher};
use super::pieces::{NONE, Pieces};
use crate::error::Result;

/// Pieces of a block.
const BLOCK: usize = 1 << 13;

/// How often the best segmentations of all words use each piece.
struct Uses {
    by_piece: Vec<i64>,
    unknown: i64,
}

/// What becomes of a piece.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Verdict {
    Drop,
    Keep,
    /// It competes by its loss.
    Loss(f64),
}

/// Keep about `target` pieces, the unknown one counted. Returns whether any were dropped.
pub(super) fn prune(pieces: &mut Pieces, fitting: &Fitting, target: usize, crew: &mut Crew) -> Result<bool> {
    pieces.set_values(|score, _| score);
    let uses = count_uses(pieces, fitting, crew)?;
    let verdicts = judge(pieces, fitting, &uses, crew)?;
    let mut kept = Vec::with_capacity(target);
    let mut competing = Vec::new();
    for &piece in &pieces.order {
        match verdicts[piece as usize] {
            Verdict::Drop => {}
            Verdict::Keep => kept.push(piece),
            Verdict::Loss(loss) => competing.push((loss, piece)),
        }
    }
    competing.sort_by(|a, b| b.0.total_cmp(&a.0));
    let room = target.saturating_sub(kept.len() + 1);
    kept.extend(competing.into_iter().take(room).map(|(_, piece)| piece));
    let before = pieces.len();
    pieces.keep(kept);
    Ok(pieces.len() < before)
}

fn count_uses(pieces: &Pieces, fitting: &Fitting, crew: &mut Crew) -> Result<Uses> {
    let Fitting { words, extent, blocks, .. } = fitting;
    let mut total = Uses { by_piece: vec![0; pieces.len()], unknown: 0 };
    let scratch = || (Searcher::new(pieces), Uses { by_piece: vec![0; pieces.len()], unknown: 0 });
    let work = |(searcher, uses): &mut (Searcher, Uses), block: usize, watch: &Watch| {
        for index in blocks[block]..blocks[block + 1] {
            let count = words.count(index);
            searcher.word(extent.word(index), &|| watch.goes_on(), |piece| {
                *uses.by_piece.get_mut(piece as usize).unwrap_or(&mut uses.unknown) += count;
            });
        }
        watch.advance(extent.size(blocks[block]..blocks[block + 1]));
    };
    let settle = |(_, uses): &mut (Searcher, Uses), _: usize| {
        for (sum, part) in total.by_piece.iter_mut().zip(&mut uses.by_piece) {
            *sum += std::mem::take(part);
        }
        total.unknown += std::mem::take(&mut uses.unknown);
    };
    crew.run(blocks.len() - 1, fitting.size(), scratch, work, settle)?;
    Ok(total)
}

/// By piece: what becomes of it.
fn judge(pieces: &Pieces, fitting: &Fitting, uses: &Uses, crew: &mut Crew) -> Result<Vec<Verdict>> {
    let word_total: f64 = fitting.words.iter().map(|(_, count)| count as f64).sum();
    let use_total: f64 = uses.by_piece.iter().map(|&n| n as f64).sum::<f64>() + uses.unknown as f64;
    let (log_total, others) = (use_total.ln(), pieces.len() as f64);
    let frequency = |piece: u32| if piece == NONE { uses.unknown } else { uses.by_piece[piece as usize] } as f64;
    let loss = |piece: u32, alternative: &[u32]| {
        let own = frequency(piece);
        let log_total_without = (use_total + own * others).ln();
        let without: f64 = alternative.iter().map(|&other| (frequency(other) + own).ln() - log_total_without).sum();
        own / word_total * (own.ln() - log_total - without)
    };
    let mut verdicts = Vec::with_capacity(pieces.len());
    let work = |(searcher, verdicts): &mut (Searcher, Vec<Verdict>), block: usize, _: &Watch| {
        let range = block * BLOCK..((block + 1) * BLOCK).min(pieces.len());
        verdicts.extend(range.map(|piece| {
            let piece = piece as u32;
            let is_used = uses.by_piece[piece as usize] > 0;
            match searcher.piece(piece) {
                Role::Needed => Verdict::Keep,
                _ if !is_used => Verdict::Drop,
                Role::Beaten => Verdict::Keep,
                Role::Replaceable => Verdict::Loss(loss(piece, &searcher.path)),
            }
        }));
    };
    let settle = |(_, part): &mut (Searcher, Vec<Verdict>), _: usize| verdicts.append(part);
    let scratch = || (Searcher::new(pieces), Vec::new());
    crew.run(pieces.len().div_ceil(BLOCK), pieces.len() as u64, scratch, work, settle)?;
    Ok(verdicts)
}
