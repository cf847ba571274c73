//! Unicode normalization form NFKD.

use super::Normalizer;
use crate::error::Result;
use crate::text::AlignedText;
use crate::text::unicode_forms::Form;
use serde::{Deserialize, Serialize};

/// Compatibility decomposition. Tables of Unicode 9: younger characters are left alone.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct NFKD {}

impl Normalizer for NFKD {
    fn normalize(&self, text: &mut AlignedText) -> Result<()> {
        Form::Nfkd.normalize(text);
        Ok(())
    }

    fn is_identity(&self, text: &str) -> bool {
        Form::Nfkd.is_normalized(text)
    }
}
