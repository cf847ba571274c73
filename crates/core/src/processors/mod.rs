//! Post-processors: what a row consists of, decided once when a tokenizer is compiled.
//!
//! Whatever a processor does (put in special tokens, set type ids, trim spans, order the sequences) is a list of [`Item`]s that
//! does not depend on the text. So a processor here maps lists of items to lists of items, and rows are made by
//! [`crate::columns::assemble`].

use crate::columns::{Item, SequenceItem};
use crate::component_family;
use crate::error::Result;
use serde_json::Value;
use std::fmt::Debug;

/// A stage that says what a row consists of.
pub trait PostProcessor: Debug + Send + Sync {
    /// Map what the processors before gave, one list for each of their outputs; at first one list for each sequence of the input.
    ///
    /// # Errors
    /// `Error::Spec` where this processor cannot follow the one before it.
    fn arrange(&self, parts: Vec<Vec<Item>>, add_special_tokens: bool) -> Result<Vec<Vec<Item>>>;
}

component_family! {
    /// Any post-processor.
    pub enum AnyProcessor: PostProcessor, "post-processor" {
        BertProcessing => bert_processing,
        ByteLevel => byte_level,
        RobertaProcessing => roberta_processing,
        Sequence => sequence,
        TemplateProcessing => template_processing,
    }
}

impl AnyProcessor {
    /// Parse a description. `BertProcessing` and `RobertaProcessing` are told apart by their keys alone, as files rely on.
    ///
    /// # Errors
    /// `Error::Spec` with the path below this component.
    pub fn parse_lenient(mut value: Value) -> Result<Self> {
        if let Value::Object(fields) = &mut value
            && fields.contains_key("sep")
            && fields.contains_key("cls")
        {
            let roberta = fields.contains_key("trim_offsets") && fields.contains_key("add_prefix_space");
            fields.insert("type".into(), if roberta { "RobertaProcessing" } else { "BertProcessing" }.into());
        }
        Self::parse(value)
    }

    /// The items of a row for a single input or a pair.
    ///
    /// # Errors
    /// `Error::Spec` where processors of a sequence cannot follow each other.
    pub fn items(processor: Option<&Self>, is_pair: bool, add_special_tokens: bool) -> Result<Vec<Item>> {
        let sequence = |which: u8| {
            // Without a processor type ids are left as they are.
            let type_id = processor.is_some().then_some(u32::from(which));
            vec![Item::Sequence(SequenceItem { which, type_id, keeps_masks: true, trims: Vec::new() })]
        };
        let parts = if is_pair { vec![sequence(0), sequence(1)] } else { vec![sequence(0)] };
        let parts = match processor {
            Some(processor) => processor.as_dyn().arrange(parts, add_special_tokens)?,
            None => parts,
        };
        Ok(parts.into_iter().flatten().collect())
    }
}

/// The component that a description without a known `type` stands for.
fn untagged(value: &Value) -> Option<&'static str> {
    (value.get("single").is_some() && value.get("pair").is_some()).then_some("TemplateProcessing")
}

/// Give all tokens of a list this type id.
fn with_type_id(items: &mut [Item], id: u32) {
    for item in items {
        match item {
            Item::Special { type_id, .. } => *type_id = id,
            Item::Sequence(sequence) => sequence.type_id = Some(id),
        }
    }
}

fn special(token: &(String, u32), type_id: u32) -> Item {
    Item::Special { id: token.1, text: Some(token.0.as_str().into()), type_id, is_masked: true }
}

/// What a processor gives that only the tokens that it puts in itself count as special for.
fn framed(part: Vec<Item>, first: Option<Item>, last: Item) -> Vec<Item> {
    let inside = part.into_iter().map(|mut item| {
        match &mut item {
            Item::Special { is_masked, .. } => *is_masked = false,
            Item::Sequence(sequence) => sequence.keeps_masks = false,
        }
        item
    });
    first.into_iter().chain(inside).chain([last]).collect()
}
