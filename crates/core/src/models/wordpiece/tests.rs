use super::*;
use proptest::prelude::*;
use std::collections::HashMap;

fn tokens(model: &WordPiece, piece: &str) -> Result<Vec<Token>> {
    let mut out = vec![token(99, 0, 0, None)]; // what stands before stays
    model.tokenize(piece, &mut ModelScratch::default(), &mut out)?;
    assert_eq!(out.remove(0), token(99, 0, 0, None));
    Ok(out)
}

fn token(id: u32, start: u32, end: u32, text: Option<&str>) -> Token {
    Token { id, span: ByteSpan::new(start, end), text: text.map(Box::from) }
}

fn model(vocab: &[(&str, u32)], options: WordPieceOptions) -> WordPiece {
    WordPiece::new(vocab.iter().copied().collect(), options)
}

#[test]
fn longest_from_the_left() {
    let vocab = [("[UNK]", 0), ("un", 1), ("unaf", 2), ("##aff", 3), ("##able", 4), ("##f", 5), ("##é", 6), ("##", 7)];
    let m = model(&vocab, WordPieceOptions::default());
    assert_eq!(tokens(&m, "unaff").unwrap(), [token(2, 0, 4, None), token(5, 4, 5, None)]);
    assert_eq!(tokens(&m, "unfé").unwrap(), [token(1, 0, 2, None), token(5, 2, 3, None), token(6, 3, 5, None)]);
    // "unaf" is taken although "un" + "##aff" + "##able" would make up the piece.
    assert_eq!(tokens(&m, "unaffable").unwrap(), [token(2, 0, 4, None), token(5, 4, 5, None), token(4, 5, 9, None)]);
    assert_eq!(tokens(&m, "unx").unwrap(), [token(0, 0, 3, None)]);
    assert_eq!(tokens(&m, "##").unwrap(), [token(7, 0, 2, None)]);
    assert_eq!(tokens(&m, "").unwrap(), []);
}

#[test]
fn the_limit_counts_characters() {
    let vocab = [("[UNK]", 0), ("é", 1), ("##é", 2)];
    let m = model(&vocab, WordPieceOptions { max_input_chars_per_word: 3, ..WordPieceOptions::default() });
    assert_eq!(tokens(&m, "ééé").unwrap().len(), 3);
    assert_eq!(tokens(&m, "éééé").unwrap(), [token(0, 0, 8, None)]);
    let none = m.with_options(WordPieceOptions { max_input_chars_per_word: 0, ..WordPieceOptions::default() });
    assert_eq!(tokens(&none, "é").unwrap(), [token(0, 0, 2, None)]);
    assert_eq!(tokens(&none, "").unwrap(), []);
}

#[test]
fn an_unknown_token_is_needed_only_for_the_unknown() {
    let m = model(
        &[("a", 0), ("b", 1)],
        WordPieceOptions { continuing_subword_prefix: String::new(), ..Default::default() },
    );
    assert_eq!(tokens(&m, "ab").unwrap(), [token(0, 0, 1, None), token(1, 1, 2, None)]);
    assert_eq!(
        tokens(&m, "ac").unwrap_err().to_string(),
        "no entries of the vocabulary make up `ac`, and the unk_token `[UNK]` that would stand for it is missing"
    );
    assert!(tokens(&WordPiece::default(), "a").is_err());
    assert_eq!(tokens(&WordPiece::default(), "").unwrap(), []);
    assert_eq!(
        tokens(&m.with_options(WordPieceOptions { unk_token: "b".into(), ..Default::default() }), "c").unwrap(),
        [token(1, 0, 1, None)]
    );
    let long = tokens(&m, &"x".repeat(1000)).unwrap_err().to_string();
    assert!(long.len() < 200, "{long}");
}

#[test]
fn tokens_that_share_an_id_keep_their_text() {
    let m = model(&[("[UNK]", 0), ("a", 0), ("##a", 0)], WordPieceOptions::default());
    assert_eq!(tokens(&m, "aa").unwrap(), [token(0, 0, 1, Some("a")), token(0, 1, 2, None)]);
    assert_eq!(tokens(&m, "b").unwrap(), [token(0, 0, 1, Some("[UNK]"))]);
}

#[test]
fn json() {
    let json = r###"{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":{"c":1,"a":3,"b":7}}"###;
    let written = json.replace(r#"{"c":1,"a":3,"b":7}"#, r#"{"b":7,"a":3,"c":1}"#);
    let m = WordPiece::parse(serde_json::from_str(&written).unwrap()).unwrap();
    assert_eq!(serde_json::to_string(&m).unwrap(), json);
    let error = |json: &str| WordPiece::parse(serde_json::from_str(json).unwrap()).unwrap_err().to_string();
    assert!(
        error(r#"{"vocab":{},"unk_token":"a","max_input_chars_per_word":1}"#)
            .starts_with("missing field `continuing_subword_prefix`")
    );
    let negative = r#"{"vocab":{},"unk_token":"a","continuing_subword_prefix":"","max_input_chars_per_word":-1}"#;
    assert!(error(negative).contains("invalid value: integer `-1`"));
}

/// The definition: at each place the longest slice that the map has, else the whole piece is unknown.
fn by_definition(vocab: &HashMap<&str, u32>, o: &WordPieceOptions, piece: &str) -> Option<Vec<Token>> {
    let unknown = || Some(vec![token(*vocab.get(o.unk_token.as_str())?, 0, piece.len() as u32, None)]);
    if piece.chars().count() > o.max_input_chars_per_word {
        return unknown();
    }
    let mut found = Vec::new();
    let mut start = 0;
    while start < piece.len() {
        let prefix = if start == 0 { "" } else { o.continuing_subword_prefix.as_str() };
        let ends = (start + 1..=piece.len()).rev().filter(|&end| piece.is_char_boundary(end));
        let longest = ends
            .map(|end| (end, format!("{prefix}{}", &piece[start..end])))
            .find(|(_, t)| vocab.contains_key(t.as_str()));
        let Some((end, text)) = longest else { return unknown() };
        found.push(token(vocab[text.as_str()], start as u32, end as u32, None));
        start = end;
    }
    Some(found)
}

proptest! {
    #[test]
    fn is_the_greedy_longest_match(
        entries in proptest::collection::hash_set("(#{0,2}[aбc▁]{0,3}|\\[UNK\\])", 0..40),
        prefix in "(#{0,2}|a|▁)",
        limit in 0..12_usize,
        pieces in proptest::collection::vec("[aбc▁#]{0,10}", 1..20),
    ) {
        let vocab: HashMap<&str, u32> = entries.iter().enumerate().map(|(i, e)| (e.as_str(), i as u32)).collect();
        let options = WordPieceOptions {
            unk_token: "[UNK]".into(), continuing_subword_prefix: prefix, max_input_chars_per_word: limit,
        };
        let m = WordPiece::new(vocab.iter().map(|(&t, &id)| (t, id)).collect(), options.clone());
        for piece in &pieces {
            prop_assert_eq!(tokens(&m, piece).ok(), by_definition(&vocab, &options, piece), "{}", piece);
        }
    }
}
