//! A piece to tokens, with every option.

use super::{Bpe, MergeScratch, Symbol, symbols};
use crate::error::{Error, Result};
use crate::models::{Model, ModelScratch, Token, Vocabulary};
use crate::steps;
use crate::text::ByteSpan;

/// Working memory of [`Bpe`].
#[derive(Debug, Default)]
pub struct BpeScratch {
    /// The symbols of the piece at work.
    pub symbols: Vec<Symbol>,
    /// For the merge loop.
    pub merge: MergeScratch,
    /// Whether characters that are dropped count in the spans of what follows. Encoding goes by the reference, where they do not.
    pub counts_dropped: bool,
    /// A piece or a character as the vocabulary spells it.
    pub spelled: String,
}

impl Bpe {
    /// The symbols that a piece starts as: characters, bytes of characters, or unknowns.
    fn characters(
        &self,
        piece: &str,
        counts_dropped: bool,
        affixed: &mut String,
        symbols: &mut Vec<Symbol>,
    ) -> Result<()> {
        let o = &self.options;
        let prefix = o.continuing_subword_prefix.as_deref().unwrap_or_default();
        let suffix = o.end_of_word_suffix.as_deref().unwrap_or_default();
        let mut unknown: Option<Symbol> = None; // one that the next unknown character may join
        let mut uncounted = 0;
        for (at, c) in piece.char_indices() {
            steps::count(1);
            let own = &piece[at..at + c.len_utf8()];
            let (first, last) = (at == 0, at + own.len() == piece.len());
            let at = at - uncounted;
            let (start, end) = (at as u32, (at + own.len()) as u32);
            let text = if (first || prefix.is_empty()) && (!last || suffix.is_empty()) {
                own
            } else {
                affixed.clear();
                affixed.push_str(if first { "" } else { prefix });
                affixed.push_str(own);
                affixed.push_str(if last { suffix } else { "" });
                affixed.as_str()
            };
            if let Some(id) = self.tables.vocabulary.id(text) {
                symbols.extend(unknown.take());
                symbols.push(Symbol { id, start, end });
                continue;
            }
            if o.byte_fallback && text.bytes().all(|b| self.byte_id(b).is_some()) {
                symbols.extend(unknown.take());
                // The bytes of the character have a byte of the piece each; those of an affix stand where it was put.
                let lead = if first { 0 } else { prefix.len() };
                for (i, b) in text.bytes().enumerate() {
                    let from = (at + i.saturating_sub(lead)).min(end as usize) as u32;
                    let to = (at + (i + 1).saturating_sub(lead)).min(end as usize) as u32;
                    symbols.extend(self.byte_id(b).map(|id| Symbol { id, start: from, end: to }));
                }
                continue;
            }
            let Some(unk_token) = &o.unk_token else {
                uncounted += if counts_dropped { 0 } else { own.len() };
                continue;
            };
            let Some(id) = self.unk_id else {
                return Err(Error::Encode(format!(
                    "`{own}` is not in the vocabulary, and neither is the unk_token `{unk_token}` that would stand for it"
                )));
            };
            match &mut unknown {
                Some(pending) if o.fuse_unk => pending.end = end,
                _ => {
                    symbols.extend(unknown.take());
                    unknown = Some(Symbol { id, start, end });
                }
            }
        }
        symbols.extend(unknown);
        Ok(())
    }
}

impl Model for Bpe {
    fn vocabulary(&self) -> &Vocabulary {
        &self.tables.vocabulary
    }

    fn tokenize(&self, piece: &str, scratch: &mut ModelScratch, out: &mut Vec<Token>) -> Result<()> {
        // Dropout draws the merges of every piece, those of the vocabulary too.
        if self.options.ignore_merges
            && self.is_repeatable()
            && let Some(id) = self.tables.vocabulary.id(piece)
        {
            out.push(Token { id, span: ByteSpan::new(0, piece.len() as u32), text: None });
            return Ok(());
        }
        let ModelScratch { bpe: BpeScratch { symbols, merge, counts_dropped, spelled }, random, .. } = scratch;
        symbols.clear();
        self.characters(piece, *counts_dropped, spelled, symbols)?;
        match self.options.dropout {
            Some(p) if p > 0.0 => symbols::merge_with_dropout(&self.tables.table, symbols, merge, p, random),
            _ => symbols::merge_all(&self.tables.table, symbols, merge),
        }
        out.extend(symbols.iter().map(|s| Token { id: s.id, span: ByteSpan::new(s.start, s.end), text: None }));
        Ok(())
    }

    fn is_repeatable(&self) -> bool {
        self.options.dropout.is_none_or(|p| p == 0.0)
    }
}
