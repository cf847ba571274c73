//! Ids back to text.

use super::Program;
use crate::added_tokens::Compiled;
use crate::decoders::{AnyDecoder, DecodeToken};
use crate::error::Result;
use crate::steps;
use crate::text::byte_alphabet::{char_to_byte, push_bytes};
use std::borrow::Cow;

/// The bytes of every id, where decoding is nothing but joining them.
#[derive(Debug)]
pub(super) struct ByteTable {
    bytes: Vec<u8>,
    /// Where the bytes of each id start; unknown ids have none.
    starts: Vec<u32>,
}

impl Program {
    /// The text of some ids. Ids that no token has are passed over, special tokens on request.
    ///
    /// # Errors
    /// Those of the decoder.
    pub fn decode(&self, ids: &[u32], skip_special_tokens: bool) -> Result<String> {
        if let Some(table) = self.decode_table.get_or_init(|| self.byte_table()) {
            return Ok(self.decode_bytes(table, ids, skip_special_tokens));
        }
        let tokens: Vec<DecodeToken<'_>> =
            ids.iter().filter_map(|&id| self.decode_token(id, skip_special_tokens)).collect();
        match &self.decoder {
            Some(decoder) => decoder.as_dyn().decode(tokens),
            None => Ok(tokens.iter().map(|t| &*t.text).collect::<Vec<_>>().join(" ")),
        }
    }

    /// The token of an id on its way into the decoder.
    pub fn decode_token(&self, id: u32, skip_special_tokens: bool) -> Option<DecodeToken<'_>> {
        match self.added.by_id(id) {
            Some(_) if skip_special_tokens && self.added.is_special(id) => None,
            Some(added) if added.is_spelled || self.completed_byte(added).is_some() => {
                Some(DecodeToken::ordinary(added.shown.as_str()))
            }
            Some(added) => Some(DecodeToken::added(added.shown.as_str())),
            None => self.model.as_dyn().vocabulary().token(id).map(DecodeToken::ordinary),
        }
    }

    /// The byte that an added token stands for, if it completes the byte alphabet of a vocabulary that lacks its letter: some files
    /// add the letters of bytes that no UTF-8 text has. Any other added token is plain text.
    fn completed_byte(&self, added: &Compiled) -> Option<u8> {
        let mut letters = added.shown.chars();
        let byte = char_to_byte(letters.next()?)?;
        let is_completed = letters.next().is_none()
            && matches!(byte, 0xC0 | 0xC1 | 0xF5..)
            && self.model.as_dyn().vocabulary().id(&added.shown).is_none();
        is_completed.then_some(byte)
    }

    fn byte_table(&self) -> Option<ByteTable> {
        let Some(AnyDecoder::ByteLevel(_)) = &self.decoder else { return None };
        let end = u32::try_from(self.model.as_dyn().vocabulary().end()).ok()?;
        if end as usize > self.model.as_dyn().vocabulary().len() * 8 + 1024 {
            return None; // ids so far apart that a table of them would be mostly empty
        }
        let mut table = ByteTable { bytes: Vec::new(), starts: vec![0] };
        for id in 0..end {
            if let Some(token) = self.model.as_dyn().vocabulary().token(id) {
                push_spelled(token, &mut table.bytes);
            }
            table.starts.push(table.bytes.len() as u32);
        }
        Some(table)
    }

    fn decode_bytes(&self, table: &ByteTable, ids: &[u32], skip_special_tokens: bool) -> String {
        let mut out = Vec::with_capacity(ids.len() * 5);
        for &id in ids {
            steps::count(1);
            let added = self.added.by_id(id);
            if added.is_some() && skip_special_tokens && self.added.is_special(id) {
                continue;
            }
            if let Some(added) = added {
                match self.completed_byte(added) {
                    Some(byte) => out.push(byte),
                    None if added.is_spelled => push_spelled(&added.shown, &mut out),
                    None => out.extend_from_slice(added.shown.as_bytes()),
                }
            } else if let Some([start, end]) = table.starts.get(id as usize..).and_then(<[u32]>::first_chunk::<2>) {
                out.extend_from_slice(&table.bytes[*start as usize..*end as usize]);
            }
        }
        String::from_utf8(out).unwrap_or_else(|e| match String::from_utf8_lossy(e.as_bytes()) {
            Cow::Borrowed(text) => text.to_owned(),
            Cow::Owned(text) => text,
        })
    }
}

/// Add the bytes that a token spells, or its own if it has a letter that is none of the byte alphabet.
fn push_spelled(token: &str, out: &mut Vec<u8>) {
    if !push_bytes(token, out) {
        out.extend_from_slice(token.as_bytes());
    }
}
