//! Text with spans: byte spans inside the crate, code-point spans at its border.

pub mod aligned;
pub mod span;

pub use aligned::{AlignedText, Editor};
pub use span::{ByteSpan, CharSpan};
