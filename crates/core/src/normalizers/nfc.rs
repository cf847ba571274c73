//! Unicode normalization form NFC.

use super::Normalizer;
use crate::error::Result;
use crate::text::AlignedText;
use crate::text::unicode_forms::Form;
use serde::{Deserialize, Serialize};

/// Canonical decomposition followed by canonical composition. Tables of Unicode 9: younger characters are left alone.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct NFC {}

impl Normalizer for NFC {
    fn normalize(&self, text: &mut AlignedText) -> Result<()> {
        Form::Nfc.normalize(text);
        Ok(())
    }

    fn is_identity(&self, text: &str) -> bool {
        Form::Nfc.is_normalized(text)
    }
}
