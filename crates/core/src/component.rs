//! The registry: one component = one Rust file = one line in the list of its family.
//!
//! The list of a family is the call of [`component_family!`]; it makes the modules, the enum, the names, parsing with paths
//! in the errors, and writing. The Python side keeps one list a family too; a test holds the two equal.

use crate::error::{Error, Result};
use serde_json::Value;

/// Parse the fields of a component; the error names the path below the component.
///
/// # Errors
/// [`Error::Spec`] with the path of the field that is missing or has the wrong type.
pub fn parse_fields<T: serde::de::DeserializeOwned>(fields: Value) -> Result<T> {
    serde_path_to_error::deserialize(fields).map_err(|e| {
        let path = match e.path().to_string() {
            p if p == "." => String::new(),
            p => p,
        };
        Error::spec(path, e.inner())
    })
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
        None => Ok(None),
        Some(Value::String(name)) => Ok(Some(name)),
        Some(other) => Err(Error::spec("type", format!("expected a string, got `{other}`"))),
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
/// Each module holds a struct of the given name that implements the trait, `Serialize` and `Deserialize`. The family gets
/// `NAMES`, `parse`, `name`, `as_dyn` and `Serialize`. A family's `mod.rs` gives `fn untagged(&Value) -> Result<Option<&'static
/// str>>`, which names the component that a description without a known `type` stands for (legacy files).
#[macro_export]
macro_rules! component_family {
    ($(#[$doc:meta])* pub enum $any:ident: $trait:ident, $family:literal { $($name:ident => $module:ident,)+ }) => {
        $(pub mod $module;)+

        $(#[$doc])*
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub enum $any {
            $(#[doc = concat!("See [`", stringify!($module), "::", stringify!($name), "`].")] $name($module::$name),)+
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
                    None => untagged(&value)?,
                };
                match name {
                    $(Some(stringify!($name)) => Ok(Self::$name($crate::component::parse_fields(value)?)),)+
                    _ => Err(match tag {
                        Some(t) => $crate::error::Error::spec("type", format!(
                            "unknown {} `{t}`, expected one of `{}`", $family, Self::NAMES.join("`, `"))),
                        None => $crate::error::Error::spec("", concat!("missing `type` of the ", $family)),
                    }),
                }
            }

            /// The `type` of this component.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$name(_) => stringify!($name),)+ }
            }

            /// The component behind its trait.
            pub fn as_dyn(&self) -> &dyn $trait {
                match self { $(Self::$name(c) => c,)+ }
            }
        }

        impl serde::Serialize for $any {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                match self { $(Self::$name(c) => $crate::component::tagged(stringify!($name), c, serializer),)+ }
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
