//! Growing a trained model: its merges stay, and training goes on behind them.

use std::cmp::Reverse;

use hashbrown::{HashMap, HashSet};

use super::BpeTrainer;
use super::alphabet::{by_count, each_form};
use super::merge::Merger;
use super::symbols::{Symbols, SymbolsBuilder};
use super::vocabulary::Vocabulary;
use crate::error::{Error, Result};
use crate::models::bpe::BpeOptions;
use crate::models::{self, Bpe, Model, ModelScratch};
use crate::train::counts::WordCounts;
use crate::train::progress::Progress;

/// Words between two calls of [`Progress::advance`].
const STRIDE: usize = 1 << 12;

/// How a model is to grow.
#[derive(Debug, Clone)]
pub struct Extension {
    /// Most tokens to add.
    pub new_tokens: usize,
    /// A pair that is less frequent is not merged; 0 and 1 are the same.
    pub min_frequency: u64,
    /// Tokens that have ids outside of the model, which they keep: they get into its vocabulary, since a file numbers those
    /// that are not in it anew. Ids of new tokens are above these and all of the model.
    pub outside: Vec<(String, u32)>,
}

impl Extension {
    /// Learn more merges from `words`, which the model cuts as far as it can.
    ///
    /// All tokens keep their ids and all merges their ranks; new merges come behind them. Characters that the model does not
    /// know, and cannot write as bytes, come first, the most frequent ones if there is no room for all.
    ///
    /// # Errors
    /// As [`BpeTrainer::train`].
    pub fn extend(&self, model: &Bpe, words: &WordCounts, progress: &mut dyn Progress) -> Result<Bpe> {
        words.check()?;
        let mut known: Vec<(&str, u32)> = model.vocabulary().by_id();
        known.extend(self.outside.iter().map(|(token, id)| (token.as_str(), *id)));
        known.sort_unstable_by_key(|&(_, id)| id);
        let largest = known.last().map(|&(_, id)| id);
        // Ids have 32 bits.
        let left = largest.map_or(usize::MAX, |id| (u32::MAX - id) as usize);
        if left == 0 && self.new_tokens > 0 {
            return Err(Error::Training(
                "the largest id of the model is `4294967295`: new tokens cannot get larger ones".into(),
            ));
        }
        let new_tokens = self.new_tokens.min(left);
        let first_id = largest.map_or(0, |id| id.wrapping_add(1));
        let alphabet = self.new_symbols(model, words, new_tokens);
        known.extend(alphabet.iter().map(String::as_str).zip(first_id..=u32::MAX));
        let plain = BpeOptions { dropout: None, unk_token: None, ignore_merges: false, ..model.options().clone() };
        let grown = build(&known, model, &[], plain)?;

        // Numbers without holes, in the order of the ids, so that equal pairs are merged in that order.
        let mut vocabulary = Vocabulary::default();
        let mut numbers = HashMap::with_capacity(known.len());
        for &(token, id) in &known {
            numbers.insert(id, vocabulary.intern(token));
        }
        progress.stage("Tokenize words", words.len() as u64)?;
        let symbols = cut(&grown, words, &numbers, progress)?;
        let trainer = BpeTrainer {
            vocab_size: vocabulary.len() + new_tokens - alphabet.len(),
            min_frequency: self.min_frequency,
            continuing_subword_prefix: model.options().continuing_subword_prefix.clone(),
            ..BpeTrainer::default()
        };
        let mut state = Merger::new(symbols, None, vocabulary.len());
        let old = vocabulary.len();
        let merges = trainer.merge_on(&mut vocabulary, &mut state, progress)?;
        let tokens = vocabulary.into_tokens();
        let ids = first_id.wrapping_add(alphabet.len() as u32)..=u32::MAX;
        known.extend(tokens[old..].iter().map(String::as_str).zip(ids));
        let text = |number: u32| tokens[number as usize].as_str();
        let merges: Vec<(&str, &str)> = merges.iter().map(|&(left, right)| (text(left), text(right))).collect();
        build(&known, model, &merges, model.options().clone())
    }

    /// The symbols that words need and the model does not have, by character; at most `most`.
    fn new_symbols(&self, model: &Bpe, words: &WordCounts, most: usize) -> Vec<String> {
        let options = model.options();
        let prefix = options.continuing_subword_prefix.as_deref().unwrap_or("");
        let suffix = options.end_of_word_suffix.as_deref().unwrap_or("");
        let outside: HashSet<&str> = self.outside.iter().map(|(token, _)| token.as_str()).collect();
        let mut counts: HashMap<(char, usize), i64> = HashMap::new();
        for (word, count) in words.iter().filter(|&(_, count)| count > 0) {
            each_form(word, |c, form| *counts.entry((c, form)).or_default() += count);
        }
        let mut missing: HashMap<String, ((char, usize), i64)> = HashMap::new();
        for ((c, form), count) in counts {
            let symbol =
                format!("{}{c}{}", if form & 1 == 1 { prefix } else { "" }, if form & 2 == 2 { suffix } else { "" });
            let as_bytes = options.byte_fallback && symbol.bytes().all(|byte| model.byte_id(byte).is_some());
            if !as_bytes && model.vocabulary().id(&symbol).is_none() && !outside.contains(symbol.as_str()) {
                // Without affixes all forms are one symbol.
                let entry = missing.entry(symbol).or_insert(((c, form), 0));
                *entry = (entry.0.min((c, form)), entry.1 + count);
            }
        }
        let mut missing: Vec<_> = missing.into_iter().collect();
        missing.sort_unstable_by_key(|&(_, (form, count))| (Reverse(count), form));
        missing.truncate(most);
        missing.sort_unstable_by_key(|&(_, (form, _))| form);
        missing.into_iter().map(|(symbol, _)| symbol).collect()
    }
}

/// A model with these tokens, the merges of `model`, and more behind them.
fn build(tokens: &[(&str, u32)], model: &Bpe, more: &[(&str, &str)], options: BpeOptions) -> Result<Bpe> {
    let bytes = tokens.iter().map(|(token, _)| token.len()).sum();
    let mut builder = models::Vocabulary::builder(tokens.len(), bytes);
    for &(token, id) in tokens {
        builder.insert(token, id);
    }
    let text = |id: u32| model.vocabulary().token(id).unwrap_or_default();
    let mut merges: Vec<(&str, &str)> = model.merges().iter().map(|&(left, right)| (text(left), text(right))).collect();
    merges.extend_from_slice(more);
    Bpe::new(builder.build(), merges, options)
}

/// The words as the model cuts them. Pieces that stand for bytes are not merged on: a word ends there.
fn cut(model: &Bpe, words: &WordCounts, numbers: &HashMap<u32, u32>, progress: &mut dyn Progress) -> Result<Symbols> {
    let is_byte = |id: u32| {
        model.options().byte_fallback
            && model.vocabulary().token(id).is_some_and(|token| token.len() == 6 && token.starts_with("<0x"))
    };
    let mut symbols = SymbolsBuilder::new();
    let (mut scratch, mut tokens) = (ModelScratch::default(), Vec::new());
    for chunk in by_count(words).chunks(STRIDE) {
        for &i in chunk {
            let count = words.count(i as usize);
            tokens.clear();
            model.tokenize(words.word(i as usize), &mut scratch, &mut tokens)?;
            for token in &tokens {
                if is_byte(token.id) {
                    symbols.end_word(count)?;
                } else if let Some(&number) = numbers.get(&token.id) {
                    symbols.push(number);
                }
            }
            symbols.end_word(count)?;
        }
        progress.advance(chunk.len() as u64)?;
    }
    Ok(symbols.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::AnyModel;
    use crate::train::progress::NoProgress;
    use crate::train::trainer::AnyTrainer;

    fn words() -> WordCounts {
        [("low", 5), ("lower", 2), ("newest", 6), ("widest", 3)].into_iter().collect()
    }

    fn trained(vocab_size: usize, options: BpeOptions) -> Bpe {
        let trainer = AnyTrainer::BpeTrainer(BpeTrainer {
            vocab_size,
            end_of_word_suffix: options.end_of_word_suffix.clone(),
            ..BpeTrainer::default()
        });
        let empty = Bpe::default().with_options(options).unwrap();
        let model = trainer.train(&words(), &AnyModel::BPE(empty), 1, &mut NoProgress).unwrap();
        let AnyModel::BPE(model) = model else { panic!("a BPE was trained") };
        model
    }

    fn extension(new_tokens: usize) -> Extension {
        Extension { new_tokens, min_frequency: 0, outside: Vec::new() }
    }

    #[test]
    fn going_on_gives_what_one_training_gives() {
        for suffix in [None, Some("</w>".to_owned())] {
            let options = BpeOptions { end_of_word_suffix: suffix, ..BpeOptions::default() };
            let (start, whole) = (trained(18, options.clone()), trained(24, options));
            let grown = extension(whole.vocabulary().len() - start.vocabulary().len())
                .extend(&start, &words(), &mut NoProgress)
                .unwrap();
            assert_eq!(grown.vocabulary().by_id(), whole.vocabulary().by_id());
            assert_eq!(grown.merges(), whole.merges());
        }
    }

    #[test]
    fn ids_stay_and_new_ones_come_behind_all_that_are_taken() {
        let start = trained(14, BpeOptions::default());
        let new: WordCounts = [("lowß", 2), ("ünewé", 1), ("é", 1)].into_iter().collect();
        let outside = vec![("<x>".to_owned(), 99), ("ü".to_owned(), 98)];
        let grown = Extension { outside, ..extension(3) }.extend(&start, &new, &mut NoProgress).unwrap();
        let before = start.vocabulary().by_id();
        assert_eq!(grown.vocabulary().by_id()[..before.len()], before);
        let added: Vec<_> = grown.vocabulary().by_id()[before.len()..].to_vec();
        assert_eq!(added, [("ü", 98), ("<x>", 99), ("ß", 100), ("é", 101), ("lowß", 102)]);
        assert_eq!(grown.merges()[..start.merges().len()], *start.merges());
        let two = extension(2).extend(&start, &new, &mut NoProgress).unwrap();
        assert_eq!(two.vocabulary().id("ü"), None);
        assert_eq!(two.vocabulary().len(), before.len() + 2);
    }

    #[test]
    fn bytes_of_characters_are_not_learnt_from() {
        let options = BpeOptions { byte_fallback: true, ..BpeOptions::default() };
        let trainer = AnyTrainer::BpeTrainer(BpeTrainer {
            vocab_size: 256,
            enforce_byte_fallback: true,
            ..BpeTrainer::default()
        });
        let empty = AnyModel::BPE(Bpe::default().with_options(options).unwrap());
        let AnyModel::BPE(model) = trainer.train(&words(), &empty, 1, &mut NoProgress).unwrap() else {
            panic!("a BPE was trained")
        };
        let new: WordCounts = [("loéw", 3)].into_iter().collect();
        let grown = extension(9).extend(&model, &new, &mut NoProgress).unwrap();
        let added: Vec<_> = grown.vocabulary().by_id()[model.vocabulary().len()..].to_vec();
        assert_eq!(added.iter().map(|&(token, _)| token).collect::<Vec<_>>(), ["lo"]);
    }
}
