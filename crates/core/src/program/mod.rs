//! A description compiled once, and what it does: encode and decode.
//!
//! The way of a text: added tokens are cut out of it (they match the raw text), each stretch between them is normalised, added
//! tokens that match normalised text are cut out of that, and what is left is cut into pieces that the model turns into tokens.
//! `exact` does just that, component by component; it is the one meaning of a tokenizer. `chunks` gets to the same tokens with a
//! scanner and a cache; tests hold the two equal. `batch` spreads inputs over threads, [`crate::columns::assemble`] makes rows.

mod batch;
mod border_memo;
mod borders;
mod cache;
mod chunks;
mod cuts;
mod decode;
mod encode;
mod exact;
mod joined;
mod long_chunks;
mod missing;
mod pieces;
mod plan;
mod records;
mod threads;
mod tokens;
mod training;
mod worker;

pub use batch::{EncodeOptions, Input, Ragged, Sequence, Wanted};
pub use training::PieceScratch;

use crate::added_tokens::{AddedToken, AddedTokens};
use crate::columns::{Item, TrimTable};
use crate::decoders::AnyDecoder;
use crate::error::{Error, Result};
use crate::models::AnyModel;
use crate::normalizers::AnyNormalizer;
use crate::pre_tokenizers::AnyPreTokenizer;
use crate::processors::AnyProcessor;
use std::sync::OnceLock;

/// What a program is compiled from.
#[derive(Clone, Debug)]
pub struct Parts {
    /// First stage.
    pub normalizer: Option<AnyNormalizer>,
    /// Second stage.
    pub pre_tokenizer: Option<AnyPreTokenizer>,
    /// Third stage.
    pub model: AnyModel,
    /// Fourth stage.
    pub post_processor: Option<AnyProcessor>,
    /// The way back.
    pub decoder: Option<AnyDecoder>,
    /// Added tokens with their ids, in the order in which they were added.
    pub added_tokens: Vec<(u32, AddedToken)>,
    /// Whether the text of special tokens is encoded as any other text.
    pub encode_special_tokens: bool,
}

/// A compiled tokenizer: immutable, shared by threads, never locked.
#[derive(Debug)]
pub struct Program {
    normalizer: Option<AnyNormalizer>,
    pre_tokenizer: Option<AnyPreTokenizer>,
    model: AnyModel,
    decoder: Option<AnyDecoder>,
    added: AddedTokens,
    encode_special_tokens: bool,
    /// Whether what is counted for training leaves out the texts of special tokens.
    skip_special_pieces: bool,
    /// By [is it a pair][are special tokens added].
    frames: [[Result<Vec<Item>, String>; 2]; 2],
    /// Whether there is no processor.
    bare: bool,
    trims: OnceLock<TrimTable>,
    plan: plan::Plan,
    /// For each added token that is matched in normalised text a character of it, none of them common.
    telltales: Vec<char>,
    workers: worker::Pool,
    decode_table: OnceLock<Option<decode::ByteTable>>,
}

impl Program {
    /// Compile a tokenizer.
    ///
    /// # Errors
    /// [`Error::Spec`] where parts do not fit each other.
    pub fn compile(parts: Parts) -> Result<Self> {
        let Parts { normalizer, pre_tokenizer, model, post_processor, decoder, added_tokens, encode_special_tokens } =
            parts;
        let added = AddedTokens::compile(added_tokens, normalizer.as_ref())?;
        let mut plan = plan::Plan::new(normalizer.as_ref(), pre_tokenizer.as_ref(), &model);
        let telltales = added.telltales();
        if telltales.is_none() {
            plan.raw = None;
        }
        let mut program = Self {
            normalizer,
            pre_tokenizer,
            model,
            decoder,
            added,
            encode_special_tokens,
            skip_special_pieces: false,
            frames: [[Ok(Vec::new()), Ok(Vec::new())], [Ok(Vec::new()), Ok(Vec::new())]],
            bare: post_processor.is_none(),
            trims: OnceLock::new(),
            plan,
            telltales: telltales.unwrap_or_default(),
            workers: worker::Pool::default(),
            decode_table: OnceLock::new(),
        };
        for is_pair in [false, true] {
            for add_special_tokens in [false, true] {
                let items = AnyProcessor::items(post_processor.as_ref(), is_pair, add_special_tokens);
                let items =
                    items.map(|items| program.without_known_texts(items)).map_err(|e| e.within("post_processor"));
                if !is_pair && items.is_err() {
                    items?; // what no text can satisfy is refused here, what only a pair cannot when a pair comes
                } else {
                    program.frames[usize::from(is_pair)][usize::from(add_special_tokens)] =
                        items.map_err(|e| e.to_string());
                }
            }
        }
        Ok(program)
    }

    /// Special tokens are shown as [`Self::shown`] unless the processor says otherwise.
    fn without_known_texts(&self, mut items: Vec<Item>) -> Vec<Item> {
        for item in &mut items {
            if let Item::Special { id, text, .. } = item
                && text.as_deref() == self.shown(*id)
            {
                *text = None;
            }
        }
        items
    }

    fn items(&self, is_pair: bool, add_special_tokens: bool) -> Result<&[Item]> {
        match &self.frames[usize::from(is_pair)][usize::from(add_special_tokens)] {
            Ok(items) => Ok(items),
            Err(reason) => Err(Error::Setting(reason.clone())),
        }
    }

    /// The model.
    pub fn model(&self) -> &AnyModel {
        &self.model
    }

    /// The decoder.
    pub fn decoder(&self) -> Option<&AnyDecoder> {
        self.decoder.as_ref()
    }

    /// The added tokens.
    pub fn added_tokens(&self) -> &AddedTokens {
        &self.added
    }

    /// The id of a token: added tokens first.
    pub fn token_to_id(&self, token: &str) -> Option<u32> {
        match self.added.by_content(token) {
            Some(added) => Some(added.id),
            None => self.model.as_dyn().vocabulary().id(token),
        }
    }

    /// The token of an id: added tokens first, in the form in which they are matched.
    pub fn id_to_token(&self, id: u32) -> Option<&str> {
        match self.added.by_id(id) {
            Some(added) => Some(&added.shown),
            None => self.model.as_dyn().vocabulary().token(id),
        }
    }

    /// What a token of an id is shown with if it has no text of its own: what the model calls it, as most tokens are the model's.
    pub fn shown(&self, id: u32) -> Option<&str> {
        let of_model = self.model.as_dyn().vocabulary().token(id);
        of_model.or_else(|| self.added.by_id(id).map(|added| added.shown.as_str()))
    }

    fn trims(&self) -> &TrimTable {
        self.trims.get_or_init(|| {
            let of_model = self.model.as_dyn().vocabulary().iter().map(|(_, id)| id);
            let ids: Vec<u32> = of_model.chain(self.added.tokens().iter().map(|t| t.id)).collect();
            TrimTable::new(ids.into_iter().map(|id| (id, self.shown(id).unwrap_or_default())))
        })
    }
}
