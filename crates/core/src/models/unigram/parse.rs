//! Reading a Unigram model from `tokenizer.json`, in one pass over the text.

use super::{Unigram, UnigramOptions, Vocabulary};
use crate::component::{self, AppendTo};
use crate::error::Result;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use std::sync::LazyLock;

struct Entries {
    vocabulary: Vocabulary,
    scores: Vec<f64>,
}

/// Reads one `[token, score]`; the token goes to the end of the string.
struct EntrySeed<'a>(&'a mut String);

impl<'de> serde::de::DeserializeSeed<'de> for EntrySeed<'_> {
    type Value = f64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<f64, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for EntrySeed<'_> {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a pair of token and score")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut pair: A) -> std::result::Result<f64, A::Error> {
        pair.next_element_seed(AppendTo(self.0))?
            .ok_or_else(|| A::Error::invalid_length(0, &"a pair of token and score"))?;
        let number: &RawValue =
            pair.next_element()?.ok_or_else(|| A::Error::invalid_length(1, &"a pair of token and score"))?;
        let score = score(number.get()).map_err(A::Error::custom)?;
        match pair.next_element::<serde::de::IgnoredAny>()? {
            None => Ok(score),
            Some(_) => Err(A::Error::invalid_length(3, &"a pair of token and score")),
        }
    }
}

/// A number of JSON, rounded as the reference does it: the digits as far as a `u64` holds them become a float, which then is
/// multiplied or divided by a power of ten. That is off by one in the last place now and then. Rounding decides between paths
/// that consist of the same entries in another order (runs of one character), so the ids need the same last place.
fn score(number: &str) -> Result<f64, String> {
    let digits = number.strip_prefix('-').unwrap_or(number);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(format!("expected a number as the score, got `{number}`"));
    }
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut significand: u64 = 0;
    let mut scale: i32 = 0;
    let mut is_full = false;
    for (digit, is_whole) in whole.bytes().map(|d| (d, true)).chain(fraction.bytes().map(|d| (d, false))) {
        let next = significand.checked_mul(10).and_then(|s| s.checked_add(u64::from(digit - b'0')));
        if let Some(next) = next.filter(|_| !is_full) {
            significand = next;
            scale -= i32::from(!is_whole);
        } else {
            is_full = true;
            scale += i32::from(is_whole);
        }
    }
    // Out of the range of i32 is far out of that of floats.
    let bound = if exponent.starts_with('-') { i32::MIN } else { i32::MAX };
    scale = scale.saturating_add(exponent.parse().unwrap_or(bound));
    #[expect(clippy::cast_precision_loss, reason = "this is the first of the two roundings")]
    let mut value = significand as f64;
    while value != 0.0 && scale < -308 {
        value /= 1e308;
        scale += 308;
    }
    if value != 0.0 && scale != 0 {
        let power = POWERS.get(scale.unsigned_abs() as usize).copied().unwrap_or(f64::INFINITY);
        value = if scale > 0 { value * power } else { value / power };
    }
    if value.is_infinite() {
        return Err(format!("the score `{number}` is out of range"));
    }
    Ok(if number.starts_with('-') { -value } else { value })
}

/// The powers of ten that a float can hold, each rounded once.
static POWERS: LazyLock<Vec<f64>> =
    LazyLock::new(|| (0..=308).filter_map(|exponent| format!("1e{exponent}").parse().ok()).collect());

struct EntryList;

impl<'de> Visitor<'de> for EntryList {
    type Value = Entries;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of pairs of token and score")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Entries, A::Error> {
        let mut builder = Vocabulary::builder(0, 0);
        let mut scores = Vec::new();
        let mut token = String::new();
        let mut bytes = 0;
        while let Some(score) = list.next_element_seed(EntrySeed(&mut token))? {
            builder.append(&token, scores.len() as u32);
            scores.push(score);
            bytes += token.len();
            token.clear();
            if bytes > u32::MAX as usize / 2 {
                return Err(A::Error::custom("the vocabulary holds over 2 GiB of text"));
            }
        }
        Ok(Entries { vocabulary: builder.build(), scores })
    }
}

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_seq(EntryList)
    }
}

#[derive(Deserialize)]
struct Fields {
    #[serde(default)]
    unk_id: Option<u32>,
    vocab: Entries,
    #[serde(default)]
    byte_fallback: bool,
}

impl Unigram {
    /// Parse a model from its JSON.
    ///
    /// # Errors
    /// `Error::Spec` with the path below the model: a missing key, a wrong type, an `unk_id` that is no id.
    pub fn parse(json: &RawValue) -> Result<Self> {
        let Fields { unk_id, vocab: Entries { vocabulary, scores }, byte_fallback } =
            component::parse_text(json.get())?;
        let options = UnigramOptions { unk_id, byte_fallback, ..UnigramOptions::default() };
        Self::from_vocabulary(vocabulary, scores, options)
    }
}

#[cfg(test)]
mod tests {
    use super::score;

    #[test]
    fn numbers_are_rounded_twice() {
        let bits = |number: &str| score(number).unwrap().to_bits();
        for same in
            ["0", "-0", "-0.0", "1.5", "-2e3", "0.1", "1e22", "1E+2", "5e-324", "-1.7976931348623157e308", "1e-400"]
        {
            assert_eq!(bits(same), same.parse::<f64>().unwrap().to_bits(), "{same}");
        }
        // Read by the reference and written again; all but the last differ from the nearest float.
        for (number, read) in [
            ("-9.835111514935019", "-9.83511151493502"),
            ("-9.932168958127036", "-9.932168958127036"),
            ("-9.076735021034981", "-9.07673502103498"),
            ("-1.1140074978481262", "-1.1140074978481262"),
        ] {
            assert_eq!(bits(number), read.parse::<f64>().unwrap().to_bits(), "{number}");
        }
        assert_eq!(bits("123456789012345678901234567890"), 1.234_567_890_123_456_8e29_f64.to_bits());
        assert!(score("1e999").unwrap_err().contains("out of range"));
        assert!(score("\"1\"").unwrap_err().ends_with("got `\"1\"`"));
    }
}
