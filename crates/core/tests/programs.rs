//! Whatever the pipeline and the text: scanners, cache and threads change nothing; spans are ordered and lie within the text.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use piecework_core::columns::Columns;
use piecework_core::program::{EncodeOptions, Input, Parts, Program, Sequence, Wanted};
use piecework_core::spec::Spec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::fmt::Write as _;

/// A byte-level vocabulary of all bytes and a few merges, some of them across what pre-tokenizers cut.
fn byte_level_model(options: &str) -> String {
    let mut vocab = String::new();
    let mut id = 0;
    let mut add = |token: &str| {
        write!(vocab, "{}{}:{id}", if id == 0 { "" } else { "," }, serde_json::to_string(token).unwrap()).unwrap();
        id += 1;
    };
    for c in piecework_core::text::byte_alphabet::BYTE_TO_CHAR {
        add(c.encode_utf8(&mut [0; 4]));
    }
    let merges = [
        ("a", "b"),
        ("ab", "c"),
        ("Ġ", "a"),
        ("Ġ", "ab"),
        ("Ġa", "b"),
        ("Ġ", "Ġ"),
        ("ĠĠ", "ĠĠ"),
        ("Ċ", "Ċ"),
        ("1", "2"),
        ("12", "3"),
        ("'", "s"),
        ("Ã", "©"),
        (".", "."),
        ("e", "Ì"),
        ("eÌ", "ģ"),
        ("d", "o"),
        ("do", "n"),
        ("don", "'"),
    ];
    let mut lines = Vec::new();
    for (left, right) in merges {
        let joined = format!("{left}{right}");
        lines.push(serde_json::to_string(&[left, right]).unwrap());
        if !["Ġab"].contains(&joined.as_str()) || left == "Ġ" {
            add(&joined);
        }
    }
    format!(r#"{{"type":"BPE",{options}"vocab":{{{vocab}}},"merges":[{}]}}"#, lines.join(","))
}

/// Of two entries with one id the second says what `é` is joined with.
fn shared_ids_model() -> String {
    r#"{"type":"BPE","unk_token":"<unk>","vocab":{"<unk>":0,"a":1,"b":2,"é":1,"ab":3,"▁":4},"merges":[["a","b"]]}"#
        .into()
}

fn piece_model(options: &str) -> String {
    format!(
        r#"{{"type":"BPE",{options}"vocab":{{"<unk>":0,"a":1,"b":2,"c":3,"ab":4,"▁":5,"▁a":6,"▁ab":7,"1":8,"<0xC3>":9,"<0xA9>":10,"abc":11,"▁▁":12,"é":13,"\u0000":14,"\u0000é":15}},"merges":[["a","b"],["▁","a"],["▁a","b"],["ab","c"],["▁","▁"],["\u0000","é"]]}}"#
    )
}

/// The same with all bytes, of which a merge may hold some.
fn bytes_model(are_merged: bool) -> String {
    let mut model: serde_json::Value =
        serde_json::from_str(&piece_model(r#""unk_token":"<unk>","fuse_unk":true,"byte_fallback":true,"#)).unwrap();
    for byte in 0..=255u8 {
        let id = 100 + u32::from(byte);
        model["vocab"].as_object_mut().unwrap().entry(format!("<0x{byte:02X}>")).or_insert_with(|| id.into());
    }
    if are_merged {
        model["vocab"]["<0xA9><0xC3>"] = 99.into();
        model["merges"].as_array_mut().unwrap().insert(0, serde_json::json!(["<0xA9>", "<0xC3>"]));
    }
    model.to_string()
}

/// The same with so many pairs that ASCII characters fall into more classes than windows tell apart: places are asked one by one.
fn crowded_model(model: &str) -> String {
    let mut model: serde_json::Value = serde_json::from_str(model).unwrap();
    let pairs = ["12", "23", "34", "bc", "xc", "..", "'s", "do", "on", "n'", ",.", "中文", "éa"];
    for (id, pair) in (400..).step_by(3).zip(pairs) {
        let [a, b]: [String; 2] = pair.chars().map(String::from).collect::<Vec<_>>().try_into().unwrap();
        let vocab = model["vocab"].as_object_mut().unwrap();
        for (token, id) in [(&a, id), (&b, id + 1), (&pair.to_owned(), id + 2)] {
            vocab.entry(token).or_insert_with(|| id.into());
        }
        model["merges"].as_array_mut().unwrap().push(serde_json::json!([a, b]));
    }
    model.to_string()
}

const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

fn split(pattern: &str, behavior: &str, invert: bool) -> String {
    let pattern = serde_json::to_string(pattern).unwrap();
    format!(r#"{{"type":"Split","pattern":{{"Regex":{pattern}}},"behavior":"{behavior}","invert":{invert}}}"#)
}

fn byte_level(prefix: bool, regex: bool) -> String {
    format!(r#"{{"type":"ByteLevel","add_prefix_space":{prefix},"trim_offsets":true,"use_regex":{regex}}}"#)
}

fn sequence(parts: &[String]) -> String {
    format!(r#"{{"type":"Sequence","pretokenizers":[{}]}}"#, parts.join(","))
}

fn pre_tokenizers() -> Vec<String> {
    let digits = |individual: bool| format!(r#"{{"type":"Digits","individual_digits":{individual}}}"#);
    vec![
        "null".into(),
        byte_level(false, true),
        byte_level(true, true),
        byte_level(true, false),
        sequence(&[split(LLAMA3, "Isolated", false), byte_level(false, false)]),
        sequence(&[split(LLAMA3, "Isolated", false), byte_level(true, true)]),
        sequence(&[
            split(r"\p{N}{1,3}", "Isolated", false),
            split("[一-龥]+", "Isolated", false),
            byte_level(false, true),
        ]),
        sequence(&[digits(true), byte_level(false, true)]),
        sequence(&[
            r#"{"type":"Punctuation","behavior":"Contiguous"}"#.into(),
            byte_level(false, true),
            digits(false),
            split("[0-9][0-9][0-9]", "Isolated", false),
        ]),
        sequence(&[digits(false), byte_level(true, true)]),
        sequence(&[split(r"'s|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+", "Removed", true), byte_level(false, false)]),
        sequence(&[split(r"\s+", "Removed", false), byte_level(false, false)]),
        sequence(&[split(" ", "MergedWithNext", false), byte_level(false, false)]),
        sequence(&[
            split("[.,]", "MergedWithPrevious", false),
            split(r"\s+", "Contiguous", true),
            byte_level(false, true),
        ]),
        sequence(&[split(r"a(?=b)|\bc", "Isolated", false), byte_level(false, true)]),
        r#"{"type":"Whitespace"}"#.into(),
        r#"{"type":"CharDelimiterSplit","delimiter":"b"}"#.into(),
        sequence(&[r#"{"type":"CharDelimiterSplit","delimiter":"b"}"#.into(), r#"{"type":"WhitespaceSplit"}"#.into()]),
        r#"{"type":"WhitespaceSplit"}"#.into(),
        r#"{"type":"Punctuation","behavior":"Isolated"}"#.into(),
        r#"{"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true}"#.into(),
        r#"{"type":"Metaspace","replacement":"▁","prepend_scheme":"first","split":false}"#.into(),
        r#"{"type":"BertPreTokenizer"}"#.into(),
        sequence(&[r#"{"type":"WhitespaceSplit"}"#.into(), r#"{"type":"Metaspace","replacement":"▁"}"#.into()]),
        sequence(&[
            byte_level(true, true),
            r#"{"type":"Metaspace","replacement":"▁","prepend_scheme":"first","split":false}"#.into(),
            byte_level(false, false),
        ]),
        sequence(&[
            r#"{"type":"Punctuation","behavior":"Isolated"}"#.into(),
            r#"{"type":"Metaspace","replacement":"▁","prepend_scheme":"first","split":true}"#.into(),
        ]),
        sequence(&[
            digits(true),
            r#"{"type":"Metaspace","replacement":"▁","prepend_scheme":"first","split":false}"#.into(),
        ]),
    ]
}

fn normalizers() -> Vec<String> {
    let replace =
        |pattern: &str, content: &str| format!(r#"{{"type":"Replace","pattern":{pattern},"content":"{content}"}}"#);
    let prepend = r#"{"type":"Prepend","prepend":"▁"}"#;
    let list = |parts: &[&str]| format!(r#"{{"type":"Sequence","normalizers":[{}]}}"#, parts.join(","));
    vec![
        "null".into(),
        r#"{"type":"NFC"}"#.into(),
        r#"{"type":"NFKC"}"#.into(),
        list(&[r#"{"type":"NFD"}"#, r#"{"type":"Lowercase"}"#, r#"{"type":"StripAccents"}"#]),
        list(&[prepend, &replace(r#"{"String":" "}"#, "▁")]),
        list(&[&replace(r#"{"Regex":" {2,}"}"#, " "), r#"{"type":"Strip","strip_left":true,"strip_right":true}"#]),
        replace(r#"{"Regex":"\\s+"}"#, " "),
        list(&[&replace(r#"{"String":"a"}"#, "b"), &replace(r#"{"String":"c"}"#, "a")]),
        replace(r#"{"Regex":"b|é"}"#, ""),
        r#"{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true}"#.into(),
    ]
}

fn models() -> Vec<String> {
    vec![
        byte_level_model(""),
        byte_level_model(r#""ignore_merges":true,"#),
        byte_level_model(r#""end_of_word_suffix":"","continuing_subword_prefix":"","#),
        piece_model(r#""unk_token":"<unk>","#),
        piece_model(r#""unk_token":"<unk>","fuse_unk":true,"byte_fallback":true,"#),
        bytes_model(false),
        bytes_model(true),
        crowded_model(&bytes_model(false)),
        crowded_model(&piece_model(r#""unk_token":"<unk>","#)),
        shared_ids_model(),
        piece_model(""),
        piece_model(r#""unk_token":"<unk>","continuing_subword_prefix":"","ignore_merges":true,"#),
    ]
}

const ADDED: &str = r#"[
    {"id":500,"content":"<s>","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},
    {"id":501,"content":"ab ab","single_word":false,"lstrip":true,"rstrip":true,"normalized":false,"special":false},
    {"id":502,"content":"Éa","single_word":false,"lstrip":false,"rstrip":false,"normalized":true,"special":false},
    {"id":503,"content":"abc","single_word":true,"lstrip":false,"rstrip":true,"normalized":true,"special":true}
]"#;

/// In a normalised text, told by a character that is rare: chunks are normalised one by one until it is met.
const MARKED: &str = r#"[
    {"id":500,"content":"§","single_word":false,"lstrip":false,"rstrip":false,"normalized":true,"special":false}
]"#;

fn pick(list: Vec<String>) -> impl Strategy<Value = String> {
    proptest::sample::select(list)
}

fn with_stages(
    normalizer: impl Strategy<Value = String>,
    pre_tokenizer: impl Strategy<Value = String>,
) -> impl Strategy<Value = String> {
    let added = pick(vec!["[]".into(), ADDED.into(), MARKED.into()]);
    (normalizer, pre_tokenizer, pick(models()), added).prop_map(|(normalizer, pre_tokenizer, model, added)| {
        format!(
            r#"{{"added_tokens":{added},"normalizer":{normalizer},"pre_tokenizer":{pre_tokenizer},"model":{model}}}"#
        )
    })
}

fn programs() -> impl Strategy<Value = String> {
    with_stages(pick(normalizers()), pick(pre_tokenizers()))
}

/// A stage that asks where a piece starts, with others on both sides of it, and normalizers that make several characters of one.
fn programs_that_ask_for_the_start() -> impl Strategy<Value = String> {
    let mut all = normalizers();
    all.extend([r#"{"type":"NFD"}"#.into(), r#"{"type":"NFKD"}"#.into(), r#"{"type":"Prepend","prepend":"▁"}"#.into()]);
    let others = || proptest::collection::vec(pick(pre_tokenizers()).prop_filter("is none", |p| p != "null"), 0..3);
    let stages = (others(), any::<bool>(), others()).prop_map(|(before, split, behind)| {
        let first = format!(r#"{{"type":"Metaspace","replacement":"▁","prepend_scheme":"first","split":{split}}}"#);
        sequence(&[before, vec![first], behind].concat())
    });
    with_stages(pick(all), stages)
}

fn texts() -> impl Strategy<Value = String> {
    let part = proptest::sample::select(vec![
        "a",
        "b",
        "ab",
        "abc",
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "'s",
        "don't",
        "1",
        "123",
        "1234",
        "é",
        "e\u{301}",
        "É",
        ".",
        "...",
        ",",
        "中",
        "文字",
        "ﬁ",
        "①",
        "\u{a0}",
        "\u{3000}",
        "👩‍👧",
        "<s>",
        "ab ab",
        " ab",
        "abcabc",
        "▁",
        "▁a",
        "\u{200d}",
        "Å",
        "한",
        "\u{85}",
        "x",
        "xc",
        "§",
        "\u{1}",
        "\0",
        "‼",
        "½x",
    ]);
    proptest::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

fn compile(json: &str) -> Program {
    let Spec { normalizer, pre_tokenizer, post_processor, decoder, model, added_tokens, .. } =
        Spec::parse(json).unwrap();
    let added_tokens = added_tokens.into_iter().map(|t| (t.id, t.token)).collect();
    Program::compile(Parts {
        normalizer,
        pre_tokenizer,
        model,
        post_processor,
        decoder,
        added_tokens,
        encode_special_tokens: false,
    })
    .unwrap()
}

fn encode(program: &Program, texts: &[String], exact: bool, threads: usize, spans: bool) -> Columns {
    let inputs: Vec<_> = texts.iter().map(|t| Input { first: Sequence::Text(t), second: None }).collect();
    let options = EncodeOptions {
        add_special_tokens: true,
        truncation: None,
        padding: None,
        wanted: if spans { Wanted::Texts } else { Wanted::Ids },
        threads,
        exact,
        interrupt: &|| false,
    };
    program.encode(&inputs, &options).unwrap()
}

/// The columns of the exact path, which the fast one has to give three times: the second time from the cache, the third time single
/// characters by their numbers.
fn same_on_both_paths(program: &Program, texts: &[String]) -> Result<Columns, TestCaseError> {
    let exact = encode(program, texts, true, 1, true);
    for _ in 0..3 {
        prop_assert_eq!(&encode(program, texts, false, 1, true), &exact);
    }
    prop_assert_eq!(&encode(program, texts, false, 1, false).ids, &exact.ids);
    Ok(exact)
}

proptest! {
    #[test]
    fn the_start_of_a_text_is_the_same_on_both_paths(
        json in programs_that_ask_for_the_start(),
        starts in proptest::sample::subsequence(vec!["ﬁ", "½", "‼", "①", "İ", "é", "Å", "한", " ", "\r", ":", "1", "a"], 1..5),
        rest in texts(),
    ) {
        let texts: Vec<String> = starts.iter().map(|start| format!("{start}{rest}")).collect();
        same_on_both_paths(&compile(&json), &texts)?;
    }

    #[test]
    fn fast_is_exact(json in programs(), texts in proptest::collection::vec(texts(), 1..4)) {
        let exact = same_on_both_paths(&compile(&json), &texts)?;
        for (row, text) in texts.iter().enumerate() {
            let length = text.chars().count() as u32;
            for span in &exact.spans[exact.row(row)] {
                prop_assert!(span.start <= span.end && span.end <= length);
            }
        }
    }
}

/// On a thirty-second of the cases that are asked for, each of which is long.
#[test]
fn threads_change_nothing() {
    let config = ProptestConfig::default();
    let cases = config.cases / 32;
    let mut runner = TestRunner::new(ProptestConfig { cases, source_file: Some(file!()), ..config });
    let result = runner.run(&(programs(), texts()), |(json, text)| {
        let program = compile(&json);
        let long = text.repeat(600_000 / text.len().max(1) + 1);
        let many = vec![long.get(..long.len() / 2).unwrap_or(&text).to_owned(), long, text];
        prop_assert_eq!(encode(&program, &many[1..2], false, 2, true), encode(&program, &many[1..2], false, 1, true));
        prop_assert_eq!(encode(&program, &many, false, 3, true), encode(&program, &many, false, 1, true));
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}
