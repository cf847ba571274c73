//! Numbers by themselves.

use super::PreTokenizer;
use crate::error::Result;
use crate::text::Pretokens;
use serde::{Deserialize, Serialize};

/// Sets numeric characters (Nd, Nl and No of Unicode 17) apart from the rest.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Digits {
    /// Whether each stands alone, or runs of them stay together.
    pub individual_digits: bool,
}

impl PreTokenizer for Digits {
    fn pre_tokenize(&self, pretokens: &mut Pretokens) -> Result<()> {
        pretokens.cut(|text, cuts| {
            let mut start = 0;
            let mut inside = false;
            for (at, c) in text.char_indices() {
                let is_number = c.is_numeric();
                if is_number != inside || is_number && self.individual_digits {
                    cuts.keep(start..at);
                    (start, inside) = (at, is_number);
                }
            }
            cuts.keep(start..text.len());
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::pieces_of;
    use super::*;

    #[test]
    fn runs_or_single_digits() -> Result<()> {
        let runs = Digits { individual_digits: false };
        assert_eq!(pieces_of(&runs, "a12½ b一Ⅷ")?, ["a 0..1", "12½ 1..5", " b一 5..10", "Ⅷ 10..13"]);
        let single = Digits { individual_digits: true };
        assert_eq!(pieces_of(&single, "12a3")?, ["1 0..1", "2 1..2", "a 2..3", "3 3..4"]);
        Ok(())
    }
}
