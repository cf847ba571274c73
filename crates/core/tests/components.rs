//! What holds of every normalizer, pre-tokenizer and decoder, on random texts and random chains of them.

use piecework_core::decoders::AnyDecoder;
use piecework_core::normalizers::AnyNormalizer;
use piecework_core::pre_tokenizers::AnyPreTokenizer;
use piecework_core::text::{AlignedText, ByteSpan, Pretokens};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Texts of letters that components care about, and of any others.
fn texts() -> impl Strategy<Value = String> {
    let letters = prop::sample::select(
        "aAbBeExXzZ019 \t\n\r.,!?'-_|`\"éÉİßΣﬁ①½²Ⅷ\u{301}\u{323}\u{302}\u{327}\u{93c}\u{1161}\u{11a8}가각中文日\u{3042}\u{30fc}\u{ff76}\u{ff9e}▁Ġ\
         \u{0}\u{7f}\u{85}\u{a0}\u{200b}\u{200d}\u{2028}\u{3000}\u{feff}\u{fffd}\u{958}\u{344}\u{1e69}\u{32ff}\u{11935}\u{11930}😀🇫"
            .chars()
            .collect::<Vec<_>>(),
    );
    prop::collection::vec(prop_oneof![9 => letters, 1 => any::<char>()], 0..16).prop_map(String::from_iter)
}

fn normalizers() -> Vec<Value> {
    let mut all = vec![
        json!({"type": "Prepend", "prepend": "▁"}),
        json!({"type": "Prepend", "prepend": ""}),
        json!({"type": "Replace", "pattern": {"String": " "}, "content": "▁"}),
        json!({"type": "Replace", "pattern": {"String": ""}, "content": "-"}),
        json!({"type": "Replace", "pattern": {"Regex": "[a-z]+|\\s{2,}"}, "content": "é"}),
        json!({"type": "Replace", "pattern": {"Regex": "^|\\b"}, "content": "xy"}),
        json!({"type": "Replace", "pattern": {"Regex": "[^a-z ]"}, "content": ""}),
        json!({"type": "Strip", "strip_left": true, "strip_right": false}),
        json!({"type": "Strip", "strip_left": true, "strip_right": true}),
        json!({"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true}),
        json!({"type": "BertNormalizer", "clean_text": false, "handle_chinese_chars": true, "strip_accents": true, "lowercase": false}),
    ];
    let plain = ["NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel"];
    all.extend(plain.map(|name| json!({"type": name})));
    all
}

fn pre_tokenizers() -> Vec<Value> {
    let mut all = vec![
        json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}),
        json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": false}),
        json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}),
        json!({"type": "CharDelimiterSplit", "delimiter": "e"}),
        json!({"type": "Digits", "individual_digits": true}),
        json!({"type": "Digits", "individual_digits": false}),
        json!({"type": "FixedLength", "length": 2}),
        json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}),
        json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": true}),
        json!({"type": "Metaspace", "replacement": "_", "prepend_scheme": "first", "split": false}),
    ];
    for behavior in ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"] {
        all.push(json!({"type": "Punctuation", "behavior": behavior}));
        for invert in [false, true] {
            let pattern = json!({"Regex": "[aeé]|\\s+"});
            all.push(json!({"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}));
        }
    }
    let plain = ["BertPreTokenizer", "UnicodeScripts", "Whitespace", "WhitespaceSplit"];
    all.extend(plain.map(|name| json!({"type": name})));
    all
}

fn decoders() -> Vec<Value> {
    let mut all = vec![
        json!({"type": "BPEDecoder", "suffix": "e"}),
        json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}),
        json!({"type": "CTC", "pad_token": "a", "word_delimiter_token": "|", "cleanup": true}),
        json!({"type": "CTC", "pad_token": "", "word_delimiter_token": "", "cleanup": true}),
        json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}),
        json!({"type": "Replace", "pattern": {"String": ""}, "content": "-"}),
        json!({"type": "Replace", "pattern": {"Regex": "[a-z]+"}, "content": "x"}),
        json!({"type": "Strip", "content": "a", "start": 2, "stop": 1}),
        json!({"type": "WordPiece", "prefix": "a", "cleanup": true}),
        json!({"type": "WordPiece", "prefix": "", "cleanup": false}),
    ];
    all.extend(["ByteFallback", "Fuse"].map(|name| json!({"type": name})));
    all
}

/// One to three of the components, as the list of a `Sequence`.
fn chains(key: &'static str, all: Vec<Value>) -> impl Strategy<Value = Value> {
    prop::collection::vec(prop::sample::select(all), 1..4)
        .prop_map(move |parts| json!({"type": "Sequence", key: parts}))
}

/// Each character of a text with its original span, which must be that of each of its bytes.
fn spans_of(text: &AlignedText) -> Vec<ByteSpan> {
    let bytes = text.byte_origins();
    let span = |(at, c): (usize, char)| {
        assert!(bytes[at..at + c.len_utf8()].iter().all(|span| *span == bytes[at]), "the bytes of {c:?} differ");
        bytes[at]
    };
    text.as_str().char_indices().map(span).collect()
}

fn rise_inside(spans: &[ByteSpan], text: &str) -> bool {
    let at_border =
        |span: &ByteSpan| text.is_char_boundary(span.start as usize) && text.is_char_boundary(span.end as usize);
    spans.iter().all(|span| span.start <= span.end && at_border(span))
        && spans.is_sorted_by_key(|span| span.start)
        && spans.is_sorted_by_key(|span| span.end)
}

fn tokenwise_decoders() -> Vec<Value> {
    decoders()
        .into_iter()
        .filter(|json| AnyDecoder::parse(json.clone()).is_ok_and(|d| d.as_dyn().is_tokenwise()))
        .collect()
}

proptest! {
    #[test]
    fn normalizers_keep_spans_in_order_and_inside(chain in chains("normalizers", normalizers()), text in texts()) {
        let chain = AnyNormalizer::parse(chain).unwrap();
        let mut tracked = AlignedText::new(&text, 0);
        chain.as_dyn().normalize(&mut tracked).unwrap();
        prop_assert!(rise_inside(&spans_of(&tracked), &text), "{:?}", spans_of(&tracked));

        let mut untracked = AlignedText::untracked(&text, 0);
        chain.as_dyn().normalize(&mut untracked).unwrap();
        prop_assert_eq!(tracked.as_str(), untracked.as_str());
        for (at, _) in tracked.as_str().char_indices() {
            let begins = [&tracked, &untracked].map(|text| text.slice(at..text.len()).start() == 0);
            prop_assert_eq!(begins[0], begins[1], "at byte {}", at);
        }
    }

    #[test]
    fn identity_is_never_claimed_wrongly(chain in chains("normalizers", normalizers()), text in texts()) {
        let chain = AnyNormalizer::parse(chain).unwrap();
        let mut normalized = AlignedText::new(&text, 0);
        chain.as_dyn().normalize(&mut normalized).unwrap();
        if chain.as_dyn().is_identity(&text) {
            prop_assert_eq!(normalized, AlignedText::new(&text, 0));
        }
    }

    #[test]
    fn a_normal_form_is_normal(form in prop::sample::select(vec!["NFC", "NFD", "NFKC", "NFKD"]), text in texts()) {
        let form = AnyNormalizer::parse(json!({"type": form})).unwrap();
        let mut text = AlignedText::untracked(&text, 0);
        form.as_dyn().normalize(&mut text).unwrap();
        prop_assert!(form.as_dyn().is_identity(text.as_str()));
    }

    #[test]
    fn pieces_lie_in_order_inside_the_text(chain in chains("pretokenizers", pre_tokenizers()), text in texts()) {
        let chain = AnyPreTokenizer::parse(chain).unwrap();
        let mut tracked = Pretokens::new(AlignedText::new(&text, 0));
        chain.as_dyn().pre_tokenize(&mut tracked).unwrap();
        let mut end = 0;
        for piece in tracked.pieces() {
            prop_assert!(end <= piece.span.start && piece.span.start < piece.span.end);
            end = piece.span.end;
        }
        prop_assert!(end as usize <= tracked.text().len());
        let spans: Vec<ByteSpan> = tracked.pieces().iter().map(|piece| tracked.origin(piece)).collect();
        prop_assert!(rise_inside(&spans, &text), "{:?}", spans);
        prop_assert!(spans.iter().all(|span| span.start < span.end), "{:?}", spans);

        let mut untracked = Pretokens::new(AlignedText::untracked(&text, 0));
        chain.as_dyn().pre_tokenize(&mut untracked).unwrap();
        prop_assert!(tracked.iter().eq(untracked.iter()));
    }

    #[test]
    fn pieces_survive_a_detour(chain in chains("pretokenizers", pre_tokenizers()), text in texts()) {
        let chain = AnyPreTokenizer::parse(chain).unwrap();
        for start in [AlignedText::new(&text, 0), AlignedText::untracked(&text, 0)] {
            let mut pretokens = Pretokens::new(start);
            chain.as_dyn().pre_tokenize(&mut pretokens).unwrap();
            let again = Pretokens::from_texts(pretokens.to_texts());
            prop_assert!(again.iter().eq(pretokens.iter()));
            let origins = |all: &Pretokens| all.pieces().iter().map(|piece| (piece.start, all.origin(piece))).collect::<Vec<_>>();
            prop_assert_eq!(origins(&again), origins(&pretokens));
        }
    }

    #[test]
    fn decoders_take_any_tokens(chain in chains("decoders", decoders()), tokens in prop::collection::vec(prop_oneof![
        texts(),
        any::<u8>().prop_map(|byte| format!("<0x{byte:02X}>")),
    ], 0..6)) {
        let chain = AnyDecoder::parse(chain).unwrap();
        prop_assert!(chain.as_dyn().decode_chain(tokens).is_ok());
    }

    #[test]
    fn tokenwise_decoders_see_one_token_at_a_time(
        chain in chains("decoders", tokenwise_decoders()),
        tokens in prop::collection::vec(texts(), 1..6),
    ) {
        let chain = AnyDecoder::parse(chain).unwrap();
        prop_assert!(chain.as_dyn().is_tokenwise());
        let decoded = chain.as_dyn().decode_chain(tokens.clone()).unwrap();
        prop_assert_eq!(decoded.len(), tokens.len());
        for (at, token) in tokens.iter().enumerate() {
            let filler = |is_needed: bool| is_needed.then(|| "filler".to_owned());
            let alone = filler(at > 0).into_iter().chain([token.clone()]).chain(filler(at + 1 < tokens.len()));
            let alone = chain.as_dyn().decode_chain(alone.collect()).unwrap();
            prop_assert_eq!(&decoded[at], &alone[usize::from(at > 0)]);
        }
    }

    #[test]
    fn what_is_written_reads_the_same(
        normalizer in chains("normalizers", normalizers()),
        pre_tokenizer in chains("pretokenizers", pre_tokenizers()),
        decoder in chains("decoders", decoders()),
    ) {
        prop_assert_eq!(serde_json::to_value(AnyNormalizer::parse(normalizer.clone()).unwrap()).unwrap(), normalizer);
        prop_assert_eq!(serde_json::to_value(AnyPreTokenizer::parse(pre_tokenizer.clone()).unwrap()).unwrap(), pre_tokenizer);
        prop_assert_eq!(serde_json::to_value(AnyDecoder::parse(decoder.clone()).unwrap()).unwrap(), decoder);
    }
}

#[test]
fn every_component_is_drawn() {
    let drawn = |all: Vec<Value>| all.iter().map(|part| part["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    for (names, drawn) in [
        (AnyNormalizer::NAMES, drawn(normalizers())),
        (AnyPreTokenizer::NAMES, drawn(pre_tokenizers())),
        (AnyDecoder::NAMES, drawn(decoders())),
    ] {
        // A character map is too large to stand here; its own tests draw random ones.
        let missing: Vec<&&str> = names
            .iter()
            .filter(|name| !matches!(**name, "Sequence" | "Precompiled") && !drawn.iter().any(|d| d == **name))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}

#[test]
fn errors_name_the_path() {
    let message = |result: piecework_core::error::Result<AnyNormalizer>| result.unwrap_err().to_string();
    let nested = json!({"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Sequence", "normalizers": [{"type": "Lower"}]}]});
    let error = message(AnyNormalizer::parse(nested));
    assert!(
        error.starts_with("normalizers[1].normalizers[0].type: unknown normalizer `Lower`, expected one of `"),
        "{error}"
    );
    let strip = json!({"type": "Sequence", "normalizers": [{"type": "Strip", "strip_left": true}]});
    assert_eq!(message(AnyNormalizer::parse(strip)), "normalizers[0]: missing field `strip_right`");
    let pattern = json!({"type": "Replace", "pattern": "a", "content": ""});
    assert!(message(AnyNormalizer::parse(pattern)).starts_with("pattern: "), "the path is missing");
}
