//! Training against its plain twin, on drawn words; sizes, limits and threads on chosen ones.

use proptest::prelude::*;

use super::plain::plainly;
use super::{UnigramTrained, UnigramTrainer};
use crate::error::Error;
use crate::train::counts::WordCounts;
use crate::train::progress::{NoProgress, Progress};

fn train(trainer: &UnigramTrainer, words: &WordCounts) -> UnigramTrained {
    trainer.train(words, 1, &mut NoProgress).unwrap()
}

fn sorted(trained: &UnigramTrained) -> Vec<(&str, f64)> {
    let mut entries: Vec<_> = trained.vocab.iter().map(|(token, score)| (token.as_str(), *score)).collect();
    entries.sort_by(|a, b| a.0.cmp(b.0).then(a.1.total_cmp(&b.1)));
    entries
}

/// Words of two alphabets with counts that make equal sums unlikely.
fn some_words() -> impl Strategy<Value = WordCounts> {
    let word = prop_oneof!["[abc]{0,12}", "[abcdeé猫\u{0}😀]{0,9}", "(ab|abc|a|猫é|é){1,8}"];
    prop::collection::btree_map(word, 1_i64..100_000, 1..60).prop_map(|words| words.into_iter().collect())
}

prop_compose! {
    fn some_trainer()(
        vocab_size in 14_usize..60,
        special_tokens in prop::sample::select(vec![vec![], vec!["<s>"], vec!["a", "<unk>"]]),
        initial_alphabet in prop::sample::select(vec![vec![], vec!['é', 'z', 'y']]),
        shrinking_factor in prop::sample::select(vec![0.0, 0.5, 0.75, 0.9]),
        unk_token in prop::sample::select(vec![None, Some("<unk>".to_owned())]),
        max_piece_length in prop::sample::select(vec![0_usize, 2, 3, 5, 16, usize::MAX]),
        n_sub_iterations in 0_usize..4,
        seed_size in prop::sample::select(vec![0_usize, 12, 30, 1_000_000]),
    ) -> UnigramTrainer {
        let special_tokens = special_tokens.into_iter().map(String::from).collect();
        UnigramTrainer {
            vocab_size, special_tokens, initial_alphabet, shrinking_factor, unk_token, max_piece_length,
            n_sub_iterations, seed_size,
        }
    }
}

proptest! {
    #[test]
    fn learns_what_its_plain_twin_learns(words in some_words(), trainer in some_trainer()) {
        let (fast, plain) = (train(&trainer, &words), plainly(&trainer, &words));
        prop_assert_eq!(fast.unk_id, plain.unk_id);
        let (fast, plain) = (sorted(&fast), sorted(&plain));
        prop_assert_eq!(fast.len(), plain.len(), "{:?}\n{:?}", &fast, &plain);
        for (a, b) in fast.iter().zip(&plain) {
            prop_assert!(a.0 == b.0 && (a.1 - b.1).abs() < 1e-6, "{:?}\n{:?}", &fast, &plain);
        }
    }

    #[test]
    fn the_size_is_never_above_what_was_asked_for(words in some_words(), trainer in some_trainer()) {
        let trained = train(&trainer, &words);
        prop_assert!(trained.vocab.len() <= trainer.vocab_size);
        prop_assert!(trained.vocab.iter().all(|(_, score)| score.is_finite()));
    }
}

/// Words of syllables, enough for several blocks.
fn many_words(n: u64) -> WordCounts {
    let mut random = fastrand::Rng::with_seed(7);
    let words: std::collections::BTreeMap<String, i64> = (0..n)
        .map(|_| {
            let syllables = (0..random.usize(1..6))
                .map(|_| random.choice(["lo", "ring", "é", "stan", "de", "猫", "qu", "ix", "thu", "my"]).unwrap());
            (syllables.collect(), random.i64(1..1000))
        })
        .collect();
    words.into_iter().collect()
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let words = many_words(60_000);
    let trainer = UnigramTrainer { vocab_size: 300, ..UnigramTrainer::default() };
    let one = trainer.train(&words, 1, &mut NoProgress).unwrap();
    assert!((250..=300).contains(&one.vocab.len()));
    for threads in [2, 3, 8] {
        let other = trainer.train(&words, threads, &mut NoProgress).unwrap();
        assert_eq!(one, other);
    }
}

#[test]
fn a_size_out_of_reach_names_the_smallest_one() {
    let words: WordCounts = [("abc", 5), ("ab", 7)].into_iter().collect();
    let trainer = |vocab_size| UnigramTrainer {
        vocab_size,
        special_tokens: vec!["<s>".into()],
        unk_token: Some("<unk>".into()),
        initial_alphabet: vec!['z'],
        ..UnigramTrainer::default()
    };
    let error = trainer(5).train(&words, 1, &mut NoProgress).unwrap_err();
    assert!(matches!(&error, Error::Training(reason) if reason.contains("`5`") && reason.contains("`6`")), "{error}");
    let smallest = train(&trainer(6), &words);
    let tokens: Vec<&str> = smallest.vocab.iter().map(|(token, _)| token.as_str()).collect();
    assert_eq!(tokens[..2], ["<unk>", "<s>"]);
    assert_eq!(tokens.len(), 6);
    assert_eq!(smallest.unk_id, Some(0));
}

#[test]
fn impossible_parameters_are_refused() {
    let words: WordCounts = [("ab", 1)].into_iter().collect();
    for shrinking_factor in [1.0, -0.1, f64::NAN, f64::INFINITY] {
        let trainer = UnigramTrainer { shrinking_factor, ..UnigramTrainer::default() };
        assert!(matches!(trainer.train(&words, 1, &mut NoProgress), Err(Error::Training(_))));
    }
    let negative: WordCounts = [("ab", -1)].into_iter().collect();
    assert!(matches!(UnigramTrainer::default().train(&negative, 1, &mut NoProgress), Err(Error::Training(_))));
}

#[test]
fn a_word_without_characters_is_learnt_like_any_other() {
    let words: WordCounts = [("", 1)].into_iter().collect();
    let trainer = UnigramTrainer { initial_alphabet: vec!['q', 'é'], ..UnigramTrainer::default() };
    assert_eq!(sorted(&train(&trainer, &words)), sorted(&plainly(&trainer, &words)));
}

#[test]
fn no_words_and_words_without_a_count() {
    let trainer = UnigramTrainer { initial_alphabet: vec!['q', 'é'], ..UnigramTrainer::default() };
    let vocab = |words: WordCounts| train(&trainer, &words).vocab;
    let expected = [("é".to_owned(), 0.0001), ("q".to_owned(), 0.0)];
    assert_eq!(vocab(WordCounts::new()), expected);
    assert_eq!(vocab([("", 4), ("xyz", 0)].into_iter().collect()), expected);
    let with = |zero: &str| -> WordCounts { [("ab", 3), (zero, 0), ("abc", 2)].into_iter().collect() };
    assert_eq!(vocab(with("")), vocab(with("xyz")));
}

/// Long words leave the range of plain numbers, and do so sooner where easy parts and a hard one are far apart. The hard one has no
/// character twice, since equal pieces that overlap make equal segmentations.
fn long_words() -> impl Strategy<Value = WordCounts> {
    let easy = prop_oneof![
        ("[abc]{1,3}", 1_usize..150).prop_map(|(unit, times)| unit.repeat(times)),
        "(ab|abc|a|猫é|é|\u{0}){1,80}",
    ];
    let hard = prop::sample::subsequence(('α'..='ω').collect::<Vec<char>>(), 0..25).prop_shuffle();
    let word = (prop::collection::vec(easy, 1..8), hard)
        .prop_map(|(easy, hard)| easy.concat() + &String::from_iter(hard) + &easy[easy.len() / 2..].concat());
    prop::collection::btree_map(word, 1_i64..100_000, 1..6).prop_map(|words| words.into_iter().collect())
}

proptest! {
    #[test]
    fn long_words_are_learnt_like_short_ones(
        words in long_words(),
        trainer in some_trainer(),
        vocab_size in 50_usize..90,
        max_piece_length in 1_usize..7,
    ) {
        let trainer = UnigramTrainer { vocab_size, max_piece_length, ..trainer };
        let (fast, plain) = (train(&trainer, &words), plainly(&trainer, &words));
        let (fast, plain) = (sorted(&fast), sorted(&plain));
        prop_assert_eq!(fast.len(), plain.len(), "{:?}\n{:?}", &fast, &plain);
        for (a, b) in fast.iter().zip(&plain) {
            prop_assert!(a.0 == b.0 && (a.1 - b.1).abs() < 1e-6, "{:?}\n{:?}", &fast, &plain);
        }
    }
}

#[test]
fn very_long_words_are_learnt_like_short_ones() {
    let rare: String = ('α'..='ω').cycle().take(5000).collect();
    let words: WordCounts = [("ab".repeat(70_000), 1), (rare, 1), ("a".repeat(9_000), 3)].into_iter().collect();
    let trainer = UnigramTrainer { vocab_size: 60, max_piece_length: 5, ..UnigramTrainer::default() };
    let (fast, plain) = (train(&trainer, &words), plainly(&trainer, &words));
    for (a, b) in sorted(&fast).iter().zip(sorted(&plain)) {
        assert!(a.0 == b.0 && (a.1 - b.1).abs() < 1e-6, "{a:?} {b:?}");
    }
    for threads in [2, 3] {
        assert_eq!(trainer.train(&words, threads, &mut NoProgress).unwrap(), fast);
    }
}

/// Weights of characters grow with the counts, those of repeats do not.
#[test]
fn large_counts_do_not_drown_the_repeats() {
    let words = many_words(3_000);
    let times = |n: i64| -> WordCounts { words.iter().map(|(word, count)| (word.to_owned(), count * n)).collect() };
    let trainer = UnigramTrainer { vocab_size: 100, ..UnigramTrainer::default() };
    let (some, many) = (train(&trainer, &times(1_000_000)), train(&trainer, &times(100_000_000_000)));
    for (a, b) in sorted(&some).iter().zip(sorted(&many)) {
        assert!(a.0 == b.0 && (a.1 - b.1).abs() < 1e-6, "{a:?} {b:?}");
    }
    assert!(some.vocab.iter().any(|(token, _)| token == "ring"));
}

/// Stops after some calls.
struct Stops(u32);

impl Progress for Stops {
    fn stage(&mut self, _: &str, _: u64) -> crate::error::Result<()> {
        self.advance(0)
    }

    fn advance(&mut self, _: u64) -> crate::error::Result<()> {
        self.0 = self.0.checked_sub(1).ok_or(Error::Interrupted)?;
        Ok(())
    }
}

#[test]
fn an_interrupt_ends_it_at_any_stage() {
    let words = many_words(20_000);
    let trainer = UnigramTrainer { vocab_size: 200, ..UnigramTrainer::default() };
    for calls in [0, 1, 2, 3, 5, 8, 13] {
        for threads in [1, 3] {
            let outcome = trainer.train(&words, threads, &mut Stops(calls));
            assert!(matches!(outcome, Err(Error::Interrupted)), "{calls} {threads}");
        }
    }
}
