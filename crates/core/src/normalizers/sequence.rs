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

    fn is_seen_whole(&self, text: &str) -> bool {
        let mut is_changed = false;
        is_seen_whole(&self.normalizers, text, &mut is_changed)
    }
}

/// As [`Normalizer::is_seen_whole`]; `is_changed` tells whether `text` may have been changed already.
fn is_seen_whole(normalizers: &[AnyNormalizer], text: &str, is_changed: &mut bool) -> bool {
    normalizers.iter().any(|normalizer| {
        let is_seen = match normalizer {
            AnyNormalizer::Sequence(inner) => is_seen_whole(&inner.normalizers, text, is_changed),
            AnyNormalizer::Precompiled(map) if *is_changed => map.may_drop(text),
            other => other.as_dyn().is_seen_whole(text),
        };
        *is_changed = true;
        is_seen
    })
}
