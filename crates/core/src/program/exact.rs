//! The pipeline component by component: the one meaning of a tokenizer.

use super::Program;
use super::tokens::Tokens;
use super::worker::Memory;
use crate::error::Result;
use crate::models::Token;
use crate::steps;
use crate::text::{AlignedText, ByteSpan, Pretokens};

impl Program {
    /// Normalise a stretch of the text.
    pub(super) fn normalized(&self, mut text: AlignedText) -> Result<AlignedText> {
        if let Some(normalizer) = &self.normalizer {
            normalizer.as_dyn().normalize(&mut text)?;
        }
        Ok(text)
    }

    /// Cut a normalised text into pieces.
    pub(super) fn pretokens(&self, text: AlignedText) -> Result<Pretokens> {
        let mut pretokens = Pretokens::new(text);
        if let Some(pre_tokenizer) = &self.pre_tokenizer {
            pre_tokenizer.as_dyn().pre_tokenize(&mut pretokens)?;
        }
        Ok(pretokens)
    }

    /// Encode a normalised text that holds no added token. Each piece is a word, whether it yields tokens or not.
    pub(super) fn encode_exact(
        &self,
        text: AlignedText,
        memory: &mut Memory,
        out: &mut Tokens,
        word: &mut u32,
    ) -> Result<()> {
        let pretokens = self.pretokens(text)?;
        for piece in pretokens.pieces() {
            let Memory { model, found, .. } = memory;
            found.clear();
            self.model.as_dyn().tokenize(&pretokens.text().as_str()[piece.span.range()], model, found)?;
            push_found(found, &pretokens, piece.span.start, out, *word);
            *word += 1;
        }
        Ok(())
    }
}

/// Add what a model found in a piece that starts at byte `at` of the normalised text.
pub(super) fn push_found(found: &mut Vec<Token>, pretokens: &Pretokens, at: u32, out: &mut Tokens, word: u32) {
    for Token { id, span, text } in found.drain(..) {
        steps::count(1);
        let span: ByteSpan = pretokens.text().origin((at + span.start) as usize..(at + span.end) as usize);
        out.push(id, span, word, text.map(Into::into));
    }
}
