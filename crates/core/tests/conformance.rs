//! The cases of `conformance/`, run on this crate. `conformance/README.md` describes their form.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use piecework_core::columns::{Columns, Padding, Truncation};
use piecework_core::decoders::{AnyDecoder, DecodeToken};
use piecework_core::error::Error;
use piecework_core::pre_tokenizers::AnyPreTokenizer;
use piecework_core::program::{EncodeOptions, Input, Parts, Program, Sequence, Wanted};
use piecework_core::spec::Spec;
use piecework_core::text::{AlignedText, ByteSpan, Pretokens};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use toml::Table;

const INPUTS: [&str; 10] = [
    "why",
    "reference",
    "tokenizer",
    "component",
    "text",
    "pair",
    "tokens_in",
    "ids_in",
    "add_special_tokens",
    "skip_special_tokens",
];

struct Case {
    family: String,
    name: String,
    /// The `tokenizer.json`, for the families that need one.
    tokenizer: String,
    fields: Table,
}

impl Case {
    fn string(&self, key: &str) -> Option<&str> {
        self.fields.get(key).and_then(toml::Value::as_str)
    }

    fn is_on(&self, key: &str) -> bool {
        self.fields.get(key).and_then(toml::Value::as_bool).unwrap_or(true)
    }

    fn component(&self) -> Value {
        serde_json::from_str(self.string("component").unwrap()).unwrap()
    }
}

fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
    let mut files: Vec<PathBuf> = Vec::new();
    for family in fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        files.extend(fs::read_dir(family).unwrap().map(|entry| entry.unwrap().path()));
    }
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let content: Table = fs::read_to_string(&file).unwrap().parse().unwrap();
        let family = file.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        for fields in content["case"].as_array().unwrap() {
            let mut fields = fields.as_table().unwrap().clone();
            if let Some(component) = fields.get_mut("component")
                && let Some(named) = content.get("components").and_then(|c| c.get(component.as_str().unwrap()))
            {
                *component = named.clone();
            }
            let chosen = fields.get("tokenizer").and_then(toml::Value::as_str).unwrap_or("default");
            let tokenizer = content.get("tokenizers").and_then(|t| t.get(chosen)).and_then(toml::Value::as_str);
            cases.push(Case {
                name: format!("{family}/{}: {}", file.file_stem().unwrap().display(), fields["why"].as_str().unwrap()),
                tokenizer: tokenizer.unwrap_or_default().to_owned(),
                family: family.clone(),
                fields,
            });
        }
    }
    cases
}

/// A compiled `tokenizer.json`, with the settings that belong to calls.
struct Tokenizer {
    program: Program,
    truncation: Option<Truncation>,
    padding: Option<Padding>,
}

impl Tokenizer {
    fn compile(json: &str) -> Result<Self, Error> {
        let spec = Spec::parse(json)?;
        let parts = Parts {
            normalizer: spec.normalizer,
            pre_tokenizer: spec.pre_tokenizer,
            model: spec.model,
            post_processor: spec.post_processor,
            decoder: spec.decoder,
            added_tokens: spec.added_tokens.into_iter().map(|added| (added.id, added.token)).collect(),
            encode_special_tokens: false,
        };
        Ok(Self { program: Program::compile(parts)?, truncation: spec.truncation, padding: spec.padding })
    }

    /// A tokenizer of one component and a model.
    fn of(stage: &str, component: &Value, vocab: &Value) -> Result<Self, Error> {
        let model = json!({"type": "BPE", "vocab": vocab, "merges": []});
        Self::compile(&json!({stage: component, "model": model}).to_string())
    }

    fn encode(&self, text: &str, pair: Option<&str>, add_special_tokens: bool, exact: bool) -> Result<Columns, Error> {
        let inputs = [Input { first: Sequence::Text(text), second: pair.map(Sequence::Text) }];
        let options = EncodeOptions {
            add_special_tokens,
            truncation: self.truncation.clone(),
            padding: self.padding.clone(),
            wanted: Wanted::Texts,
            threads: 1,
            exact,
            interrupt: &|| false,
        };
        self.program.encode(&inputs, &options)
    }
}

fn spans(columns: &Columns) -> Value {
    columns.row(0).map(|token| json!([columns.spans[token].start, columns.spans[token].end])).collect()
}

fn run_normalizer(case: &Case, exact: bool) -> Result<Value, Error> {
    let text = case.string("text").unwrap();
    let normalized = case.string("normalized").unwrap();
    // With a token for each character, the tokens are the characters and their spans are those of the characters.
    let characters: BTreeSet<char> = normalized.chars().collect();
    let vocab: serde_json::Map<String, Value> =
        (0..).zip(characters).map(|(id, c)| (c.to_string(), json!(id))).collect();
    let tokenizer = Tokenizer::of("normalizer", &case.component(), &vocab.into())?;
    let columns = tokenizer.encode(text, None, true, exact)?;
    let tokens = columns.ids[columns.row(0)].iter();
    let found: String = tokens.filter_map(|id| tokenizer.program.id_to_token(*id)).collect();
    Ok(json!({"normalized": found, "spans": spans(&columns)}))
}

fn run_pre_tokenizer(case: &Case) -> Result<Value, Error> {
    let text = case.string("text").unwrap();
    let component = AnyPreTokenizer::parse(case.component())?;
    let mut pretokens = Pretokens::new(AlignedText::new(text, 0));
    component.as_dyn().pre_tokenize(&mut pretokens)?;
    let characters = |byte: u32| text[..byte as usize].chars().count();
    let span = |span: ByteSpan| json!([characters(span.start), characters(span.end)]);
    let spans: Value = pretokens.pieces().iter().map(|piece| span(pretokens.origin(piece))).collect();
    Ok(json!({"pretokens": pretokens.iter().collect::<Vec<_>>(), "spans": spans}))
}

fn run_decoder(case: &Case) -> Result<Value, Error> {
    let tokens = case.fields["tokens_in"].as_array().unwrap();
    let tokens = tokens.iter().map(|token| DecodeToken::ordinary(token.as_str().unwrap())).collect();
    Ok(json!({"decoded": AnyDecoder::parse(case.component())?.as_dyn().decode(tokens)?}))
}

fn run_tokenizer(case: &Case, exact: bool) -> Result<Value, Error> {
    let tokenizer = Tokenizer::compile(&case.tokenizer)?;
    let program = &tokenizer.program;
    if let Some(ids) = case.fields.get("ids_in") {
        let ids: Vec<u32> = ids.clone().try_into().unwrap();
        return Ok(json!({"decoded": program.decode(&ids, case.is_on("skip_special_tokens"))?}));
    }
    let special = case.is_on("add_special_tokens");
    let columns = tokenizer.encode(case.string("text").unwrap(), case.string("pair"), special, exact)?;
    let row = columns.row(0);
    let text = |token: usize| columns.text(token).or_else(|| program.shown(columns.ids[token]));
    let words: Vec<i64> =
        row.clone().map(|t| if columns.words[t] == u32::MAX { -1 } else { i64::from(columns.words[t]) }).collect();
    let sequences: Vec<i64> = columns.sequence_ids(0).into_iter().map(|s| s.map_or(-1, i64::from)).collect();
    Ok(json!({
        "ids": columns.ids[row.clone()],
        "tokens": row.clone().map(text).collect::<Vec<_>>(),
        "spans": spans(&columns),
        "type_ids": columns.type_ids(row.clone()),
        "words": words,
        "sequences": sequences,
        "special": columns.special(row.clone()),
        "attention": columns.attention(row),
    }))
}

fn run(case: &Case, exact: bool) -> Result<Value, Error> {
    match case.family.as_str() {
        "normalizers" => run_normalizer(case, exact),
        "pre_tokenizers" => run_pre_tokenizer(case),
        "decoders" => run_decoder(case),
        _ => run_tokenizer(case, exact),
    }
}

/// What differs from the case, a line each; `exact` is the way component by component, without scanners and cache.
fn differences(case: &Case, exact: bool) -> Vec<String> {
    let actual = match run(case, exact) {
        Ok(actual) => actual,
        Err(error) => return vec![format!("{}: {error}", case.name)],
    };
    let expected = case.fields.iter().filter(|(key, _)| !INPUTS.contains(&key.as_str()));
    expected
        .map(|(key, value)| (key, serde_json::to_value(value).unwrap()))
        .filter(|(key, value)| actual[key.as_str()] != *value)
        .map(|(key, value)| format!("{}: {key} is {}, not {value}", case.name, actual[key.as_str()]))
        .collect()
}

#[test]
fn every_case_holds_on_the_exact_path() {
    let wrong: Vec<String> = held().iter().flat_map(|case| differences(case, true)).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_case_holds_on_the_fast_path() {
    let wrong: Vec<String> = held().iter().flat_map(|case| differences(case, false)).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The cases whose description is accepted.
fn held() -> Vec<Case> {
    let held: Vec<Case> = cases().into_iter().filter(|case| !case.fields.contains_key("error")).collect();
    assert!(held.len() > 50, "the cases were not found");
    held
}

#[test]
fn what_is_refused_says_where_and_what() {
    let refused: Vec<Case> = cases().into_iter().filter(|case| case.fields.contains_key("error")).collect();
    assert!(!refused.is_empty(), "the cases were not found");
    let mut wrong = Vec::new();
    for case in refused {
        let message =
            Tokenizer::compile(&case.tokenizer).err().map_or("accepted".to_owned(), |error| error.to_string());
        let parts = case.fields["error"].as_array().unwrap().iter().map(|part| part.as_str().unwrap());
        wrong.extend(
            parts.filter(|part| !message.contains(part)).map(|part| format!("{}: no {part} in: {message}", case.name)),
        );
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
