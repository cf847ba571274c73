//! The character map of a SentencePiece model.

mod trie;

use super::Normalizer;
use crate::component::{Parse, parse_fields};
use crate::error::{Error, Result};
use crate::text::classes::CharSet;
use crate::text::{AlignedText, ByteSpan, Editor, base64};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};
use trie::DoubleArray;

/// Replaces the longest prefix of the rest of the text that the map knows, again and again; what it does not know stays.
///
/// The blob holds the size in bytes of the trie (u32, little endian), the trie, and the replacements, each ended by a NUL; the
/// values of the trie are offsets into them. Source: Kudo and Richardson 2018, SentencePiece, `Normalizer::NormalizePrefix`.
#[derive(Clone)]
pub struct Precompiled {
    map: Arc<Map>,
}

struct Map {
    blob: Vec<u8>,
    trie: DoubleArray,
    replacements: String,
    /// What [`Precompiled::may_drop`] looks for.
    dropped: OnceLock<CharSet>,
}

impl std::fmt::Debug for Precompiled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Precompiled").field("len", &self.map.blob.len()).finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct Fields {
    precompiled_charsmap: String,
}

impl Precompiled {
    /// Read a character map.
    ///
    /// # Errors
    /// `Error::Spec` if the blob is cut short or its replacements are not UTF-8.
    pub fn new(blob: Vec<u8>) -> Result<Self> {
        let malformed =
            |reason: &str| Error::spec("precompiled_charsmap", format!("malformed character map: {reason}"));
        let (size, rest) = blob.split_first_chunk().ok_or_else(|| malformed("it is shorter than 4 bytes"))?;
        let size = u32::from_le_bytes(*size) as usize;
        if !size.is_multiple_of(4) || size > rest.len() {
            return Err(malformed(&format!("a trie of {size} bytes in {} bytes", rest.len())));
        }
        let (trie, replacements) = rest.split_at(size);
        let trie = DoubleArray::from_bytes(trie);
        let replacements =
            std::str::from_utf8(replacements).map_err(|_| malformed("its replacements are not UTF-8"))?;
        let replacements = replacements.to_owned();
        Ok(Self { map: Arc::new(Map { blob, trie, replacements, dropped: OnceLock::new() }) })
    }

    /// The blob that the map was read from.
    pub fn blob(&self) -> &[u8] {
        &self.map.blob
    }

    /// Whether the map knows something longer that begins with `c`.
    pub fn begins_longer(&self, c: char) -> bool {
        self.map.trie.has_longer(c.encode_utf8(&mut [0; 4]).as_bytes())
    }

    /// The characters that occur in what the map knows but not as the first of it; `None` if the map is malformed.
    pub fn continuing_characters(&self) -> Option<HashSet<char>> {
        self.map.trie.continuing_characters()
    }

    /// Whether a text holds a character that begins something which the map drops.
    pub(super) fn may_drop(&self, text: &str) -> bool {
        let dropped = self.map.dropped.get_or_init(|| {
            let first = self.map.trie.keys(&mut |key, found: &mut HashSet<char>| {
                let key = std::str::from_utf8(key).ok()?;
                if let Some((_, "")) = self.longest(key) {
                    found.extend(key.chars().next());
                }
                Some(())
            });
            // Of a malformed map nothing is known.
            CharSet::new(|c| first.as_ref().is_none_or(|first| first.contains(&c)))
        });
        text.contains(|c| dropped.contains(c))
    }

    /// The longest prefix of `text` that the map knows, in bytes, and what replaces it.
    fn longest(&self, text: &str) -> Option<(usize, &str)> {
        let (len, value) = self.map.trie.longest_prefix(text.as_bytes())?;
        // A malformed trie may point anywhere or match a part of a character.
        let rest = self.map.replacements.get(value as usize..)?;
        let end = rest.find('\0').unwrap_or(rest.len());
        text.is_char_boundary(len).then_some((len, &rest[..end]))
    }
}

impl Parse for Precompiled {
    fn parse(fields: Value) -> Result<Self> {
        let Fields { precompiled_charsmap } = parse_fields(fields)?;
        let blob = base64::decode(&precompiled_charsmap);
        Self::new(blob.ok_or_else(|| Error::spec("precompiled_charsmap", "expected base64"))?)
    }
}

impl Serialize for Precompiled {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Precompiled", 1)?;
        fields.serialize_field("precompiled_charsmap", &base64::encode(&self.map.blob))?;
        fields.end()
    }
}

impl Precompiled {
    /// Length in bytes of what is dropped at the start of a text.
    fn dropped_start(&self, text: &str) -> usize {
        let mut at = 0;
        while let Some((len, "")) = self.longest(&text[at..]) {
            at += len;
        }
        at
    }

    /// Normalize a text whose first `dropped` bytes are dropped. As in the reference, the rest then takes the spans of the text
    /// from its start on: every span lies that many characters too early.
    fn normalize_shifted(&self, text: &mut AlignedText, dropped: usize) {
        let mut edit = text.edit();
        let spans: Vec<ByteSpan> = char_spans(&edit, edit.rest().len());
        edit.skip(dropped);
        let mut passed = 0;
        while let Some(c) = edit.peek() {
            let (len, new) = self.longest(edit.rest()).unwrap_or((c.len_utf8(), &edit.rest()[..c.len_utf8()]));
            let new = new.to_owned();
            let count = edit.rest()[..len].chars().count();
            edit.skip(len);
            push_aligned(&mut edit, &spans[passed..passed + count], &new);
            passed += count;
        }
        edit.finish();
    }
}

impl Normalizer for Precompiled {
    fn normalize(&self, text: &mut AlignedText) -> Result<()> {
        let dropped = self.dropped_start(text.as_str());
        if dropped > 0 {
            self.normalize_shifted(text, dropped);
            return Ok(());
        }
        let mut edit = text.edit();
        while let Some(c) = edit.peek() {
            match self.longest(edit.rest()) {
                Some((len, new)) if *new != edit.rest()[..len] => {
                    let old = char_spans(&edit, len);
                    edit.skip(len);
                    push_aligned(&mut edit, &old, new);
                }
                Some((len, _)) => edit.keep(len),
                None => edit.keep(c.len_utf8()),
            }
        }
        edit.finish();
        Ok(())
    }

    fn is_seen_whole(&self, text: &str) -> bool {
        self.dropped_start(text) > 0
    }

    fn is_identity(&self, text: &str) -> bool {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let len = match self.longest(rest) {
                Some((len, new)) if *new == rest[..len] => len,
                Some(_) => return false,
                None => c.len_utf8(),
            };
            rest = &rest[len..];
        }
        true
    }
}

/// The original span of each character in the next `len` bytes of old text.
fn char_spans(edit: &Editor<'_>, len: usize) -> Vec<ByteSpan> {
    let base = edit.position();
    let span = |(at, c): (usize, char)| edit.span_of(base + at..base + at + c.len_utf8());
    edit.rest()[..len].char_indices().map(span).collect()
}

/// Write what old characters have become, given their spans: the k-th new character stands for the k-th old one; what is left
/// over on either side goes to the last.
fn push_aligned(edit: &mut Editor<'_>, old: &[ByteSpan], new: &str) {
    let count = new.chars().count();
    for (at, c) in new.chars().enumerate() {
        let span = old[at.min(old.len() - 1)];
        let span = if at + 1 == count { span.union(old[old.len() - 1]) } else { span };
        edit.push_char(c, span);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A map of two rules, `a` → `x` and `ab` → `yz!`, as a trie of four units laid out by hand.
    fn small_map() -> Vec<u8> {
        const LEAF: u32 = 1 << 8;
        let value = |v: u32| v | 1 << 31;
        let node = |label: u8, offset: u32| u32::from(label) | offset << 10;
        let mut units = vec![0; 0x200];
        units[0] = node(0, 0x100); // the root: children from 0x100 ^ label
        let a = 0x100 ^ 0x61;
        units[a] = node(b'a', a as u32 ^ 0x180) | LEAF;
        units[0x180] = value(0);
        let b = 0x180 ^ 0x62;
        units[b] = node(b'b', b as u32 ^ 0x40) | LEAF;
        units[0x40] = value(2);
        let mut blob = (units.len() as u32 * 4).to_le_bytes().to_vec();
        blob.extend(units.iter().flat_map(|u: &u32| u.to_le_bytes()));
        blob.extend(b"x\0yz!\0");
        blob
    }

    #[test]
    fn the_longest_rule_wins_and_the_rest_stays() -> Result<()> {
        let map = Precompiled::new(small_map())?;
        let mut text = AlignedText::new("caabé", 0);
        map.normalize(&mut text)?;
        assert_eq!(text.as_str(), "cxyz!é");
        let spans = [(0, 1), (1, 2), (2, 3), (3, 4), (3, 4), (4, 6)].map(|(start, end)| ByteSpan::new(start, end));
        assert_eq!(text.byte_origins()[..6], spans);
        assert!(map.is_identity("cé") && !map.is_identity("a"));
        let written = serde_json::to_value(&map).unwrap();
        assert_eq!(Precompiled::parse(written)?.blob(), small_map());
        Ok(())
    }

    #[test]
    fn malformed_maps_are_refused() {
        for blob in [&b""[..], b"abc", b"\x05\0\0\0abcde", b"\xff\xff\xff\xffab", b"\0\0\0\0\xff"] {
            let error = Precompiled::new(blob.to_vec()).unwrap_err().to_string();
            assert!(error.starts_with("precompiled_charsmap: malformed character map"), "{error}");
        }
        let parse = |text: &str| Precompiled::parse(serde_json::json!({ "precompiled_charsmap": text }));
        assert_eq!(parse("%").unwrap_err().to_string(), "precompiled_charsmap: expected base64");
    }

    #[test]
    fn what_is_dropped_at_the_start_shifts_the_spans() -> Result<()> {
        let mut blob = small_map();
        let end = blob.len();
        blob[end - 6..].copy_from_slice(b"\0\0yz!\0"); // `a` is dropped
        let map = Precompiled::new(blob)?;
        let mut text = AlignedText::new("aacad", 0);
        assert!(map.is_seen_whole("ac") && !map.is_seen_whole("ca"));
        map.normalize(&mut text)?;
        assert_eq!(text.as_str(), "cd");
        assert_eq!(text.byte_origins(), [ByteSpan::new(0, 1), ByteSpan::new(2, 3)]);
        Ok(())
    }

    proptest::proptest! {
        #[test]
        fn no_map_makes_it_panic(units: Vec<u32>, replacements: String, text: String) {
            let mut blob = (units.len() as u32 * 4).to_le_bytes().to_vec();
            blob.extend(units.iter().flat_map(|u| u.to_le_bytes()));
            blob.extend(replacements.bytes());
            let mut text = AlignedText::new(&text, 0);
            proptest::prop_assert!(Precompiled::new(blob).unwrap().normalize(&mut text).is_ok());
        }
    }
}
