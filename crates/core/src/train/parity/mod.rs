//! Training of byte-pair encoding for several languages that are to come out alike.
//!
//! Every step picks a language, the one that is worst off, takes its most frequent pair, and merges it in all languages.
//!
//! Source: behaviour of `tokenizers` 0.23.3 (`ParityBpeTrainer`); Foroutan et al. 2025, "Parity-aware byte-pair encoding". Where
//! the reference never ends (the window leaves only languages without a pair) all languages that have one may be picked.

mod choice;
mod language;
#[cfg(test)]
mod tests;

use serde::Deserialize;

use super::bpe::alphabet::{Alphabet, by_count};
use super::bpe::vocabulary::Vocabulary;
use super::bpe::{BpeTrained, BpeTrainer, keep_last};
use crate::error::{Error, Result};
use crate::train::counts::WordCounts;
use crate::train::progress::Progress;

use choice::Choice;
use language::Language;

/// How the language of a step is picked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// The one that is worst off.
    #[default]
    Base,
    /// The same, without those that had more than their share of the latest steps.
    Window,
}

/// The parameters of parity-aware training, as in the reference.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParityBpeTrainer {
    /// Merges to learn.
    pub num_merges: usize,
    /// How the language of a step is picked.
    pub variant: Variant,
    /// A pair that is less frequent in its language is not merged; 0 and 1 are the same.
    pub min_frequency: u64,
    /// For each language how well it is to be compressed, relative to the others; not used if there are development texts.
    pub ratio: Option<Vec<f64>>,
    /// Merges at the beginning that go by the counts of all languages together.
    pub global_merges: usize,
    /// Steps that [`Variant::Window`] looks back.
    pub window_size: usize,
    /// The share of the window that a language may have is this, divided by the number of languages.
    pub alpha: f64,
    /// Whether the entries in front of the merges count as merges.
    pub total_symbols: bool,
    /// The first entries, in this order; repeats count once.
    pub special_tokens: Vec<String>,
    /// Characters to keep in the alphabet, the most frequent ones; all when `None`.
    pub limit_alphabet: Option<usize>,
    /// Characters of the alphabet whether or not they occur.
    pub initial_alphabet: Vec<char>,
    /// Put before every symbol that does not begin a word.
    pub continuing_subword_prefix: Option<String>,
    /// Put behind every symbol that ends a word.
    pub end_of_word_suffix: Option<String>,
    /// A token has fewer characters than this, affixes not counted; 2 are always allowed.
    pub max_token_length: Option<usize>,
}

impl ParityBpeTrainer {
    /// Learn a vocabulary and merges from the words of each language; `dev` has the words that tell how well each is off.
    ///
    /// The result depends on the words and their counts, not on their order.
    ///
    /// # Errors
    /// [`Error::Training`] if there is no language, lists are not equally long, a ratio is not a positive number, the window
    /// is empty, or counts do not fit; whatever `progress` returns.
    pub fn train(
        &self,
        train: &[&WordCounts],
        dev: Option<&[&WordCounts]>,
        progress: &mut dyn Progress,
    ) -> Result<BpeTrained> {
        self.check(train, dev)?;
        let trainer = self.as_bpe();
        let mut vocabulary = trainer.first_entries();
        let alphabet = Alphabet::build(&trainer, train, dev.unwrap_or_default(), &mut vocabulary);
        let words = train.iter().chain(dev.unwrap_or_default()).map(|words| words.len() as u64).sum();
        progress.stage("Tokenize words", words)?;
        let mut languages = self.segment(&alphabet, train, progress)?;
        let mut others = self.segment(&alphabet, dev.unwrap_or_default(), progress)?;

        progress.stage("Count pairs", languages.len() as u64)?;
        for language in &mut languages {
            language.rank_pairs(&vocabulary);
            progress.advance(1)?;
        }
        let mut wanted = self.num_merges;
        if self.total_symbols {
            wanted = wanted.saturating_sub(vocabulary.len());
        }
        progress.stage("Compute merges", wanted as u64)?;
        let mut merges = Vec::new();
        if self.global_merges > 0 {
            let mut all = Language::joined(&alphabet, train, self.min_frequency, self.max_token_length, progress)?;
            all.rank_pairs(&vocabulary);
            while merges.len() < wanted.min(self.global_merges) {
                let Some(pair) = all.best(&vocabulary) else { break };
                let affected = languages.iter_mut().chain(&mut others).chain([&mut all]);
                merge(&trainer, &mut vocabulary, pair, affected, progress)?;
                merges.push(pair);
            }
        }
        let mut choice = Choice::new(self, dev.map_or(languages.as_slice(), |_| &others), dev.is_none());
        while merges.len() < wanted {
            let measured = if dev.is_some() { &others } else { &languages };
            let lengths: Vec<i64> = measured.iter().map(Language::length).collect();
            let pairs: Vec<_> = languages.iter_mut().map(|language| language.best(&vocabulary)).collect();
            let Some(pair) = choice.next(&lengths, &pairs) else { break };
            merge(&trainer, &mut vocabulary, pair, languages.iter_mut().chain(&mut others), progress)?;
            merges.push(pair);
        }
        Ok(BpeTrained { vocab: vocabulary.into_tokens(), merges: keep_last(merges, false) })
    }

    fn check(&self, train: &[&WordCounts], dev: Option<&[&WordCounts]>) -> Result<()> {
        let wrong = |reason: String| Err(Error::Training(reason));
        let languages = train.len();
        if languages == 0 {
            return wrong("there is no language to train on".into());
        }
        if let Some(n) = dev.map(<[_]>::len).filter(|&n| n != languages) {
            return wrong(format!("there are {n} development texts for {languages} languages"));
        }
        if dev.is_none()
            && let Some(ratio) = &self.ratio
        {
            if ratio.len() != languages {
                return wrong(format!("ratio has {} numbers for {languages} languages", ratio.len()));
            }
            if let Some((i, r)) = ratio.iter().enumerate().find(|(_, r)| !(r.is_finite() && **r > 0.0)) {
                return wrong(format!("ratio[{i}] is `{r}`, expected a positive number"));
            }
        }
        if self.variant == Variant::Window && self.window_size == 0 {
            return wrong("window_size is 0, expected 1 or more".into());
        }
        let mut total: i64 = 0;
        for words in train.iter().chain(dev.unwrap_or_default()) {
            total = total.checked_add(words.check()?).ok_or_else(|| {
                Error::Training("the counts of the words of all languages sum up to more than 63 bits".into())
            })?;
        }
        Ok(())
    }

    fn as_bpe(&self) -> BpeTrainer {
        BpeTrainer {
            special_tokens: self.special_tokens.clone(),
            limit_alphabet: self.limit_alphabet,
            initial_alphabet: self.initial_alphabet.clone(),
            continuing_subword_prefix: self.continuing_subword_prefix.clone(),
            end_of_word_suffix: self.end_of_word_suffix.clone(),
            ..BpeTrainer::default()
        }
    }

    fn segment(
        &self,
        alphabet: &Alphabet,
        words: &[&WordCounts],
        progress: &mut dyn Progress,
    ) -> Result<Vec<Language>> {
        let one = |words: &&WordCounts| {
            let symbols = alphabet.segment(words, &by_count(words), progress)?;
            Ok(Language::new(symbols, self.min_frequency, self.max_token_length))
        };
        words.iter().map(one).collect()
    }
}

/// Merge a pair in all languages.
fn merge<'a>(
    trainer: &BpeTrainer,
    vocabulary: &mut Vocabulary,
    pair: (u32, u32),
    languages: impl Iterator<Item = &'a mut Language>,
    progress: &mut dyn Progress,
) -> Result<()> {
    let id = vocabulary.intern(&trainer.joined(vocabulary, pair.0, pair.1));
    for language in languages {
        language.merge(pair, id, vocabulary, progress)?;
    }
    progress.advance(1)
}
