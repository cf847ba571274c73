//! Several normalizers, one after the other.

use super::{AnyNormalizer, Normalizer};
use crate::component::{Parse, parse_list};
use crate::error::Result;
use crate::text::AlignedText;
use serde::Serialize;
use serde_json::Value;

/// Applies each of its normalizers to what the one before has made.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Sequence {
    /// In the order of application.
    pub normalizers: Vec<AnyNormalizer>,
}

impl Parse for Sequence {
    fn parse(fields: Value) -> Result<Self> {
        Ok(Self { normalizers: parse_list(fields, "normalizers", AnyNormalizer::parse)? })
    }
}

impl Normalizer for Sequence {
    fn normalize(&self, text: &mut AlignedText) -> Result<()> {
        self.normalizers.iter().try_for_each(|normalizer| normalizer.as_dyn().normalize(text))
    }

    fn is_identity(&self, text: &str) -> bool {
        self.normalizers.iter().all(|normalizer| normalizer.as_dyn().is_identity(text))
    }
}
