//! Which language is next.

use std::collections::VecDeque;

use super::language::Language;
use super::{ParityBpeTrainer, Variant};

/// Picks the language of each step.
pub(super) struct Choice<'a> {
    /// Length of each language before the first step by its turn.
    initial: Vec<i64>,
    ratio: Option<&'a [f64]>,
    window: Option<Window>,
}

/// The latest picks.
struct Window {
    size: usize,
    /// The share that a language may have.
    limit: f64,
    picks: VecDeque<usize>,
}

impl<'a> Choice<'a> {
    pub(super) fn new(trainer: &'a ParityBpeTrainer, measured: &[Language], with_ratio: bool) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "there are few languages")]
        let limit = trainer.alpha / measured.len() as f64;
        let window = Window { size: trainer.window_size, limit, picks: VecDeque::new() };
        Self {
            initial: measured.iter().map(Language::initial_length).collect(),
            ratio: trainer.ratio.as_deref().filter(|_| with_ratio),
            window: (trainer.variant == Variant::Window).then_some(window),
        }
    }

    /// The pair to merge: that of the language that is worst off, of equal ones the first. `None` if no language has a pair.
    pub(super) fn next(&mut self, lengths: &[i64], pairs: &[Option<(u32, u32)>]) -> Option<(u32, u32)> {
        let able = |i: &usize| pairs[*i].is_some();
        let fair = (0..pairs.len()).filter(able).filter(|&i| self.window.as_ref().is_none_or(|w| w.admits(i)));
        let language = match self.worst(fair, lengths) {
            Some(language) => language,
            None => self.worst((0..pairs.len()).filter(able), lengths)?,
        };
        if let Some(window) = &mut self.window {
            if window.picks.len() == window.size {
                window.picks.pop_front();
            }
            window.picks.push_back(language);
        }
        pairs[language]
    }

    fn worst(&self, languages: impl Iterator<Item = usize>, lengths: &[i64]) -> Option<usize> {
        match self.ratio {
            None => languages.min_by_key(|&i| std::cmp::Reverse(lengths[i])),
            Some(ratio) => {
                let rate = |i: usize| self.compression(i, lengths[i]) / ratio[i];
                languages.min_by(|&a, &b| rate(a).total_cmp(&rate(b)))
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "as in the reference")]
    fn compression(&self, language: usize, length: i64) -> f64 {
        if length == 0 { 0.0 } else { self.initial[language] as f64 / length as f64 }
    }
}

impl Window {
    #[expect(clippy::cast_precision_loss, reason = "windows are short")]
    fn admits(&self, language: usize) -> bool {
        let times = self.picks.iter().filter(|&&pick| pick == language).count();
        times as f64 / self.size as f64 <= self.limit
    }
}
