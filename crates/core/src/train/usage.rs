//! How often a model uses its tokens.

use super::counts::WordCounts;
use super::progress::Progress;
use crate::error::Result;
use crate::models::bpe::BpeOptions;
use crate::models::unigram::UnigramOptions;
use crate::models::{AnyModel, ModelScratch};
use std::collections::HashMap;

/// Words between two calls of [`Progress::advance`].
const STRIDE: usize = 1 << 12;

/// By id, how often each token that comes out does so when the words are encoded, weighted by their counts.
///
/// # Errors
/// [`crate::error::Error::Training`] if the counts do not fit, those of the model, and whatever `progress` returns.
pub fn usage(model: &AnyModel, words: &WordCounts, progress: &mut dyn Progress) -> Result<HashMap<u32, i64>> {
    words.check()?;
    let repeatable = match model {
        AnyModel::BPE(bpe) => AnyModel::BPE(bpe.with_options(BpeOptions { dropout: None, ..bpe.options().clone() })?),
        AnyModel::Unigram(unigram) => {
            AnyModel::Unigram(unigram.with_options(UnigramOptions { alpha: None, ..*unigram.options() })?)
        }
        other => other.clone(),
    };
    let model = repeatable.as_dyn();
    let mut times = HashMap::new();
    let (mut scratch, mut tokens) = (ModelScratch::default(), Vec::new());
    progress.stage("Tokenize words", words.len() as u64)?;
    for (i, (word, count)) in words.iter().enumerate() {
        tokens.clear();
        model.tokenize(word, &mut scratch, &mut tokens)?;
        for token in &tokens {
            *times.entry(token.id).or_default() += count;
        }
        if i % STRIDE == STRIDE - 1 {
            progress.advance(STRIDE as u64)?;
        }
    }
    progress.advance((words.len() % STRIDE) as u64)?;
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::{Bpe, Vocabulary};
    use crate::train::progress::NoProgress;

    #[test]
    fn tokens_are_weighted_by_the_counts_of_the_words() {
        let mut builder = Vocabulary::builder(0, 0);
        for (token, id) in [("a", 0), ("b", 1), ("ab", 4)] {
            builder.insert(token, id);
        }
        let options = BpeOptions { dropout: Some(1.0), ..BpeOptions::default() };
        let model = AnyModel::BPE(Bpe::new(builder.build(), [("a", "b")], options).unwrap());
        let words: WordCounts = [("ab", 3), ("aab", 2), ("b", 1)].into_iter().collect();
        let found = usage(&model, &words, &mut NoProgress).unwrap();
        assert_eq!(found, HashMap::from_iter([(0, 2), (1, 1), (4, 5)]));
    }
}
