//! A piece to tokens: the best path or one drawn at random, unknown characters joined.

use super::lattice::Lattice;
use super::viterbi::{Step, ViterbiScratch};
use super::{Unigram, Vocabulary};
use crate::error::{Error, Result};
use crate::models::{Model, ModelScratch, Token};
use crate::text::ByteSpan;

/// Working memory of [`Unigram`].
#[derive(Debug, Default)]
pub struct UnigramScratch {
    viterbi: ViterbiScratch,
    lattice: Lattice,
    /// From the last step to the first.
    path: Vec<Step>,
}

impl Unigram {
    fn is_sampled(&self) -> Option<f64> {
        self.options.alpha.filter(|&alpha| alpha != 0.0)
    }

    /// Put the path into the scratch; returns the start of an unknown character that was met.
    fn find_path(&self, piece: &str, scratch: &mut UnigramScratch, random: &mut fastrand::Rng) -> Option<u32> {
        let UnigramScratch { viterbi, lattice, path } = scratch;
        path.clear();
        let Some(alpha) = self.is_sampled() else {
            return self.tables.trie.best_path(piece, viterbi, path).unknown;
        };
        lattice.fill(&self.tables.trie, piece);
        let drawn = match self.options.nbest_size {
            Some(n) if n > 0 => lattice.sample_of_best(n, alpha, random),
            _ => lattice.sample(alpha, random),
        };
        path.extend(drawn.iter().rev().map(|&node| lattice.nodes()[node as usize].step()));
        path.iter().find(|step| step.id.is_none()).map(|step| step.start)
    }

    /// Append what stands for unknown text: an entry that happens to be spelled so, its bytes, or the unknown token, which shows
    /// the text itself.
    fn append_unknown(&self, text: &str, span: ByteSpan, unk_id: u32, out: &mut Vec<Token>) {
        let Self { tables, options } = self;
        if let Some(id) = tables.vocabulary.id(text) {
            out.push(Token { id, span, text: None });
            return;
        }
        let byte_id = |b: u8| tables.bytes.get(b as usize).copied().flatten();
        if options.byte_fallback && text.bytes().all(|b| byte_id(b).is_some()) {
            out.extend(text.bytes().filter_map(byte_id).map(|id| Token { id, span, text: None }));
            return;
        }
        out.push(Token { id: unk_id, span, text: Some(text.into()) });
    }
}

impl Model for Unigram {
    fn vocabulary(&self) -> &Vocabulary {
        &self.tables.vocabulary
    }

    fn tokenize(&self, piece: &str, scratch: &mut ModelScratch, out: &mut Vec<Token>) -> Result<()> {
        let ModelScratch { unigram, random, .. } = scratch;
        let unknown = self.find_path(piece, unigram, random);
        let Some(unk_id) = self.options.unk_id else {
            if let Some(start) = unknown {
                let character: String = piece[start as usize..].chars().take(1).collect();
                let reason =
                    format!("`{character}` is not in the vocabulary, and `unk_id` of a token for it is missing");
                return Err(Error::Encode(reason));
            }
            let token =
                |step: &Step| step.id.map(|id| Token { id, span: ByteSpan::new(step.start, step.end), text: None });
            out.extend(unigram.path.iter().rev().filter_map(token));
            return Ok(());
        };
        let mut steps = unigram.path.iter().rev().peekable();
        while let Some(step) = steps.next() {
            let is_unknown = |step: &Step| step.id.is_none_or(|id| id == unk_id);
            let mut span = ByteSpan::new(step.start, step.end);
            match step.id {
                Some(id) if id != unk_id => out.push(Token { id, span, text: None }),
                _ => {
                    while let Some(more) = steps.next_if(|more| is_unknown(more)) {
                        span.end = more.end;
                    }
                    self.append_unknown(&piece[span.range()], span, unk_id, out);
                }
            }
        }
        Ok(())
    }

    fn is_repeatable(&self) -> bool {
        self.is_sampled().is_none()
    }
}
