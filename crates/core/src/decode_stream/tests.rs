//! What comes out of a stream, joined, is what decoding at once gives.

use super::stage::{flatten, stages};
use super::*;
use crate::models::{AnyModel, Vocabulary, WordLevel, wordlevel::WordLevelOptions};
use crate::program::Parts;
use proptest::prelude::*;

const TOKENS: [&str; 22] = [
    "▁a", "▁", "b▁", "▁▁c", "##d", "e</w>", "<0xC3>", "<0xA9>", "<0xE5>", "<0xFF>", "<0x41>", "Ã", "©", "Ġx", "|",
    "<pad>", " ", "  f ", "do not", ".", "é", "",
];

fn program(decoder: Option<&str>) -> Program {
    let vocabulary: Vocabulary = TOKENS.iter().zip(0u32..).map(|(t, i)| (*t, i)).collect();
    let decoder = decoder.map(|json| AnyDecoder::parse(serde_json::from_str(json).unwrap()).unwrap());
    let model = AnyModel::WordLevel(WordLevel::new(vocabulary, WordLevelOptions { unk_token: String::new() }));
    let parts = Parts {
        normalizer: None,
        pre_tokenizer: None,
        model,
        post_processor: None,
        decoder,
        added_tokens: Vec::new(),
        encode_special_tokens: false,
    };
    Program::compile(parts).unwrap()
}

fn joined(program: &Program, ids: &[u32]) -> String {
    let mut stream = DecodeStream::new(false);
    let mut out: String = ids.iter().filter_map(|id| stream.step(program, &[*id]).unwrap()).collect();
    out.push_str(&stream.flush(program).unwrap().unwrap_or_default());
    out
}

const DECODERS: [&str; 16] = [
    r#"{"type":"ByteFallback"}"#,
    r#"{"type":"Fuse"}"#,
    r#"{"type":"BPEDecoder","suffix":"</w>"}"#,
    r###"{"type":"WordPiece","prefix":"##","cleanup":true}"###,
    r#"{"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true}"#,
    r#"{"type":"Metaspace","replacement":"▁","prepend_scheme":"never","split":true}"#,
    r#"{"type":"CTC","pad_token":"<pad>","word_delimiter_token":"|","cleanup":true}"#,
    r#"{"type":"ByteLevel","add_prefix_space":true,"trim_offsets":true,"use_regex":true}"#,
    r#"{"type":"Strip","content":" ","start":1,"stop":0}"#,
    r#"{"type":"Strip","content":" ","start":1,"stop":2}"#,
    r#"{"type":"Strip","content":"▁","start":0,"stop":1}"#,
    r#"{"type":"Replace","pattern":{"String":"▁"},"content":" "}"#,
    r#"{"type":"Replace","pattern":{"String":"  "},"content":"_"}"#,
    r#"{"type":"Replace","pattern":{"String":"▁▁"},"content":""}"#,
    r#"{"type":"Replace","pattern":{"Regex":"[aeiou]"},"content":"*"}"#,
    r#"{"type":"Replace","pattern":{"String":"b▁▁c"},"content":"X"}"#,
];

proptest! {
    #[test]
    fn a_stream_gives_what_decoding_gives(
        chain in prop::collection::vec(prop::sample::select(DECODERS.to_vec()), 0..4),
        ids in prop::collection::vec(0..TOKENS.len() as u32, 0..12),
    ) {
        let json = format!(r#"{{"type":"Sequence","decoders":[{}]}}"#, chain.join(","));
        let program = program(Some(&json));
        let whole = program.decode(&ids, false).unwrap();
        let mut flat = Vec::new();
        flatten(program.decoder().unwrap(), &mut flat);
        // Only where stages do the work is equality promised.
        if stages(&flat).is_some() {
            prop_assert_eq!(joined(&program, &ids), whole);
        }
    }
}

#[test]
fn an_unfinished_character_is_held_back_and_nothing_else() {
    let program = program(Some(DECODERS[7]));
    let id = |token: &str| TOKENS.iter().position(|t| *t == token).unwrap() as u32;
    let mut stream = DecodeStream::new(false);
    assert_eq!(stream.step(&program, &[id("Ġx"), id("Ã")]).unwrap().as_deref(), Some(" x"));
    let mut twin = stream.clone();
    assert_eq!(stream.step(&program, &[id("©")]).unwrap().as_deref(), Some("é"));
    assert_eq!(stream.flush(&program).unwrap(), None);
    assert_eq!(twin.step(&program, &[id("Ã")]).unwrap().as_deref(), Some("\u{fffd}"));
    assert_eq!(twin.flush(&program).unwrap().as_deref(), Some("\u{fffd}"));
}

#[test]
fn without_a_decoder_tokens_are_joined_with_blanks() {
    let program = program(None);
    assert_eq!(joined(&program, &[0, 4, 9]), program.decode(&[0, 4, 9], false).unwrap());
}
