//! What holds of every pipeline and every text: the fast path is the exact path, whatever the threads and the cache.

#![expect(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "a test that cannot go on fails")]

use piecework_core::columns::Columns;
use piecework_core::program::{EncodeOptions, Input, Parts, Program, Sequence, Wanted};
use piecework_core::spec::Spec;
use piecework_core::text::byte_alphabet;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

const PATTERNS: [&str; 12] = [
    // GPT-2, cl100k, o200k, DeepSeek, then patterns of no known model.
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[!-/:-~]?[A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"\p{N}{1,3}",
    r"[一-龥぀-ゟ゠-ヿ]+",
    r"\s+",
    r"[aeiou]",
    r"(?<=\d)\.",
    r"\w+|[^\w\s]+",
    r" ?[A-Z]?[a-z]+|.|\n",
    r"\d(?=(?:\d{3})*$)",
];
const BEHAVIORS: [&str; 5] = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"];
const FRAGMENTS: [&str; 64] = [
    " ",
    "  ",
    "   ",
    "\n",
    "\r\n",
    "\n\n",
    "\t",
    "\u{a0}",
    "\u{3000}",
    "\u{2028}",
    "\u{85}",
    "\u{200b}",
    "\u{0}",
    "a",
    "e",
    "ab",
    "abc",
    "low",
    "lower",
    "Hello",
    "HELLO",
    "world",
    "don't",
    "I'LL",
    "'S",
    "’s",
    "naïve",
    "café",
    "cafe\u{301}",
    "Straße",
    "İstanbul",
    "ﬁne",
    "①②",
    "½",
    "x²",
    "日本語",
    "こんにちは",
    "カ\u{3099}",
    "한국어",
    "\u{1112}\u{1161}\u{11ab}",
    "हिन्दी",
    "العربية",
    "Привет",
    "🙂",
    "👩\u{200d}👧",
    "\u{301}",
    "\u{1fae8}",
    "0",
    "7",
    "42",
    "123",
    "12345678",
    "3.14",
    "1,000",
    ".",
    "...",
    "!?",
    "(x)",
    "[MASK]",
    "<s>",
    "__init__",
    "--",
    "//\n",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::collection::vec(prop_oneof![4 => select(&FRAGMENTS[..]).prop_map(str::to_owned), 1 => "\\PC{0,4}"], 0..14)
            .prop_map(|parts| parts.concat()),
        1 => prop::collection::vec(any::<char>(), 0..30).prop_map(|chars| chars.into_iter().collect()),
        1 => prop::collection::vec(select(&['a', 'b', ' ', '\'', '\n', '1', '.', 'é'][..]), 0..50)
            .prop_map(|chars| chars.into_iter().collect()),
    ]
}

fn pattern() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => select(&PATTERNS[..]).prop_map(|p| json!({"Regex": p})),
        1 => select(&[" ", "a", "ab", "''", "\n"][..]).prop_map(|p| json!({"String": p})),
    ]
}

fn normalizer() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => select(&["NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel"][..])
            .prop_map(|name| json!({"type": name})),
        // As for SentencePiece models: a mark in front, and marks for blanks.
        2 => Just(json!({"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        ]})),
        1 => Just(json!({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "})),
        2 => any::<[bool; 2]>()
            .prop_map(|[left, right]| json!({"type": "Strip", "strip_left": left, "strip_right": right})),
        1 => select(&["▁", "", "xy"][..]).prop_map(|text| json!({"type": "Prepend", "prepend": text})),
        2 => (any::<[bool; 3]>(), any::<Option<bool>>()).prop_map(|([clean, chinese, lower], accents)| json!({
            "type": "BertNormalizer", "clean_text": clean, "handle_chinese_chars": chinese, "strip_accents": accents,
            "lowercase": lower,
        })),
        2 => (pattern(), select(&["", " ", "xy", "é"][..]))
            .prop_map(|(pattern, content)| json!({"type": "Replace", "pattern": pattern, "content": content})),
    ]
}

fn pre_tokenizer() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => any::<[bool; 2]>().prop_map(|[prefix, regex]| byte_level(prefix, regex)),
        4 => (pattern(), select(&BEHAVIORS[..]), any::<bool>()).prop_map(
            |(pattern, behavior, invert)| json!({"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert})
        ),
        1 => any::<bool>().prop_map(|single| json!({"type": "Digits", "individual_digits": single})),
        1 => select(&BEHAVIORS[..]).prop_map(|behavior| json!({"type": "Punctuation", "behavior": behavior})),
        2 => select(&["Whitespace", "WhitespaceSplit", "BertPreTokenizer", "UnicodeScripts"][..])
            .prop_map(|name| json!({"type": name})),
        1 => select(&["e", " ", "日"][..]).prop_map(|c| json!({"type": "CharDelimiterSplit", "delimiter": c})),
        1 => (1..6).prop_map(|length| json!({"type": "FixedLength", "length": length})),
        2 => (select(&["always", "first", "never"][..]), any::<bool>()).prop_map(|(scheme, split)| json!({
            "type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": split,
        })),
    ]
}

fn byte_level(prefix: bool, regex: bool) -> Value {
    json!({"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": true, "use_regex": regex})
}

/// None, one, or a sequence of some.
fn stage<S: Strategy<Value = Value>>(part: impl Fn() -> S, key: &'static str) -> impl Strategy<Value = Value> {
    prop_oneof![
        1 => Just(Value::Null),
        3 => part(),
        2 => prop::collection::vec(part(), 0..4).prop_map(move |parts| json!({"type": "Sequence", key: parts})),
    ]
}

/// The pipelines of the byte-level models: a split by pattern, then `ByteLevel` without a rule of its own.
fn byte_level_pipeline() -> impl Strategy<Value = Value> {
    (prop::collection::vec(pattern(), 1..4), any::<bool>()).prop_map(|(patterns, prefix)| {
        let mut parts: Vec<Value> = patterns
            .iter()
            .map(|p| json!({"type": "Split", "pattern": p, "behavior": "Isolated", "invert": false}))
            .collect();
        parts.push(byte_level(prefix, false));
        json!({"type": "Sequence", "pretokenizers": parts})
    })
}

/// A vocabulary over the letters of `alphabet`, and merges that build some words.
fn model(alphabet: Vec<String>, spell: impl Fn(&str) -> Vec<String>) -> Value {
    let mut vocab: Vec<String> = alphabet;
    let mut merges: Vec<[String; 2]> = Vec::new();
    for word in [
        "low", " low", "er", "lower", " the", "he", "llo", " hello", "ab", "abab", "aa", "aaaa", "  ", "    ", "日本",
        "é", "ell", "12", "123", "\n\n", "ing", "a ", "e l", "'s", "▁", "▁▁", "▁low", "▁a", "a▁", "e\u{301}", "...",
    ] {
        let parts = spell(word);
        let mut left = parts[0].clone();
        for right in &parts[1..] {
            let joined = format!("{left}{right}");
            if !vocab.contains(&joined) {
                vocab.push(joined.clone());
                merges.push([left.clone(), right.clone()]);
            }
            left = joined;
        }
    }
    let vocab: serde_json::Map<String, Value> = (0..).zip(vocab).map(|(id, token)| (token, json!(id))).collect();
    json!({"type": "BPE", "vocab": vocab, "merges": merges})
}

fn models() -> impl Strategy<Value = Value> {
    let bytes =
        model((0..=255_u8).map(|b| byte_alphabet::BYTE_TO_CHAR[usize::from(b)].to_string()).collect(), |word| {
            word.bytes().map(|b| byte_alphabet::BYTE_TO_CHAR[usize::from(b)].to_string()).collect()
        });
    let letters = |word: &str| word.chars().map(String::from).collect::<Vec<_>>();
    let mut alphabet = vec!["<unk>".to_owned()];
    alphabet.extend("abcdefghijklmnopqrstuvwxyz ABCDEFGHIJ0123456789.,!?'\n日本語éß▁\u{301}".chars().map(String::from));
    let mut characters = model(alphabet, letters);
    characters["unk_token"] = json!("<unk>");
    let mut fallback = characters.clone();
    let first = fallback["vocab"].as_object().map_or(0, serde_json::Map::len);
    for byte in 0..256_usize {
        fallback["vocab"][format!("<0x{byte:02X}>")] = json!(first + byte);
    }
    fallback["byte_fallback"] = json!(true);
    let unknown_dropped = {
        let mut model = characters.clone();
        model["unk_token"] = Value::Null;
        model
    };
    let tokens: Vec<String> =
        characters["vocab"].as_object().map(|vocab| vocab.keys().cloned().collect()).unwrap_or_default();
    let continued = tokens.iter().map(|token| format!("##{token}"));
    let entries: serde_json::Map<String, Value> =
        (0..).zip(tokens.iter().cloned().chain(continued)).map(|(id, token)| (token, json!(id))).collect();
    let wordpiece = json!({
        "type": "WordPiece", "unk_token": "<unk>", "continuing_subword_prefix": "##", "max_input_chars_per_word": 20,
        "vocab": entries,
    });
    let wordlevel = json!({"type": "WordLevel", "unk_token": "<unk>", "vocab": entries});
    // Many ties of sums: each character of a token costs one.
    let pieces: Vec<Value> =
        tokens.iter().map(|token| json!([token, -f64::from(token.chars().count() as u32)])).collect();
    let unknown = tokens.iter().position(|token| token == "<unk>");
    let unigram = json!({"type": "Unigram", "unk_id": unknown, "vocab": pieces, "byte_fallback": false});
    let all = vec![bytes.clone(), bytes, characters, fallback, unknown_dropped, wordpiece, wordlevel, unigram];
    (select(all), any::<[bool; 2]>()).prop_map(|(mut model, [fuse, ignore])| {
        if model["type"] != "BPE" {
            return model;
        }
        model["fuse_unk"] = json!(fuse);
        model["ignore_merges"] = json!(ignore);
        model
    })
}

fn added_tokens() -> impl Strategy<Value = Value> {
    let token = (select(&["<s>", "[MASK]", "lower", "e x", "é", "日本", "\n\n"][..]), any::<[bool; 5]>());
    prop::collection::vec(token, 0..4).prop_map(|tokens| {
        let mut seen = Vec::new();
        let mut added = Vec::new();
        for (content, [single_word, lstrip, rstrip, normalized, special]) in tokens {
            if !seen.contains(&content) {
                seen.push(content);
                added.push(json!({
                    "id": 10_000 + seen.len(), "content": content, "single_word": single_word, "lstrip": lstrip,
                    "rstrip": rstrip, "normalized": normalized, "special": special,
                }));
            }
        }
        added.into()
    })
}

/// A whole `tokenizer.json`, shown without its vocabulary.
struct Pipeline(Value);

impl std::fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = self.0.clone();
        if let Some(model) = shown["model"].as_object_mut() {
            model.retain(|key, _| key != "vocab" && key != "merges");
        }
        write!(f, "{shown}")
    }
}

fn pipelines() -> impl Strategy<Value = Pipeline> {
    let pre_tokenizers = prop_oneof![stage(pre_tokenizer, "pretokenizers"), byte_level_pipeline()];
    let normalizers = prop_oneof![Just(Value::Null), stage(normalizer, "normalizers")];
    (normalizers, pre_tokenizers, models(), added_tokens()).prop_map(|(normalizer, pre_tokenizer, model, added)| {
        let stages =
            json!({"normalizer": normalizer, "pre_tokenizer": pre_tokenizer, "model": model, "added_tokens": added});
        Pipeline(stages)
    })
}

fn compile(pipeline: &Pipeline) -> Program {
    let spec = Spec::parse(&pipeline.0.to_string()).unwrap();
    Program::compile(Parts {
        normalizer: spec.normalizer,
        pre_tokenizer: spec.pre_tokenizer,
        model: spec.model,
        post_processor: spec.post_processor,
        decoder: spec.decoder,
        added_tokens: spec.added_tokens.into_iter().map(|added| (added.id, added.token)).collect(),
        encode_special_tokens: false,
    })
    .unwrap()
}

fn inputs(texts: &[String]) -> Vec<Input<'_>> {
    texts.iter().map(|text| Input { first: Sequence::Text(text), second: None }).collect()
}

fn options(exact: bool, wanted: Wanted, threads: usize) -> EncodeOptions<'static> {
    EncodeOptions {
        add_special_tokens: true,
        truncation: None,
        padding: None,
        wanted,
        threads,
        exact,
        interrupt: &|| false,
    }
}

/// Failures are printed whole and become cases by hand, so no file of seeds is kept.
fn configuration(divisor: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: default.cases.div_ceil(divisor), failure_persistence: None, ..default }
}

proptest! {
    #![proptest_config(configuration(1))]

    #[test]
    fn the_fast_path_is_the_exact_path(pipeline in pipelines(), texts in prop::collection::vec(texts(), 1..4)) {
        let program = compile(&pipeline);
        let exact = program.encode(&inputs(&texts), &options(true, Wanted::Texts, 1)).unwrap();
        // Twice: the second time from the cache.
        for _ in 0..2 {
            prop_assert_eq!(&program.encode(&inputs(&texts), &options(false, Wanted::Texts, 1)).unwrap(), &exact);
        }
    }

    #[test]
    fn ids_alone_are_the_ids_of_the_columns(pipeline in pipelines(), texts in prop::collection::vec(texts(), 1..4)) {
        let program = compile(&pipeline);
        let columns = program.encode(&inputs(&texts), &options(true, Wanted::Texts, 1)).unwrap();
        let ragged = program.encode_ids(&inputs(&texts), &options(false, Wanted::Ids, 1)).unwrap();
        let starts: Vec<i64> = columns.starts.iter().map(|&start| start as i64).collect();
        prop_assert_eq!(ragged.ids, columns.ids);
        prop_assert_eq!(&ragged.offsets, &starts);
        let lengths: Vec<i64> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let counts = program.count(&inputs(&texts), &options(false, Wanted::Ids, 1)).unwrap();
        prop_assert_eq!(counts.into_iter().map(i64::from).collect::<Vec<_>>(), lengths);
    }

    #[test]
    fn spans_are_ordered_and_inside(pipeline in pipelines(), text in texts()) {
        let program = compile(&pipeline);
        let columns = program.encode(&inputs(std::slice::from_ref(&text)), &options(false, Wanted::Texts, 1)).unwrap();
        let length = text.chars().count() as u32;
        let mut before = (0, 0);
        for span in &columns.spans {
            prop_assert!(span.start <= span.end && span.end <= length, "{span:?} in a text of {length}");
            prop_assert!(before.0 <= span.start && before.1 <= span.end, "{span:?} behind {before:?}");
            before = (span.start, span.end);
        }
    }
}

proptest! {
    #![proptest_config(configuration(8))]

    /// One text that is long enough to be spread over threads, and the same as many texts.
    #[test]
    fn threads_change_nothing(pipeline in pipelines(), parts in prop::collection::vec(texts(), 2..8)) {
        let program = compile(&pipeline);
        // A token that takes in blanks, and is found in them, has at each a text as long as their run.
        let takes_in = pipeline.0["added_tokens"].as_array().unwrap().iter().any(|token| token["rstrip"] == true);
        let wanted = if takes_in { Wanted::Spans } else { Wanted::Texts };
        let part: String = parts.concat();
        let repeats = 600_000_usize.div_ceil(part.len().max(200));
        let long = part.repeat(repeats);
        let many = vec![part; repeats.min(2000)];
        for texts in [vec![long], many] {
            let run =
                |threads| -> Columns { program.encode(&inputs(&texts), &options(false, wanted, threads)).unwrap() };
            let one = run(1);
            prop_assert!(run(2) == one, "two threads give another result than one");
            prop_assert!(run(3) == one, "three threads give another result than one");
        }
    }
}
