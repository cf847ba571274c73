//! Text with spans: byte spans inside the crate, code-point spans at its border.

pub mod aligned;
pub mod base64;
pub mod byte_alphabet;
pub mod byte_level;
pub mod char_index;
pub mod classes;
pub mod pretokens;
pub mod span;
pub mod unicode;
pub mod unicode_forms;
pub mod unicode_scripts;
pub mod unicode_table;
pub mod word_mark;

pub use aligned::{AlignedText, Editor};
pub use char_index::CharIndex;
pub use pretokens::{Cuts, Piece, Pretokens};
pub use span::{ByteSpan, CharSpan};
