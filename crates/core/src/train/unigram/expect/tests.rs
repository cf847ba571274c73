//! Sums at any level against logarithms of sums.

use proptest::prelude::*;

use super::*;
use crate::models::unigram::lattice::{Lattice, Node, UNKNOWN};
use crate::train::counts::WordCounts;
use crate::train::progress::NoProgress;
use crate::train::unigram::UnigramTrainer;
use crate::train::unigram::corpus::Corpus;
use crate::train::unigram::crew::Crew;
use crate::train::unigram::pieces::NONE;
use crate::train::unigram::seeds;

/// What is drawn of a test.
#[derive(Debug, Clone)]
struct Draw {
    word: String,
    max_piece_length: usize,
    /// Scores are between 0 and less this.
    spread: f64,
    /// Part of the pieces that there are.
    kept: f64,
    gain: f64,
    seed: u64,
}

/// The pieces of a word, with scores by chance.
fn pieces(draw: &Draw) -> Pieces {
    let words: WordCounts = [(draw.word.as_str(), 1)].into_iter().collect();
    let corpus = Corpus::read(&words, &[]).unwrap();
    let weights = vec![1.0; corpus.frequencies.len()];
    let trainer = UnigramTrainer { max_piece_length: draw.max_piece_length, ..UnigramTrainer::default() };
    let mut progress = NoProgress;
    let crew = &mut Crew::new(1, &mut progress);
    let mut pieces = seeds::collect(&trainer, corpus.symbols, &weights, &corpus.extent, crew).unwrap();
    let mut random = fastrand::Rng::with_seed(draw.seed);
    let mut order = pieces.order.clone();
    order.retain(|_| random.f64() < draw.kept);
    pieces.keep(order);
    for score in &mut pieces.scores {
        *score = -random.f64() * draw.spread;
    }
    pieces
}

/// Expected counts and the logarithm of the probability by the sums under test, and how many levels these have.
fn by_levels(pieces: &mut Pieces, n: usize, count: f64, gain: f64) -> (Vec<f64>, f64, usize) {
    pieces.set_values(|score, length| (score + gain * f64::from(length)).exp());
    let score = pieces.unknown_score();
    let weighted = Weighted { pieces, unknown: Unknown { score, weight: (score + gain).exp() }, gain };
    let mut sums = Sums::new(pieces.longest_length());
    let mut expected = vec![0.0; pieces.len()];
    // What another word has left behind does not matter.
    weighted.add(n / 2..n, count, &mut sums, &mut expected, &|| true);
    expected.fill(0.0);
    let log_probability = weighted.add(0..n, count, &mut sums, &mut expected, &|| true);
    weighted.backward(0..n, &mut sums, &|| true);
    (expected, log_probability, sums.levels.len())
}

/// The same by logarithms.
fn by_logarithms(pieces: &Pieces, n: usize, count: f64) -> (Vec<f64>, f64) {
    let mut nodes = Vec::new();
    for start in 0..n as u32 {
        let from = nodes.len();
        let mut shortest = 0;
        for (id, link) in pieces.matches(start as usize) {
            nodes.push(Node { start, end: start + link.length, id, score: pieces.scores[id as usize] });
            shortest = link.length;
        }
        if shortest != 1 {
            nodes.push(Node { start, end: start + 1, id: UNKNOWN, score: pieces.unknown_score() });
        }
        nodes[from..].reverse();
    }
    let mut lattice = Lattice::default();
    lattice.set_nodes(n as u32, nodes);
    let mut expected = vec![0.0; pieces.len()];
    let log_probability = lattice.add_expected(1.0, &mut [Vec::new(), Vec::new()], |id, times| {
        if id != UNKNOWN {
            expected[id as usize] += count * times;
        }
    });
    (expected, log_probability)
}

/// Parts that are hard, and others that are easy.
fn some_word() -> impl Strategy<Value = String> {
    let part = ("[abcdeé]{1,4}", 1_usize..150).prop_map(|(unit, times)| unit.repeat(times));
    prop::collection::vec(prop_oneof![part, "[a-z]{1,40}"], 1..10).prop_map(|parts| parts.concat())
}

prop_compose! {
    fn some_draw()(
        word in some_word(),
        max_piece_length in prop::sample::select(vec![1_usize, 2, 5, 16, 400]),
        spread in prop::sample::select(vec![1.0, 10.0, 40.0, 1e3, 1e5]),
        kept in prop::sample::select(vec![0.0, 0.2, 0.7, 1.0]),
        gain in prop::sample::select(vec![-1.0, 0.0, 2.0, 30.0, 1000.0]),
        seed in any::<u64>(),
    ) -> Draw {
        Draw { word, max_piece_length, spread, kept, gain, seed }
    }
}

/// Counts and the probability by both; these have all digits but those that large logarithms do not have.
fn compare(pieces: &mut Pieces, n: usize, gain: f64) -> std::result::Result<(), TestCaseError> {
    let (expected, log_probability, _) = by_levels(pieces, n, 7.0, gain);
    let (twin, log_twin) = by_logarithms(pieces, n, 7.0);
    let near = 1e-9_f64.max(log_twin.abs() * 1e-13);
    prop_assert!((log_probability - log_twin).abs() <= near * log_twin.abs().max(1.0), "{log_probability} {log_twin}");
    for (one, other) in expected.iter().zip(&twin) {
        prop_assert!((one - other).abs() <= near * other + 1e-50, "{one} {other} {near}");
    }
    Ok(())
}

proptest! {
    #[test]
    fn sums_at_levels_are_those_of_logarithms(draw in some_draw()) {
        compare(&mut pieces(&draw), draw.word.chars().count(), draw.gain)?;
    }
}

/// Windows move on by more than a stride, and weights are out of the range of plain numbers.
#[test]
fn pieces_can_be_longer_than_a_stride() {
    let (n, long) = (3 * STRIDE, STRIDE as u32 + 9000);
    let mut random = fastrand::Rng::with_seed(3);
    let longest = |position: usize| match random.u32(0..1000) {
        0 if position + long as usize <= n => 2,
        100.. if position + 7 <= n => 1,
        _ => 0,
    };
    let link = |parent, length| Link { value: 0.0, parent, length };
    let mut pieces = Pieces {
        links: vec![link(NONE, 1), link(0, 7), link(1, long)],
        scores: vec![-3.0, -15.0, -1e9],
        at: vec![0; 3],
        order: vec![0, 1, 2],
        longest: (0..n).map(longest).collect(),
    };
    // What the others score for as many characters: by far less, nearly the same, by far more.
    let by_others = by_logarithms(&pieces, n, 1.0).1 / n as f64 * f64::from(long);
    for score in [0.5, 1.0, 2.0].map(|part| part * by_others) {
        pieces.scores[2] = score;
        for gain in [0.0, 2.0] {
            compare(&mut pieces, n, gain).unwrap();
        }
    }
}

fn draw(word: String, gain: f64) -> Draw {
    Draw { word, max_piece_length: 4, spread: 40.0, kept: 1.0, gain, seed: 5 }
}

#[test]
fn levels_change_the_exponent_alone() {
    let word: String = ["a", "bcd", "xy"].map(|unit| unit.repeat(700)).concat();
    let n = word.chars().count();
    let draw = draw(word, 0.0);
    let mut pieces = pieces(&draw);
    let many = by_levels(&mut pieces, n, 1.0, 0.0);
    let near_one = -many.1 / n as f64;
    let few = by_levels(&mut pieces, n, 1.0, near_one);
    assert!(many.2 > 2 * few.2, "{} {}", many.2, few.2);
    for (one, other) in many.0.iter().zip(&few.0) {
        assert!((one - other).abs() <= 1e-11 * other, "{one} {other}");
    }
    assert!((many.1 - few.1).abs() <= 1e-11 * many.1.abs());
}

/// The probability is that of the only way, and each piece is expected as often as it stands there.
#[test]
fn words_with_one_way_are_as_they_are() {
    for (score, gain) in [(-1e43, 2.0), (f64::NEG_INFINITY, 0.0), (-700.0, 0.0), (-20.0, 20.0), (-1e-9, 1000.0)] {
        let draw = Draw { max_piece_length: 1, ..draw("ab".repeat(1 << 17) + "c", gain) };
        let n = draw.word.len();
        let mut pieces = pieces(&draw);
        let order: Vec<u32> = pieces.order.iter().copied().filter(|&piece| pieces.at[piece as usize] != 1).collect();
        pieces.keep(order);
        pieces.scores.fill(score);
        let (expected, log_probability, _) = by_levels(&mut pieces, n, 3.0, gain);
        assert_eq!(expected.len(), 2);
        assert!(expected.iter().any(|&times| (times - 3.0).abs() < 1e-9));
        assert!(expected.iter().any(|&times| (times / 393_216.0 - 1.0).abs() < 1e-9), "{expected:?}");
        let of_all = score.max(LOWEST) * 131_073.0 + (score - 10.0).max(LOWEST) * 131_072.0;
        assert!((log_probability / of_all - 1.0).abs() < 1e-9, "{log_probability} {of_all}");
    }
}

#[test]
fn it_asks_whether_to_go_on() {
    const ENDLESS: usize = 1 << 20;
    let draw = draw("ab".repeat(200_000), 2.0);
    let n = draw.word.len();
    let mut pieces = pieces(&draw);
    pieces.set_values(|_, _| 0.4);
    let weighted = Weighted { pieces: &pieces, unknown: Unknown { score: -9.0, weight: 1e-3 }, gain: 0.0 };
    let mut asked_of_all = 0;
    for patience in [0, 1, 3, 6, 9, ENDLESS] {
        let asked = std::cell::Cell::new(0);
        let goes_on = || {
            asked.set(asked.get() + 1);
            asked.get() <= patience
        };
        weighted.add(0..n, 1.0, &mut Sums::new(4), &mut vec![0.0; pieces.len()], &goes_on);
        assert!(asked.get() == patience + 1 || patience == ENDLESS);
        asked_of_all = asked.get();
    }
    assert!(asked_of_all >= 2 * (n / STRIDE), "{asked_of_all}");
}
