//! Known results, and the fast trainer beside the plain one.

use proptest::prelude::*;

use super::plain::plainly;
use super::{Scoring, WordPieceTrainer};
use crate::train::counts::WordCounts;
use crate::train::progress::NoProgress;

fn trainer(vocab_size: usize) -> WordPieceTrainer {
    WordPieceTrainer {
        vocab_size,
        min_frequency: 0,
        special_tokens: Vec::new(),
        limit_alphabet: None,
        initial_alphabet: Vec::new(),
        continuing_subword_prefix: Some("##".into()),
        end_of_word_suffix: None,
        scoring: Scoring::Likelihood,
    }
}

fn train(trainer: &WordPieceTrainer, words: &WordCounts) -> Vec<String> {
    trainer.train(words, &mut NoProgress).unwrap()
}

/// Source of the words and of the first two merges: the course of Hugging Face, chapter 6, section 6. The third by hand:
/// `hu` + `##gs` has 5 / (15 × 5), `hu` + `##g` has 10 / (15 × 15).
#[test]
fn the_words_of_the_course() {
    let words: WordCounts = [("hug", 10), ("pug", 5), ("pun", 12), ("bun", 4), ("hugs", 5)].into_iter().collect();
    let vocab = train(&trainer(14), &words);
    assert_eq!(vocab.join(" "), "b g h n p s u ##g ##n ##s ##u ##gs hu hugs");
}

#[test]
fn equal_scores_are_merged_in_the_order_of_the_words() {
    let words = |list: [&str; 2]| list.map(|word| (word, 1)).into_iter().collect::<WordCounts>();
    assert_eq!(train(&trainer(9), &words(["cd", "ab"])).join(" "), "a b c d ##b ##d cd ab");
    assert_eq!(train(&trainer(9), &words(["ab", "cd"])).join(" "), "a b c d ##b ##d ab cd");
}

#[test]
fn large_counts_are_compared_exactly() {
    // Close enough that the scores are equal in floating point; three factors of this size fit the 128 bits of the twin.
    let n = (1_i64 << 41) + 1;
    let words: WordCounts = [("ab", n), ("cd", n - 1), ("xb", 1), ("cy", 1)].into_iter().collect();
    assert_eq!(train(&trainer(100), &words), plainly(&trainer(100), &words));
}

fn corpora() -> impl Strategy<Value = Vec<(String, i64)>> {
    let word = prop_oneof!["[ab]{1,12}", "[abc]{1,8}", "[a-e#]{1,6}", "[aé☃]{1,5}"];
    prop::collection::vec((word, prop_oneof![Just(1_i64), 1_i64..4, 1_i64..200]), 0..14)
}

prop_compose! {
    fn trainers()(
        vocab_size in 0..120_usize,
        min_frequency in prop::sample::select(vec![0, 0, 1, 2, 5]),
        special_tokens in prop::sample::select(vec![vec![], vec!["[UNK]"], vec!["a", "ab", "##ab", "[UNK]"]]),
        initial_alphabet in prop::sample::select(vec![vec![], vec!['z', 'a']]),
        prefix in prop::sample::select(vec![Some("##"), Some("@@"), None, Some("")]),
        suffix in prop::sample::select(vec![None, None, Some("</w>")]),
    ) -> WordPieceTrainer {
        WordPieceTrainer {
            vocab_size,
            min_frequency,
            special_tokens: special_tokens.into_iter().map(str::to_owned).collect(),
            limit_alphabet: None,
            initial_alphabet,
            continuing_subword_prefix: prefix.map(str::to_owned),
            end_of_word_suffix: suffix.map(str::to_owned),
            scoring: Scoring::Likelihood,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn the_fast_trainer_does_what_the_plain_one_does(trainer in trainers(), words in corpora()) {
        let mut seen = std::collections::HashSet::new();
        let words: WordCounts = words.into_iter().filter(|(word, _)| seen.insert(word.clone())).collect();
        prop_assert_eq!(train(&trainer, &words), plainly(&trainer, &words));
    }
}
