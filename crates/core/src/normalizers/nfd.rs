//! Unicode normalization form NFD.

use super::Normalizer;
use crate::error::Result;
use crate::text::AlignedText;
use crate::text::unicode_forms::Form;
use serde::{Deserialize, Serialize};

/// Canonical decomposition. Tables of Unicode 9: younger characters are left alone.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct NFD {}

impl Normalizer for NFD {
    fn normalize(&self, text: &mut AlignedText) -> Result<()> {
        Form::Nfd.normalize(text);
        Ok(())
    }

    fn is_identity(&self, text: &str) -> bool {
        Form::Nfd.is_normalized(text)
    }
}
