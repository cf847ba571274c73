//! The registry: one component = one Rust file = one line in the list of its family.
//!
//! The list of a family is the call of [`component_family!`](crate::component_family); it makes the modules, the enum, the names, parsing with paths
//! in the errors, and writing. The Python side keeps one list a family too; a test holds the two equal.

use crate::error::{Error, Result};
use serde_json::Value;
use serde_json::value::RawValue;

/// A component, or a list of components, that can be read from its description.
///
/// Whatever serde can deserialize is one; components that hold other components implement it by [`parse_list`], so that an
/// error inside them keeps its path.
pub trait Parse: Sized {
    /// Read the fields; a `type` among them is ignored.
    ///
    /// # Errors
    /// [`Error::Spec`] with the path below this component.
    fn parse(fields: Value) -> Result<Self>;
}

impl<T: serde::de::DeserializeOwned> Parse for T {
    fn parse(fields: Value) -> Result<Self> {
        parse_fields(fields)
    }
}

/// Parse the components listed under `key`.
///
/// # Errors
/// [`Error::Spec`] if there is no such list, or with the path of the item that cannot be read.
pub fn parse_list<T>(mut fields: Value, key: &str, parse: impl Fn(Value) -> Result<T>) -> Result<Vec<T>> {
    match fields.get_mut(key).map(Value::take) {
        Some(Value::Array(items)) => {
            let at = |(i, item)| parse(item).map_err(|e| e.within(&format!("{key}[{i}]")));
            items.into_iter().enumerate().map(at).collect()
        }
        Some(other) => Err(Error::spec(key, format!("expected a list, got `{other}`"))),
        None => Err(Error::spec("", format!("missing field `{key}`"))),
    }
}

/// Parse the fields of a component; the error names the path below the component.
///
/// # Errors
/// [`Error::Spec`] with the path of the field that is missing or has the wrong type.
pub fn parse_fields<T: serde::de::DeserializeOwned>(fields: Value) -> Result<T> {
    serde_path_to_error::deserialize(fields).map_err(split_path).map_err(|(path, e)| Error::spec(path, e))
}

/// The same for a large component (a model), straight from its text.
///
/// Paths are not tracked at first; only a text that fails is read once more to find where.
///
/// # Errors
/// As [`parse_fields`].
pub fn parse_text<'a, T: serde::Deserialize<'a>>(json: &'a str) -> Result<T> {
    parse_tracked(json).map_err(|(path, e)| Error::spec(path, e))
}

/// The same for a part of a text, in which the lines are not those of the text.
///
/// # Errors
/// As [`parse_fields`].
pub fn parse_part<'a, T: serde::Deserialize<'a>>(json: &'a RawValue) -> Result<T> {
    parse_tracked(json.get()).map_err(|(path, e)| Error::spec(path, without_place(&e)))
}

/// What is wrong with a JSON text, without the line and the column.
pub fn without_place(error: &serde_json::Error) -> String {
    let what = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    what.strip_suffix(&place).map_or_else(|| what.clone(), str::to_owned)
}

/// The path of what cannot be read, empty for the whole, and why.
fn split_path(error: serde_path_to_error::Error<serde_json::Error>) -> (String, serde_json::Error) {
    let path = match error.path().to_string() {
        // A key that cannot be read is no place.
        path if path == "." || path == "?" => String::new(),
        path => path.strip_suffix(".?").map_or_else(|| path.clone(), str::to_owned),
    };
    (path, error.into_inner())
}

/// What is read, or the path of what cannot be, and why.
fn parse_tracked<'a, T: serde::Deserialize<'a>>(json: &'a str) -> Result<T, (String, serde_json::Error)> {
    serde_json::from_str(json).or_else(|_| {
        let mut deserializer = serde_json::Deserializer::from_str(json);
        let value = serde_path_to_error::deserialize(&mut deserializer).map_err(split_path)?;
        deserializer.end().map_err(|e| (String::new(), e)).map(|()| value)
    })
}

/// Reads a value that may be missing but not null.
pub(crate) fn given<'de, D, T>(deserializer: D) -> std::result::Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: serde::Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// The `type` of a component that has not been parsed, if it has one.
///
/// # Errors
/// [`Error::Spec`] if the value is not an object or its `type` is not a string.
pub fn raw_tag(json: &RawValue) -> Result<Option<String>> {
    #[derive(serde::Deserialize)]
    struct Tag {
        #[serde(default, deserialize_with = "given")]
        r#type: Option<String>,
    }
    parse_text::<Tag>(json.get()).map(|t| t.r#type)
}

/// The `type` of a component, if it has one.
///
/// # Errors
/// [`Error::Spec`] if the value is not an object or its `type` is not a string.
pub fn tag(value: &Value) -> Result<Option<&str>> {
    let Value::Object(fields) = value else {
        return Err(Error::spec("", format!("expected an object with a `type`, got `{value}`")));
    };
    match fields.get("type") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(name)) => Ok(Some(name)),
        Some(other) => Err(Error::spec("type", format!("expected a string, got `{other}`"))),
    }
}

/// Reads a string onto the end of another one, without a copy of its own: for vocabularies and merges.
#[derive(Debug)]
pub struct AppendTo<'a>(pub &'a mut String);

impl<'de> serde::de::DeserializeSeed<'de> for AppendTo<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl serde::de::Visitor<'_> for AppendTo<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> std::result::Result<(), E> {
        self.0.push_str(text);
        Ok(())
    }
}

/// Write a component: its `type` first, then its fields in order.
pub fn tagged<S, T>(name: &'static str, fields: &T, serializer: S) -> std::result::Result<S::Ok, S::Error>
where
    S: serde::Serializer,
    T: serde::Serialize,
{
    #[derive(serde::Serialize)]
    struct Tagged<'a, T> {
        r#type: &'static str,
        #[serde(flatten)]
        fields: &'a T,
    }
    serde::Serialize::serialize(&Tagged { r#type: name, fields }, serializer)
}

/// Declare a family of components: `family! { /// docs  pub enum Any: Trait, "family name" { Name => module, ... } }`.
///
/// Each module holds a struct of the given name that implements the trait, `Serialize` and [`Parse`]. The family gets `NAMES`,
/// `parse`, `name`, `as_dyn` and `Serialize`. A family's `mod.rs` gives `fn untagged(&Value) -> Option<&'static str>`,
/// which names the component that a description without a known `type` stands for (legacy files).
///
/// With `, custom` behind the name of the family it also holds components that live outside this crate, as `Custom`. They have
/// no description: writing one is an error.
#[macro_export]
macro_rules! component_family {
    ($(#[$doc:meta])* pub enum $any:ident: $trait:ident, $family:literal $(, $custom:ident)? {
        $($name:ident => $module:ident,)+
    }) => {
        $(pub mod $module;)+

        $(#[$doc])*
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub enum $any {
            $(#[doc = concat!("See [`", stringify!($module), "::", stringify!($name), "`].")] $name($module::$name),)+
            $(#[doc = concat!("A ", stringify!($custom), " component, which lives outside this crate.")]
            Custom(std::sync::Arc<dyn $trait>),)?
        }

        impl $any {
            /// The names of the family, as they stand in `type`.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// Parse a description as it stands in `tokenizer.json`.
            ///
            /// # Errors
            /// `Error::Spec` with the path below this component: an unknown `type`, a missing key, a wrong type of value.
            pub fn parse(value: serde_json::Value) -> $crate::error::Result<Self> {
                let tag = $crate::component::tag(&value)?.map(str::to_owned);
                let known = tag.as_deref().and_then(|t| Self::NAMES.iter().copied().find(|n| *n == t));
                let name = match known {
                    Some(name) => Some(name),
                    None => untagged(&value),
                };
                match name {
                    $(Some(stringify!($name)) => Ok(Self::$name($crate::component::Parse::parse(value)?)),)+
                    _ => Err(match tag {
                        Some(t) => $crate::error::Error::spec("type", format!(
                            "unknown {} `{t}`, expected one of `{}`", $family, Self::NAMES.join("`, `"))),
                        None => $crate::error::Error::spec("", concat!("missing `type` of the ", $family)),
                    }),
                }
            }

            /// The `type` of this component.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$name(_) => stringify!($name),)+
                    $(Self::Custom(_) => stringify!($custom),)?
                }
            }

            /// The component behind its trait.
            pub fn as_dyn(&self) -> &dyn $trait {
                match self {
                    $(Self::$name(component) => component,)+
                    $(Self::Custom(component) => {
                        let _ = stringify!($custom);
                        component.as_ref()
                    })?
                }
            }
        }

        impl serde::Serialize for $any {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                match self {
                    $(Self::$name(component) => $crate::component::tagged(stringify!($name), component, serializer),)+
                    $(Self::Custom(_) => Err(serde::ser::Error::custom(
                        concat!("a ", stringify!($custom), " ", $family, " cannot be written: it has no description"))),)?
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $any {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
                let value = serde_json::Value::deserialize(deserializer)?;
                Self::parse(value).map_err(serde::de::Error::custom)
            }
        }
    };
}
