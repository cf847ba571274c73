//! The word mark `▁` that stands for a blank, as `Metaspace` writes it and reads it back.

use serde::{Deserialize, Serialize};

/// When a word mark is put in front of a text that has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PrependScheme {
    /// Only at the start of the original text.
    First,
    /// Never.
    Never,
    /// In front of every piece.
    #[default]
    Always,
}

/// The settings of `Metaspace`, which its pre-tokenizer and its decoder share.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Fields")]
pub struct WordMark {
    /// What stands for a blank.
    pub replacement: char,
    /// When one is put in front.
    pub prepend_scheme: PrependScheme,
    /// Whether pieces are cut before each mark.
    pub split: bool,
}

impl Default for WordMark {
    fn default() -> Self {
        Self { replacement: '▁', prepend_scheme: PrependScheme::Always, split: true }
    }
}

/// The description, with the keys of older files.
#[derive(Deserialize)]
struct Fields {
    replacement: char,
    #[serde(default)]
    prepend_scheme: PrependScheme,
    split: Option<bool>,
    add_prefix_space: Option<bool>,
}

impl TryFrom<Fields> for WordMark {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<Self, Self::Error> {
        if fields.add_prefix_space == Some(false) && fields.prepend_scheme != PrependScheme::Never {
            return Err("`add_prefix_space` is false, so `prepend_scheme` must be `never`");
        }
        let Fields { replacement, prepend_scheme, split, .. } = fields;
        Ok(Self { replacement, prepend_scheme, split: split.unwrap_or(true) })
    }
}
