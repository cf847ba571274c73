#![expect(clippy::float_cmp, reason = "the scores of the tests add up exactly")]

use super::viterbi::{Step, ViterbiScratch};
use super::*;
use crate::models::{Model, ModelScratch, Token};
use crate::text::ByteSpan;
use proptest::prelude::*;

fn tokens(model: &Unigram, piece: &str) -> Result<Vec<Token>> {
    let mut out = Vec::new();
    model.tokenize(piece, &mut ModelScratch::default(), &mut out).map(|()| out)
}

fn token(id: u32, start: u32, end: u32, text: Option<&str>) -> Token {
    Token { id, span: ByteSpan::new(start, end), text: text.map(Box::from) }
}

fn model(vocab: &[(&str, f64)], unk_id: Option<u32>, byte_fallback: bool) -> Unigram {
    Unigram::new(vocab.iter().copied(), UnigramOptions { unk_id, byte_fallback, ..UnigramOptions::default() }).unwrap()
}

fn ids(model: &Unigram, piece: &str) -> Vec<u32> {
    tokens(model, piece).unwrap().into_iter().map(|t| t.id).collect()
}

#[test]
fn ties_go_to_the_longest_last_piece() {
    let m = model(&[("<unk>", 0.0), ("a", -1.0), ("aa", -2.0), ("aaa", -3.0)], Some(0), false);
    assert_eq!(tokens(&m, "aaaa").unwrap(), [token(1, 0, 1, None), token(3, 1, 4, None)]);
    let no_whole =
        model(&[("<unk>", 0.0), ("ab", -1.0), ("a", -5.0), ("b", -5.0), ("bc", -1.0), ("c", -1.0)], Some(0), false);
    assert_eq!(ids(&no_whole, "abc"), [1, 5]);
}

#[test]
fn unknown_text_is_one_token_that_shows_itself() {
    let m = model(&[("<unk>", 0.0), ("a", -1.0), ("é", -1.0)], Some(0), false);
    let expected = [token(0, 0, 4, Some("x日")), token(1, 4, 5, None), token(0, 5, 6, Some("y"))];
    assert_eq!(tokens(&m, "x日ay").unwrap(), expected);
    // The entry of the unknown token joins unknown text; alone it is itself.
    assert_eq!(tokens(&m, "x<unk>y").unwrap(), [token(0, 0, 7, Some("x<unk>y"))]);
    assert_eq!(tokens(&m, "<unk>").unwrap(), [token(0, 0, 5, None)]);
    // Text that was cut into unknown characters may be an entry as a whole.
    let high = model(&[("<unk>", 100.0), ("xy", 100.0)], Some(0), false);
    assert_eq!(tokens(&high, "xy").unwrap(), [token(1, 0, 2, None)]);
    assert_eq!(tokens(&high, "xyz").unwrap(), [token(0, 0, 3, Some("xyz"))]);
}

#[test]
fn bytes_have_the_span_of_all_the_unknown_text() {
    let vocab = [("<unk>", 0.0), ("<0x62>", -1.0), ("<0x63>", -1.0), ("a", -1.0)];
    let m = model(&vocab, Some(0), true);
    assert_eq!(tokens(&m, "abc").unwrap(), [token(3, 0, 1, None), token(1, 1, 3, None), token(2, 1, 3, None)]);
    assert_eq!(tokens(&m, "abd").unwrap(), [token(3, 0, 1, None), token(0, 1, 3, Some("bd"))]);
    assert_eq!(
        tokens(&m.with_options(UnigramOptions { unk_id: Some(0), ..Default::default() }).unwrap(), "bc").unwrap(),
        [token(0, 0, 2, Some("bc"))]
    );
}

#[test]
fn without_an_unknown_token() {
    let m = model(&[("ab", -1.0), ("a", -1.0), ("c", -3.0)], None, false);
    assert_eq!(ids(&m, "aab"), [1, 0]);
    assert_eq!(
        tokens(&m, "acé").unwrap_err().to_string(),
        "`é` is not in the vocabulary, and `unk_id` of a token for it is missing"
    );
    // As in the reference, an unknown character on the way is enough, even where a longer entry has it.
    assert!(tokens(&model(&[("ab", -1.0)], None, false), "ab").is_err());
    let empty = model(&[], None, false);
    assert!(ids(&empty, "").is_empty());
    assert!(tokens(&empty, "a").is_err());
}

#[test]
fn no_vocabulary_is_the_unknown_token_alone() {
    assert_eq!(tokens(&Unigram::default(), "ab").unwrap(), [token(0, 0, 2, Some("ab"))]);
    let json = r#"{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0.0]],"byte_fallback":false}"#;
    assert_eq!(serde_json::to_string(&Unigram::default()).unwrap(), json);
}

#[test]
fn repeated_entries() {
    let m = model(&[("a", -1.0), ("a", -3.0), ("b", -1.0), ("aa", -5.0), ("", -9.0)], Some(2), false);
    assert_eq!(m.vocabulary().id("a"), Some(1));
    assert_eq!(m.vocabulary().token(0), Some("a"));
    assert_eq!(m.vocabulary().len(), 5);
    assert_eq!(m.scores(), [-1.0, -3.0, -1.0, -5.0, -9.0]);
    assert_eq!(ids(&m, "aa"), [3]); // -5 against twice the last score, -3
    let json = r#"{"type":"Unigram","unk_id":2,"vocab":[["a",-1.0],["a",-3.0],["b",-1.0],["aa",-5.0],["",-9.0]],"byte_fallback":false}"#;
    assert_eq!(serde_json::to_string(&m).unwrap(), json);
    let again = Unigram::parse(serde_json::from_str(json).unwrap()).unwrap();
    assert_eq!(serde_json::to_string(&again).unwrap(), json);
}

#[test]
fn json() {
    let parse = |json: &str| Unigram::parse(serde_json::from_str(json).unwrap());
    let m = parse(r#"{"vocab":[["a",0],["b",-0.5],["c",1e22]],"alpha":0.1,"more":[]}"#).unwrap();
    assert_eq!(m.options(), &UnigramOptions::default());
    assert_eq!(
        serde_json::to_string(&m).unwrap(),
        r#"{"type":"Unigram","unk_id":null,"vocab":[["a",0.0],["b",-0.5],["c",1e+22]],"byte_fallback":false}"#
    );
    let error = |json: &str| parse(json).unwrap_err().to_string();
    assert_eq!(
        error(r#"{"vocab":[],"unk_id":0}"#),
        "unk_id: the vocabulary is empty, it needs at least the unknown token"
    );
    assert_eq!(
        error(r#"{"vocab":[["a",0]],"unk_id":1}"#),
        "unk_id: `1` is not an id of the vocabulary, which has 1 entries"
    );
    assert!(error("{}").starts_with("missing field `vocab`"));
    assert!(error(r#"{"vocab":[["a",0],["b",0,1]]}"#).starts_with("vocab[1]: invalid length 3"));
    assert!(error(r#"{"vocab":[["a"]]}"#).starts_with("vocab[0]: invalid length 1"));
    assert!(error(r#"{"vocab":[["a",null]]}"#).starts_with("vocab[0][1]: invalid type: null"));
    assert!(error(r#"{"vocab":{"a":0}}"#).starts_with("vocab: invalid type: map"));
    assert!(error(r#"{"vocab":[],"byte_fallback":null}"#).starts_with("byte_fallback: "));
}

/// As the reference reads these numbers and writes them again; the first and the third are not the nearest floats.
#[test]
fn scores_are_rounded_as_in_the_reference() {
    for (number, read) in [
        ("-9.835111514935019", "-9.83511151493502"),
        ("-9.932168958127036", "-9.932168958127036"),
        ("-9.076735021034981", "-9.07673502103498"),
        ("123456789012345678901234567890", "1.2345678901234568e+29"),
    ] {
        let m = Unigram::parse(serde_json::from_str(&format!(r#"{{"vocab":[["a",{number}]]}}"#)).unwrap()).unwrap();
        assert!(serde_json::to_string(&m).unwrap().contains(&format!("[[\"a\",{read}]]")), "{number}");
    }
}

#[test]
fn settings_out_of_range() {
    let error = |score, options| Unigram::new([("a", 0.0), ("b", score)], options).unwrap_err().to_string();
    let none = UnigramOptions::default();
    assert_eq!(error(f64::NAN, none), "vocab[1]: the score `NaN` of `b` is not a finite number");
    assert_eq!(error(f64::NEG_INFINITY, none), "vocab[1]: the score `-inf` of `b` is not a finite number");
    let alpha = UnigramOptions { alpha: Some(f64::INFINITY), ..none };
    assert_eq!(error(0.0, alpha), "alpha: `inf` is not a finite number");
    assert!(error(0.0, UnigramOptions { unk_id: Some(2), ..none }).starts_with("unk_id: `2` is not an id"));
}

#[test]
fn absurd_scores_do_not_overflow() {
    let m = model(&[("a", f64::MIN), ("b", f64::MAX), ("aa", 0.0)], Some(0), false);
    assert_eq!(ids(&m, "aab"), [2, 1]);
    assert_eq!(ids(&m, &"b".repeat(1000)).len(), 1000);
    assert_eq!(ids(&m, &"x".repeat(1000)), [0]);
}

#[test]
fn sampling_follows_the_weights() {
    let vocab = [("<unk>", 0.0), ("a", -1.0), ("aa", -1.5), ("b", -2.0)];
    let all = |alpha, nbest_size| {
        let options = UnigramOptions { unk_id: Some(0), byte_fallback: false, alpha: Some(alpha), nbest_size };
        Unigram::new(vocab, options).unwrap()
    };
    let mut scratch = ModelScratch { random: fastrand::Rng::with_seed(1), ..ModelScratch::default() };
    let mut share = |m: &Unigram, piece: &str, wanted: &[u32]| {
        let n = 20_000;
        let mut hits = 0;
        for _ in 0..n {
            let mut out = Vec::new();
            m.tokenize(piece, &mut scratch, &mut out).unwrap();
            hits += u32::from(out.iter().map(|t| t.id).eq(wanted.iter().copied()));
        }
        f64::from(hits) / f64::from(n)
    };
    let close = |x: f64, y: f64| assert!((x - y).abs() < 0.02, "{x} is not {y}");
    // "aa": {aa: -1.5, a a: -2}. The last piece is drawn with exp(A[start] + alpha * score), A[1] = alpha * -1.
    close(share(&all(0.5, None), "aa", &[2]), 1.0 / (1.0 + (-0.25_f64).exp()));
    close(share(&all(2.0, Some(0)), "aa", &[2]), 1.0 / (1.0 + (-1.0_f64).exp()));
    // "aaa": A = [0, -0.5, ln(e^-0.75 + e^-0.75), ...] with alpha 0.5: the value of "a" counts half again in A[2].
    let a2 = ((-0.75_f64).exp() + (-0.75_f64).exp()).ln();
    let last_aa = (-0.5_f64 - 0.75).exp() / ((-0.5_f64 - 0.75).exp() + (a2 - 0.5).exp());
    close(share(&all(0.5, None), "aaa", &[1, 2]), last_aa);
    // Among the best two of "aaa" (both -2.5) each is as likely, the third never comes.
    close(share(&all(1.0, Some(2)), "aaa", &[1, 2]), 0.5);
    close(share(&all(1.0, Some(2)), "aaa", &[1, 1, 1]), 0.0);
    close(share(&all(1.0, Some(1)), "aaa", &[1, 2]), 1.0);
    close(share(&all(1e300, None), "bxxb", &[3, 0, 3]), 1.0);
    assert!(!all(1.0, None).is_repeatable() && all(0.0, Some(5)).is_repeatable());
}

#[test]
fn sampling_without_an_unknown_token() {
    let options = UnigramOptions { alpha: Some(0.1), ..UnigramOptions::default() };
    let m = Unigram::new([("a", -1.0)], options).unwrap();
    assert_eq!(ids(&m, "aa"), [0, 0]);
    assert!(tokens(&m, "ab").is_err());
    assert!(ids(&m, "").is_empty());
}

/// The definition: all paths, each as its score and the steps from the last to the first. A character without an entry of its
/// own is unknown.
fn all_paths(vocab: &[(String, f64)], unknown: f64, text: &str, end: usize) -> Vec<(f64, Vec<Step>)> {
    if end == 0 {
        return vec![(0.0, Vec::new())];
    }
    let id = |piece: &str| vocab.iter().rposition(|(t, _)| t == piece);
    let mut paths = Vec::new();
    for start in (0..end).filter(|&s| text.is_char_boundary(s)) {
        let piece = &text[start..end];
        let (id, score) = match id(piece) {
            Some(i) => (Some(i as u32), vocab[i].1),
            None if piece.chars().count() == 1 => (None, unknown),
            None => continue,
        };
        let step = Step { start: start as u32, end: end as u32, id };
        for (before, steps) in all_paths(vocab, unknown, text, start) {
            let steps = std::iter::once(step).chain(steps).collect();
            paths.push((before + score, steps));
        }
    }
    paths
}

/// Scores that add up exactly, so that ties are ties.
fn entries() -> impl Strategy<Value = Vec<(String, f64)>> {
    proptest::collection::vec(("[abé日]{1,3}", (-8..4_i32).prop_map(|n| f64::from(n) / 4.0)), 0..14)
}

proptest! {
    #[test]
    fn is_the_best_of_all_paths(vocab in entries(), text in "[abé日c]{0,8}") {
        let trie = PieceTrie::new(vocab.iter().map(|(t, s)| (t.as_str(), *s)));
        let worst = vocab.iter().map(|(_, s)| *s).fold(f64::INFINITY, f64::min);
        prop_assert!(trie.unknown_score() == worst - 10.0 || vocab.is_empty());
        let paths = all_paths(&vocab, trie.unknown_score(), &text, text.len());
        // Of equal sums: the longest last step, and so on from the end.
        let best = paths
            .iter()
            .max_by(|a, b| {
                let starts = |p: &[Step]| p.iter().map(|s| std::cmp::Reverse(s.start)).collect::<Vec<_>>();
                a.0.total_cmp(&b.0).then_with(|| starts(&a.1).cmp(&starts(&b.1)))
            })
            .unwrap();
        let mut steps = Vec::new();
        let found = trie.best_path(&text, &mut ViterbiScratch::default(), &mut steps);
        prop_assert_eq!(&steps, &best.1);
        prop_assert_eq!(found.score, best.0);

        let mut lattice = Lattice::default();
        lattice.fill(&trie, &text);
        let as_steps = |path: &lattice::Path| -> Vec<Step> {
            path.nodes.iter().rev().map(|&n| lattice.nodes()[n as usize].step()).collect()
        };
        // Every path once, best first, whatever n is.
        let every = lattice.n_best(paths.len() + 5);
        prop_assert_eq!(every.len(), paths.len());
        prop_assert_eq!(as_steps(&every[0]), steps);
        prop_assert!(every.windows(2).all(|w| w[0].score >= w[1].score));
        for path in &every {
            prop_assert!(paths.iter().any(|(score, steps)| *score == path.score && *steps == as_steps(path)));
        }
        for n in 0..4.min(every.len()) {
            prop_assert_eq!(&lattice.n_best(n), &every[..n]);
        }

        // The same paths by the agenda; ties may come in another order.
        let by_agenda = lattice.n_best_by_agenda(paths.len() + 5);
        let scores = |paths: &[lattice::Path]| paths.iter().map(|p| p.score).collect::<Vec<_>>();
        prop_assert_eq!(scores(&by_agenda), scores(&every));
        let sorted = |paths: &[lattice::Path]| {
            let mut nodes: Vec<_> = paths.iter().map(|p| p.nodes.clone()).collect();
            nodes.sort();
            nodes
        };
        let mut distinct = sorted(&every);
        distinct.dedup();
        prop_assert_eq!(distinct.len(), paths.len());
        prop_assert_eq!(sorted(&by_agenda), distinct);
        prop_assert_eq!(&lattice.n_best_by_agenda(2)[..], &by_agenda[..2.min(by_agenda.len())]);

        // Expected counts are those of all paths, weighted by their probabilities.
        if !vocab.is_empty() {
            let mut counts = vec![0.0; vocab.len() + 1];
            let slot = |id: u32| if id == lattice::UNKNOWN { vocab.len() } else { id as usize };
            let total = lattice.add_expected(3.0, &mut Default::default(), |id, count| counts[slot(id)] += count);
            let sum: f64 = paths.iter().map(|p| p.0.exp()).sum();
            prop_assert!((total - 3.0 * sum.ln()).abs() < 1e-9);
            let mut expected = vec![0.0; vocab.len() + 1];
            for (score, steps) in &paths {
                for step in steps {
                    expected[step.id.map_or(vocab.len(), |id| id as usize)] += 3.0 * score.exp() / sum;
                }
            }
            for (x, y) in counts.iter().zip(&expected) {
                prop_assert!((x - y).abs() < 1e-9, "{} {}", x, y);
            }
        }
    }

    #[test]
    fn tokens_cover_the_piece(vocab in entries(), text in "[abé日c]{0,12}", sampled in any::<bool>(), nbest in 0..6_usize) {
        let vocab = std::iter::once(("<unk>".to_owned(), 0.0)).chain(vocab);
        let options = UnigramOptions {
            unk_id: Some(0), byte_fallback: false, alpha: sampled.then_some(0.7), nbest_size: Some(nbest),
        };
        let m = Unigram::new(vocab, options).unwrap();
        let mut at = 0;
        for t in tokens(&m, &text).unwrap() {
            prop_assert_eq!(t.span.start, at);
            prop_assert!(t.span.end > at);
            at = t.span.end;
            let shown = t.text.as_deref().or(m.vocabulary().token(t.id));
            prop_assert_eq!(shown, Some(&text[t.span.range()]));
        }
        prop_assert_eq!(at as usize, text.len());
    }
}
