//! Ten times the text takes about ten times the steps: one table of all components and of contrary texts, hence the length.

use super::of;
use crate::columns::{Direction, Padding, PaddingStrategy, Strategy, Truncation};
use crate::decode_stream::DecodeStream;
use crate::decoders::AnyDecoder;
use crate::models::{AnyModel, ModelScratch};
use crate::normalizers::AnyNormalizer;
use crate::pre_tokenizers::AnyPreTokenizer;
use crate::processors::AnyProcessor;
use crate::program::{EncodeOptions, Input, Parts, Program, Sequence, Wanted};
use crate::spec::Spec;
use crate::text::byte_alphabet::BYTE_TO_CHAR;
use crate::text::{AlignedText, Pretokens, base64};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Characters of the shorter text.
const LENGTH: usize = 1_000;

/// What texts repeat.
const UNITS: &str = "a|A| |\n|7|.|'|é|İ|中|▁|\u{301}|\u{323}\u{301}|\0|a1|aA|a | \n|\r\n |'s|Ab |日本語|カ\u{3099}|\u{1112}\u{1161}\u{11ab}|\
    👩\u{200d}|<s>|<s| <s> |don't |<0xE2>|##a|QWxhZGRpbjpvcGVuIHNlc2FtZQ0K|The 日本語 café, don't 12345 <s>  \n\n▁▁ x²…🙂";

/// So many characters of a text that repeats.
fn run(unit: &str, length: usize) -> String {
    unit.chars().cycle().take(length).collect()
}

/// Texts of so many characters: one letter over and over, and whatever makes something look far ahead, or back.
fn texts(length: usize) -> Vec<(String, String)> {
    UNITS.split('|').map(|unit| (unit.to_owned(), run(unit, length))).collect()
}

/// The same, and texts in which one character changes the course of what follows, or of what went before.
fn odd_texts(length: usize) -> Vec<(String, String)> {
    let mut all = texts(length);
    for odd in ["İ", "é", "中", "\n", "\u{301}", "<s>", "b", " "] {
        for unit in ["A", "a", " ", "7", "\n", "é"] {
            all.push((format!("{odd} before {unit}"), odd.to_owned() + &run(unit, length)));
            all.push((format!("{odd} behind {unit}"), run(unit, length) + odd));
        }
    }
    all
}

/// What a growth of steps is held to.
struct Bound {
    texts: fn(usize) -> Vec<(String, String)>,
    /// Whether n log n is allowed, for the heaps of BPE.
    has_levels: bool,
    /// Steps that may be taken once, for tables.
    once: u64,
}

/// A component: linear, but for a few windows more.
const LINEAR: Bound = Bound { texts: odd_texts, has_levels: false, once: 4 << 10 };
const BPE: Bound = Bound { has_levels: true, ..LINEAR };
/// A program, which makes a table of the pairs of ASCII when a text is long.
const PROGRAM: Bound = Bound { texts, has_levels: true, once: 128 << 10 };

/// Assert that ten times the text takes at most eleven times the steps.
fn assert_even(name: &str, bound: &Bound, work: impl Fn(&str)) {
    let mut most = 0;
    for ((kind, short), (_, long)) in (bound.texts)(LENGTH).into_iter().zip((bound.texts)(10 * LENGTH)) {
        let (few, many) = (of(|| work(&short)), of(|| work(&long)));
        let levels = |length: usize| if bound.has_levels { u64::from(length.ilog2()) } else { 1 };
        let allowed = 11 * few * levels(10 * LENGTH) / levels(LENGTH) + bound.once;
        assert!(many <= allowed, "{name}, text of {kind:?}: {few} steps, and {many} for ten times the text");
        most = most.max(few);
    }
    assert!(most >= LENGTH as u64 / 2, "{name} took {most} steps: it does not count them");
}

/// Assert that the descriptions leave out no component of a family.
fn assert_complete(descriptions: &[Value], names: &[&str]) {
    let types: BTreeSet<&str> = descriptions.iter().filter_map(|d| d["type"].as_str()).collect();
    assert_eq!(types, names.iter().copied().collect());
}

fn plain<const N: usize>(names: [&str; N]) -> impl Iterator<Item = Value> {
    names.into_iter().map(|name| json!({"type": name}))
}

/// A map with one rule, from `a` to `b`: the root leads to 0x60, the leaf of which is at 0x61.
fn charsmap() -> String {
    let mut units = [1u32 << 31; 256];
    units[0] = 1 << 10;
    units[0x60] = 1 << 10 | 1 << 8 | u32::from(b'a');
    let mut blob = 1024u32.to_le_bytes().to_vec();
    blob.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
    blob.extend(b"b\0");
    base64::encode(&blob)
}

fn normalizers() -> Vec<Value> {
    let mut all = vec![
        json!({"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true}),
        json!({"type": "Precompiled", "precompiled_charsmap": charsmap()}),
        json!({"type": "Prepend", "prepend": "▁"}),
        json!({"type": "Replace", "pattern": {"String": " "}, "content": "▁"}),
        json!({"type": "Replace", "pattern": {"String": ""}, "content": "-"}),
        json!({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}),
        json!({"type": "Strip", "strip_left": true, "strip_right": true}),
    ];
    all.extend(plain(["ByteLevel", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "Nmt", "StripAccents"]));
    let lowered = json!([{"type": "NFD"}, {"type": "Lowercase"}, {"type": "StripAccents"}]);
    all.push(json!({"type": "Sequence", "normalizers": lowered}));
    all
}

#[test]
fn normalizers_take_even_steps() {
    assert_complete(&normalizers(), AnyNormalizer::NAMES);
    for description in normalizers() {
        let normalizer = AnyNormalizer::parse(description.clone()).unwrap();
        assert_even(&shown(&description), &LINEAR, |text| {
            for mut aligned in [AlignedText::new(text, 0), AlignedText::untracked(text, 0)] {
                normalizer.as_dyn().normalize(&mut aligned).unwrap();
            }
            normalizer.as_dyn().is_identity(text);
        });
    }
}

/// Patterns of published tokenizers, with scanners and without.
const PATTERNS: [&str; 6] = [
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "[0-9][0-9][0-9]",
    r"\w+|[^\w\s]+",
    r"(?<=a)1|\b'",
];

fn split(pattern: &str, behavior: &str) -> Value {
    json!({"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": false})
}

fn pre_tokenizers() -> Vec<Value> {
    let stages = [r"\p{P}+", PATTERNS[0], r"\p{N}+", PATTERNS[3]].map(|pattern| split(pattern, "Isolated"));
    let mut all = vec![
        json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}),
        json!({"type": "CharDelimiterSplit", "delimiter": "a"}),
        json!({"type": "Digits", "individual_digits": true}),
        json!({"type": "Digits", "individual_digits": false}),
        json!({"type": "FixedLength", "length": 3}),
        json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}),
        json!({"type": "Sequence", "pretokenizers": stages}),
        split(" ", "MergedWithPrevious"),
    ];
    all.extend(plain(["BertPreTokenizer", "UnicodeScripts", "Whitespace", "WhitespaceSplit"]));
    all.extend(PATTERNS.map(|pattern| split(pattern, "Isolated")));
    let behaviors = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"];
    all.extend(behaviors.map(|behavior| json!({"type": "Punctuation", "behavior": behavior})));
    all
}

#[test]
fn pre_tokenizers_take_even_steps() {
    assert_complete(&pre_tokenizers(), AnyPreTokenizer::NAMES);
    for description in pre_tokenizers() {
        let pre_tokenizer = AnyPreTokenizer::parse(description.clone()).unwrap();
        assert_even(&description.to_string(), &LINEAR, |text| {
            let mut pretokens = Pretokens::new(AlignedText::new(text, 0));
            pre_tokenizer.as_dyn().pre_tokenize(&mut pretokens).unwrap();
        });
    }
}

/// A BPE model over the characters of the byte alphabet, with merges that make long tokens of one letter.
fn bpe(options: &Value) -> Value {
    let mut tokens: Vec<String> = BYTE_TO_CHAR.iter().map(ToString::to_string).collect();
    let mut merges = Vec::new();
    for unit in ["a", "Ġ", "Ċ", ".", "é", "7"] {
        let mut token = unit.to_owned();
        for _ in 0..5 {
            merges.push([token.clone(), token.clone()]);
            token = token.repeat(2);
            tokens.push(token.clone());
        }
    }
    tokens.extend(["<unk>".to_owned(), "中".to_owned()]);
    tokens.extend((0..256).map(|byte| format!("<0x{byte:02X}>")));
    let vocab: serde_json::Map<String, Value> = tokens.iter().enumerate().map(|(i, t)| (t.clone(), i.into())).collect();
    let mut model = json!({"type": "BPE", "vocab": vocab, "merges": merges});
    model.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
    model
}

fn models() -> Vec<Value> {
    let long = "a".repeat(40);
    let scored = json!([["<unk>", 0.0], ["a", -1.0], ["aa", -1.5], [long, -3.0], [" ", -2.0], ["é", -2.5]]);
    let entries =
        json!({"[UNK]": 0, "a": 1, "##a": 2, "##aa": 3, format!("##{long}b"): 4, format!("{long}b"): 5, "##é": 6});
    let limit = usize::MAX >> 1;
    let unigram = |mut options: Value| {
        options.as_object_mut().unwrap().extend([
            ("type".to_owned(), "Unigram".into()),
            ("unk_id".to_owned(), 0.into()),
            ("vocab".to_owned(), scored.clone()),
        ]);
        options
    };
    vec![
        bpe(&json!({"unk_token": "<unk>"})),
        bpe(&json!({"unk_token": "<unk>", "fuse_unk": true, "byte_fallback": true, "ignore_merges": true})),
        bpe(&json!({"unk_token": "<unk>", "continuing_subword_prefix": "", "end_of_word_suffix": "</w>"})),
        bpe(&json!({"unk_token": "<unk>", "dropout": 0.5})),
        json!({"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": limit, "vocab": entries}),
        json!({"type": "WordLevel", "unk_token": "[UNK]", "vocab": entries}),
        unigram(json!({})),
        unigram(json!({"byte_fallback": true})),
        unigram(json!({"alpha": 0.5})),
        unigram(json!({"alpha": 0.5, "nbest_size": 4})),
    ]
}

/// A component without its tables.
fn shown(component: &Value) -> String {
    let Some(fields) = component.as_object() else { return "none".to_owned() };
    let kept = fields.iter().filter(|(key, _)| !["vocab", "merges", "precompiled_charsmap"].contains(&key.as_str()));
    Value::Object(kept.map(|(key, value)| (key.clone(), value.clone())).collect()).to_string()
}

#[test]
fn models_take_even_steps() {
    assert_complete(&models(), AnyModel::NAMES);
    for description in models() {
        let json = serde_json::value::to_raw_value(&description).unwrap();
        let model = AnyModel::parse(&json).unwrap();
        // Options that are not written to files are set apart.
        let mut options = model.options().unwrap();
        for (key, value) in options.as_object_mut().unwrap() {
            if let Some(given) = description.get(key) {
                *value = given.clone();
            }
        }
        let model = model.with_options(options).unwrap();
        let bound = if description["type"] == "BPE" { &BPE } else { &LINEAR };
        assert_even(&shown(&description), bound, |text| {
            let mut scratch = ModelScratch::default();
            scratch.random.seed(7);
            model.as_dyn().tokenize(text, &mut scratch, &mut Vec::new()).unwrap();
        });
    }
}

fn decoders() -> Vec<Value> {
    let mut all = vec![
        json!({"type": "BPEDecoder", "suffix": "a"}),
        json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}),
        json!({"type": "CTC", "pad_token": "a", "word_delimiter_token": "|", "cleanup": true}),
        json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}),
        json!({"type": "Replace", "pattern": {"String": "▁"}, "content": " "}),
        json!({"type": "Strip", "content": " ", "start": 1, "stop": 1}),
        json!({"type": "WordPiece", "prefix": "##", "cleanup": true}),
    ];
    all.extend(plain(["ByteFallback", "Fuse"]));
    let llama = json!([all[4], {"type": "ByteFallback"}, {"type": "Fuse"}, all[5]]);
    all.push(json!({"type": "Sequence", "decoders": llama}));
    all
}

#[test]
fn decoders_take_even_steps() {
    assert_complete(&decoders(), AnyDecoder::NAMES);
    for description in decoders() {
        let decoder = AnyDecoder::parse(description.clone()).unwrap();
        // Tokens of one character, and of one for each stretch of bytes.
        assert_even(&description.to_string(), &LINEAR, |text| {
            decoder.as_dyn().decode_chain(text.chars().map(String::from).collect()).unwrap();
        });
        let program = program(&json!({"model": bpe(&json!({})), "decoder": description}));
        assert_even(&format!("a stream through {description}"), &LINEAR, |text| {
            let mut stream = DecodeStream::new(false);
            for c in text.chars() {
                stream.step(&program, &[u32::from(c) % 600]).unwrap();
            }
            stream.flush(&program).unwrap();
        });
        let ids = |text: &str| text.chars().map(|c| u32::from(c) % 600).collect::<Vec<_>>();
        assert_even(&format!("ids through {description}"), &LINEAR, |text| {
            program.decode(&ids(text), true).unwrap();
        });
    }
}

fn program(description: &Value) -> Program {
    let Spec { normalizer, pre_tokenizer, post_processor, decoder, model, added_tokens, .. } =
        Spec::parse(&description.to_string()).unwrap();
    let added_tokens = added_tokens.into_iter().map(|token| (token.id, token.token)).collect();
    Program::compile(Parts {
        normalizer,
        pre_tokenizer,
        post_processor,
        decoder,
        model,
        added_tokens,
        encode_special_tokens: false,
    })
    .unwrap()
}

fn processors() -> Vec<Value> {
    let template = |items: &[&str]| {
        let item = |&name: &&str| match name {
            "A" | "B" => json!({"Sequence": {"id": name, "type_id": 0}}),
            name => json!({"SpecialToken": {"id": name, "type_id": 0}}),
        };
        items.iter().map(item).collect::<Vec<_>>()
    };
    let special = |content: &str| json!({"id": content, "ids": [256], "tokens": [content]});
    let byte_level = json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true});
    let templates = json!({
        "type": "TemplateProcessing",
        "single": template(&["<s>", "A", "</s>"]),
        "pair": template(&["<s>", "A", "</s>", "B", "</s>"]),
        "special_tokens": {"<s>": special("<s>"), "</s>": special("</s>")},
    });
    vec![
        json!({"type": "BertProcessing", "sep": ["</s>", 256], "cls": ["<s>", 256]}),
        json!({"type": "RobertaProcessing", "sep": ["</s>", 256], "cls": ["<s>", 256], "trim_offsets": true, "add_prefix_space": true}),
        json!({"type": "Sequence", "processors": [byte_level, templates]}),
        byte_level,
        templates,
    ]
}

/// Whole pipelines of the shapes of published tokenizers.
fn pipelines() -> Vec<Value> {
    let models = models();
    let flags = |id: u32, content: &str, normalized: bool, strip: bool| json!({"id": id, "content": content, "single_word": false, "lstrip": strip, "rstrip": strip, "normalized": normalized, "special": false});
    let byte_level = json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false});
    let stages = |patterns: &[&str]| {
        let mut all: Vec<Value> = patterns.iter().map(|pattern| split(pattern, "Isolated")).collect();
        all.push(byte_level.clone());
        json!({"type": "Sequence", "pretokenizers": all})
    };
    let normalizers = normalizers();
    let many: Vec<Value> = (0..500).map(|i| flags(2_000 + i, &format!("<{i}>"), i % 2 == 0, false)).collect();
    let mark = json!({"type": "Replace", "pattern": {"String": " "}, "content": "▁"});
    let llama = json!({"type": "Sequence", "normalizers": [normalizers[2], mark]});
    let words = json!({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, pre_tokenizers()[5]]});
    let mut all = vec![
        json!({"pre_tokenizer": stages(&[PATTERNS[1]]), "model": models[0], "normalizer": {"type": "NFC"}}),
        json!({"pre_tokenizer": stages(&[r"\p{N}{1,3}", "[一-龥]+", PATTERNS[2]]), "model": models[0]}),
        json!({"pre_tokenizer": stages(&[r"\p{P}+", PATTERNS[0], r"\p{N}+", PATTERNS[3]]), "model": models[0]}),
        json!({"pre_tokenizer": stages(&[PATTERNS[5]]), "model": models[0]}),
        json!({"normalizer": normalizers[0], "pre_tokenizer": {"type": "BertPreTokenizer"}, "model": models[4]}),
        json!({"normalizer": llama, "model": models[1]}),
        json!({"normalizer": {"type": "NFKC"}, "pre_tokenizer": words, "model": models[6]}),
        json!({"model": models[1], "added_tokens": [flags(2_000, "<s>", false, true), flags(2_001, "a1", true, true)]}),
        json!({"model": models[1], "normalizer": {"type": "Lowercase"}, "added_tokens": many}),
    ];
    all.extend(processors().into_iter().map(
        |processor| json!({"pre_tokenizer": stages(&[PATTERNS[1]]), "model": models[0], "post_processor": processor}),
    ));
    all
}

fn name_of(pipeline: &Value) -> String {
    let stages = ["normalizer", "pre_tokenizer", "post_processor"].map(|stage| shown(&pipeline[stage]));
    format!("{}, {}", stages.join(", "), shown(&pipeline["model"]))
}

fn options(wanted: Wanted) -> EncodeOptions<'static> {
    EncodeOptions {
        add_special_tokens: true,
        truncation: None,
        padding: None,
        wanted,
        threads: 1,
        exact: false,
        interrupt: &|| false,
    }
}

fn inputs(text: &str) -> [Input<'_>; 2] {
    [
        Input { first: Sequence::Text(text), second: None },
        Input { first: Sequence::Text("a"), second: Some(Sequence::Text(text)) },
    ]
}

#[test]
fn pipelines_take_even_steps() {
    assert_complete(&processors(), AnyProcessor::NAMES);
    for description in pipelines() {
        let name = name_of(&description);
        let fresh = || program(&description);
        // What a worker remembers is a part of the cost: a fresh one each time.
        assert_even(&format!("columns of {name}"), &PROGRAM, |text| {
            fresh().encode(&inputs(text), &options(Wanted::Texts)).unwrap();
        });
        assert_even(&format!("ids of {name}"), &PROGRAM, |text| {
            fresh().encode_ids(&inputs(text)[..1], &options(Wanted::Ids)).unwrap();
        });
    }
}

#[test]
fn rows_take_even_steps() {
    let program = program(&pipelines()[0]);
    let mut options = options(Wanted::Texts);
    options.truncation =
        Some(Truncation { direction: Direction::Left, max_length: 64, strategy: Strategy::LongestFirst, stride: 16 });
    options.padding = Some(Padding {
        strategy: PaddingStrategy::Fixed(80),
        direction: Direction::Left,
        pad_to_multiple_of: None,
        pad_id: 0,
        pad_type_id: 0,
        pad_token: "!".to_owned(),
    });
    assert_even("windows, filled up", &PROGRAM, |text| {
        program.encode(&inputs(text)[..1], &options).unwrap();
    });
}

/// Each of many added tokens of white space that take in white space: what one has looked at, the next does not look at again, and
/// what it is shown with is not copied.
#[test]
fn white_space_around_added_tokens_is_looked_at_once() {
    for (lstrip, rstrip, normalized) in
        [(true, false, false), (false, true, false), (false, true, true), (true, true, false)]
    {
        let token = json!({"id": 2_000, "content": "\n", "single_word": false, "lstrip": lstrip, "rstrip": rstrip, "normalized": normalized, "special": false});
        let trimming = json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true});
        let program = program(&json!({
            "model": models()[0], "normalizer": {"type": "Lowercase"}, "added_tokens": [token], "post_processor": trimming,
        }));
        for wanted in [Wanted::Ids, Wanted::Spans, Wanted::Texts] {
            assert_even(&format!("{lstrip} {rstrip} {normalized} {wanted:?}"), &PROGRAM, |text| {
                program.encode(&inputs(text)[..1], &options(wanted)).unwrap();
            });
        }
    }
}
