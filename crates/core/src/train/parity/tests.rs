//! Known results. (The reference is compared with in Python.)

use super::{ParityBpeTrainer, Variant};
use crate::train::counts::WordCounts;
use crate::train::progress::NoProgress;

fn trainer(num_merges: usize) -> ParityBpeTrainer {
    ParityBpeTrainer {
        num_merges,
        variant: Variant::Base,
        min_frequency: 0,
        ratio: None,
        global_merges: 0,
        window_size: 100,
        alpha: 2.0,
        total_symbols: false,
        special_tokens: Vec::new(),
        limit_alphabet: None,
        initial_alphabet: Vec::new(),
        continuing_subword_prefix: None,
        end_of_word_suffix: None,
        max_token_length: None,
    }
}

fn merges(trainer: &ParityBpeTrainer, train: &[&[(&str, i64)]], dev: Option<&[&[(&str, i64)]]>) -> String {
    let words = |list: &[&[(&str, i64)]]| -> Vec<WordCounts> {
        list.iter().map(|words| words.iter().copied().collect()).collect()
    };
    let (train, dev) = (words(train), dev.map(words));
    let train: Vec<&WordCounts> = train.iter().collect();
    let dev: Option<Vec<&WordCounts>> = dev.as_ref().map(|dev| dev.iter().collect());
    let got = trainer.train(&train, dev.as_deref(), &mut NoProgress).unwrap();
    let token = |id: u32| got.vocab[id as usize].as_str();
    got.merges.iter().map(|&(a, b)| format!("{}+{}", token(a), token(b))).collect::<Vec<_>>().join(" ")
}

/// Source of the expected values: `tokenizers` 0.23.3.
#[test]
fn the_longest_language_is_next() {
    let first = [("low", 2), ("lower", 1), ("newest", 2)];
    let second = [("xyz", 2), ("zzz", 1)];
    assert_eq!(merges(&trainer(6), &[&first, &second], None), "w+e l+o we+s wes+t n+e ne+west");
}

#[test]
fn development_texts_decide_who_is_next() {
    let (first, second): (&[_], &[_]) = (&[("ab", 100)], &[("cd", 1)]);
    assert_eq!(merges(&trainer(1), &[first, second], None), "a+b");
    assert_eq!(merges(&trainer(1), &[first, second], Some(&[&[("ab", 1)], &[("cd", 2)]])), "c+d");
}

#[test]
fn a_ratio_asks_for_more_compression() {
    let languages: [&[(&str, i64)]; 2] = [&[("ab", 1), ("aba", 1)], &[("cd", 1), ("cdc", 1)]];
    let with = |ratio: [f64; 2]| ParityBpeTrainer { ratio: Some(ratio.into()), ..trainer(1) };
    assert_eq!(merges(&with([2.0, 1.0]), &languages, None), "a+b");
    assert_eq!(merges(&with([1.0, 2.0]), &languages, None), "c+d");
}

#[test]
fn a_window_gives_everybody_a_turn() {
    let languages: [&[(&str, i64)]; 2] = [&[("abcdefg", 9)], &[("xyz", 1)]];
    assert_eq!(merges(&trainer(3), &languages, None), "f+g e+fg d+efg");
    let trainer = ParityBpeTrainer { variant: Variant::Window, window_size: 2, alpha: 1.0, ..trainer(3) };
    assert_eq!(merges(&trainer, &languages, None), "f+g e+fg y+z");
}

#[test]
fn a_window_that_leaves_nobody_is_passed_over() {
    // The reference never comes back from this.
    let trainer = ParityBpeTrainer { variant: Variant::Window, window_size: 1, alpha: 0.5, ..trainer(9) };
    assert_eq!(merges(&trainer, &[&[("abc", 2)], &[("x", 1)]], None), "b+c a+bc");
}

#[test]
fn what_cannot_be_is_refused() {
    let words: WordCounts = [("ab", 1)].into_iter().collect();
    let reason = |trainer: &ParityBpeTrainer, train: &[&WordCounts], dev: Option<&[&WordCounts]>| {
        trainer.train(train, dev, &mut NoProgress).unwrap_err().to_string()
    };
    assert_eq!(reason(&trainer(1), &[], None), "there is no language to train on");
    assert_eq!(reason(&trainer(1), &[&words], Some(&[])), "there are 0 development texts for 1 languages");
    let ratio = |ratio: Vec<f64>| ParityBpeTrainer { ratio: Some(ratio), ..trainer(1) };
    assert_eq!(reason(&ratio(vec![]), &[&words], None), "ratio has 0 numbers for 1 languages");
    assert_eq!(reason(&ratio(vec![-1.0]), &[&words], None), "ratio[0] is `-1`, expected a positive number");
    let window = ParityBpeTrainer { variant: Variant::Window, window_size: 0, ..trainer(1) };
    assert_eq!(reason(&window, &[&words], None), "window_size is 0, expected 1 or more");
}
