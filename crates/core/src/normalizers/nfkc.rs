//! Unicode normalization form NFKC.

use super::Normalizer;
use crate::error::Result;
use crate::text::AlignedText;
use crate::text::unicode_forms::Form;
use serde::{Deserialize, Serialize};

/// Compatibility decomposition followed by canonical composition. Tables of Unicode 9: younger characters are left alone.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct NFKC {}

impl Normalizer for NFKC {
    fn normalize(&self, text: &mut AlignedText) -> Result<()> {
        Form::Nfkc.normalize(text);
        Ok(())
    }

    fn is_identity(&self, text: &str) -> bool {
        Form::Nfkc.is_normalized(text)
    }
}
