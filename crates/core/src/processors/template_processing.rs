//! Rows by template: any special tokens in any place, with any type ids.

use super::{PostProcessor, with_type_id};
use crate::columns::Item;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A place in a template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Piece {
    /// A sequence of the input.
    Sequence {
        /// Which one.
        id: SequenceName,
        /// Type id of its tokens.
        type_id: u32,
    },
    /// The tokens of a special token.
    SpecialToken {
        /// Its name among the template's `special_tokens`.
        id: String,
        /// Type id of its tokens.
        type_id: u32,
    },
}

/// The two sequences of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SequenceName {
    /// The first.
    A,
    /// The second.
    B,
}

/// What the name of a special token stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecialToken {
    /// The name.
    pub id: String,
    /// Ids, all of which are put in.
    pub ids: Vec<u32>,
    /// Their texts.
    pub tokens: Vec<String>,
}

/// One template for a single input and one for a pair.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct TemplateProcessing {
    /// For a single input.
    pub single: Vec<Piece>,
    /// For a pair.
    pub pair: Vec<Piece>,
    /// What the names stand for.
    pub special_tokens: BTreeMap<String, SpecialToken>,
}

#[derive(Deserialize)]
struct Unchecked {
    single: Vec<Piece>,
    pair: Vec<Piece>,
    special_tokens: BTreeMap<String, SpecialToken>,
}

impl TryFrom<Unchecked> for TemplateProcessing {
    type Error = String;

    fn try_from(value: Unchecked) -> std::result::Result<Self, String> {
        let Unchecked { single, pair, special_tokens } = value;
        for (name, token) in &special_tokens {
            if token.ids.len() != token.tokens.len() {
                let (ids, tokens) = (token.ids.len(), token.tokens.len());
                return Err(format!("special token `{name}` has `{ids}` ids but `{tokens}` tokens"));
            }
        }
        for (name, template) in [("single", &single), ("pair", &pair)] {
            for piece in template {
                match piece {
                    Piece::SpecialToken { id, .. } if !special_tokens.contains_key(id) => {
                        return Err(format!("template `{name}` names `{id}`, which is not among its special_tokens"));
                    }
                    Piece::Sequence { id: SequenceName::B, .. } if name == "single" => {
                        return Err(
                            "template `single` names the sequence `$B`, which a single input does not have".into()
                        );
                    }
                    _ => {}
                }
            }
        }
        Ok(Self { single, pair, special_tokens })
    }
}

impl PostProcessor for TemplateProcessing {
    fn arrange(&self, parts: Vec<Vec<Item>>, add_special_tokens: bool) -> Result<Vec<Vec<Item>>> {
        let template = match parts.len() {
            1 => &self.single,
            2 => &self.pair,
            n => {
                return Err(Error::spec(
                    "",
                    format!("a template takes one sequence or two, the processor before it gives `{n}`"),
                ));
            }
        };
        let mut out = Vec::new();
        for piece in template {
            match piece {
                Piece::Sequence { id, type_id } => {
                    let mut part = parts.get(*id as usize).cloned().unwrap_or_default();
                    with_type_id(&mut part, *type_id);
                    out.push(part);
                }
                Piece::SpecialToken { id, type_id } if add_special_tokens => {
                    let token = &self.special_tokens[id];
                    let item = |(&id, text): (&u32, &String)| Item::Special {
                        id,
                        text: Some(text.as_str().into()),
                        type_id: *type_id,
                        is_masked: true,
                    };
                    out.push(token.ids.iter().zip(&token.tokens).map(item).collect());
                }
                Piece::SpecialToken { .. } => {}
            }
        }
        Ok(out)
    }
}
