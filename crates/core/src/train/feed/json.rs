//! The text in a line of JSON.

use std::borrow::Cow;
use std::fmt;

use crate::component::without_place;
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor};

/// The text in a field of an object; other fields are passed over. If the field is there twice, the last one counts.
///
/// # Errors
/// What is wrong with the line, for behind a place.
pub(super) fn text_of_field<'a>(line: &'a str, field: &str) -> Result<Cow<'a, str>, String> {
    let mut deserializer = serde_json::Deserializer::from_str(line.trim_ascii_end());
    let found = deserializer
        .deserialize_map(Object(field))
        .and_then(|found| deserializer.end().map(|()| found))
        .map_err(|e| {
            let (what, column) = (without_place(&e), e.column());
            format!("is no JSON object with a text in `{field}`: {what}, in column {column} of the line")
        })?;
    found.ok_or_else(|| format!("has no field `{field}`"))
}

struct Object<'a>(&'a str);

impl<'de> Visitor<'de> for Object<'_> {
    type Value = Option<Cow<'de, str>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(name) = map.next_key_seed(Text)? {
            if name == self.0 {
                found = Some(map.next_value_seed(Text)?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// A string, borrowed where it has no escapes.
struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_is_found_among_others() {
        let line = r#"{"id": 3, "meta": {"text": "no"}, "text": "a\nb", "more": [1, null]}"#;
        assert_eq!(text_of_field(line, "text").unwrap(), "a\nb");
        assert!(matches!(text_of_field(r#"{"t": "plain"}"#, "t"), Ok(Cow::Borrowed("plain"))));
        assert_eq!(text_of_field("{}", "t").unwrap_err(), "has no field `t`");
        for wrong in [r#"{"t": 3}"#, r#"{"t": null}"#, "[]", r#"{"t": "a"} x"#, r#"{"t": "a""#] {
            let reason = text_of_field(wrong, "t").unwrap_err();
            assert!(reason.starts_with("is no JSON object with a text in `t`: "), "{reason}");
        }
        let reason = text_of_field("{\"t\": \"a\"\n", "t").unwrap_err();
        assert!(reason.ends_with("EOF while parsing an object, in column 9 of the line"), "{reason}");
    }
}
