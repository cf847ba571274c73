//! The inner loops of piecework: normalise, split, model, decode, train, and the columns that come out.
//!
//! This crate knows no Python and does no I/O beyond memory-mapped input files. The public `tokenizer.json` is its only
//! contract with the outside: [`spec`] parses it, [`program`] compiles it once, and the compiled program encodes.
//!
//! Dependencies point one way, from the foot of this list to its head; `tests/layering.rs` holds them to it:
//! [`error`], `steps` < [`text`] < [`split`], [`component`] < the five families < [`spec`] < [`program`] < [`train`].

pub mod added_tokens;
pub mod columns;
pub mod component;
pub mod decode_stream;
pub mod decoders;
pub mod error;
pub mod memory;
pub mod models;
pub mod normalizers;
pub mod pre_tokenizers;
pub mod processors;
pub mod program;
pub mod spec;
pub mod split;
mod steps;
pub mod text;
pub mod train;
