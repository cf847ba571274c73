//! Any trainer: word counts and an untrained model in, a trained model out.

use serde::Deserialize;

use super::bpe::{BpeTrained, BpeTrainer};
use super::counts::WordCounts;
use super::parity::ParityBpeTrainer;
use super::progress::Progress;
use super::unigram::{UnigramTrained, UnigramTrainer};
use super::wordlevel::WordLevelTrainer;
use super::wordpiece::WordPieceTrainer;
use crate::error::{Error, Result};
use crate::models::bpe::BpeOptions;
use crate::models::unigram::UnigramOptions;
use crate::models::wordpiece::WordPieceOptions;
use crate::models::{AnyModel, Bpe, Unigram, Vocabulary, WordLevel, WordPiece};

/// A trainer with its parameters. The JSON names it by `type`, beside the parameters.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type")]
pub enum AnyTrainer {
    /// Learns a [`Bpe`].
    BpeTrainer(BpeTrainer),
    /// Learns a [`WordPiece`]; merges make its entries, and are dropped then.
    WordPieceTrainer(WordPieceTrainer),
    /// Learns a [`WordLevel`].
    WordLevelTrainer(WordLevelTrainer),
    /// Learns a [`Unigram`].
    UnigramTrainer(UnigramTrainer),
}

impl AnyTrainer {
    /// Learn from `words`, on up to `threads` threads; the result does not depend on how many. Settings of `model` that are
    /// not learnt are kept; its vocabulary is not looked at.
    ///
    /// # Errors
    /// [`Error::Training`] if the trainer is not one for this kind of model, or the counts do not fit; what `progress` returns.
    pub fn train(
        &self,
        words: &WordCounts,
        model: &AnyModel,
        threads: usize,
        progress: &mut dyn Progress,
    ) -> Result<AnyModel> {
        match (self, model) {
            (Self::BpeTrainer(trainer), AnyModel::BPE(model)) => {
                let options = BpeOptions {
                    continuing_subword_prefix: trainer.continuing_subword_prefix.clone(),
                    end_of_word_suffix: trainer.end_of_word_suffix.clone(),
                    byte_fallback: model.options().byte_fallback || trainer.enforce_byte_fallback,
                    ..model.options().clone()
                };
                bpe_model(&trainer.train(words, progress)?, options)
            }
            (Self::WordPieceTrainer(trainer), AnyModel::WordPiece(model)) => {
                let prefix = trainer.continuing_subword_prefix.as_deref().unwrap_or("##");
                let options =
                    WordPieceOptions { continuing_subword_prefix: prefix.to_owned(), ..model.options().clone() };
                let vocab = trainer.train(words, progress)?;
                Ok(AnyModel::WordPiece(WordPiece::new(vocabulary(vocab.iter()), options)))
            }
            (Self::WordLevelTrainer(trainer), AnyModel::WordLevel(model)) => {
                words.check()?;
                progress.stage("Sort words", 0)?;
                progress.advance(0)?;
                let vocab = trainer.train(words);
                Ok(AnyModel::WordLevel(WordLevel::new(vocabulary(vocab.iter()), model.options().clone())))
            }
            (Self::UnigramTrainer(trainer), AnyModel::Unigram(model)) => {
                let UnigramTrained { vocab, unk_id } = trainer.train(words, threads, progress)?;
                let options = UnigramOptions { unk_id, ..*model.options() };
                Ok(AnyModel::Unigram(Unigram::new(vocab, options)?))
            }
            _ => Err(Error::Training(format!(
                "{} can only train a {}, not a {}",
                self.name(),
                self.model(),
                model.name()
            ))),
        }
    }

    /// The `type` of the models that it trains.
    pub fn model(&self) -> &'static str {
        match self {
            Self::BpeTrainer(_) => "BPE",
            Self::WordPieceTrainer(_) => "WordPiece",
            Self::WordLevelTrainer(_) => "WordLevel",
            Self::UnigramTrainer(_) => "Unigram",
        }
    }

    /// The `type`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::BpeTrainer(_) => "BpeTrainer",
            Self::WordPieceTrainer(_) => "WordPieceTrainer",
            Self::WordLevelTrainer(_) => "WordLevelTrainer",
            Self::UnigramTrainer(_) => "UnigramTrainer",
        }
    }
}

impl ParityBpeTrainer {
    /// Learn a model with the affixes of this trainer; see [`Self::train`].
    ///
    /// # Errors
    /// As [`Self::train`].
    pub fn train_model(
        &self,
        train: &[&WordCounts],
        dev: Option<&[&WordCounts]>,
        progress: &mut dyn Progress,
    ) -> Result<AnyModel> {
        let options = BpeOptions {
            continuing_subword_prefix: self.continuing_subword_prefix.clone(),
            end_of_word_suffix: self.end_of_word_suffix.clone(),
            ..BpeOptions::default()
        };
        bpe_model(&self.train(train, dev, progress)?, options)
    }
}

fn bpe_model(BpeTrained { vocab, merges }: &BpeTrained, options: BpeOptions) -> Result<AnyModel> {
    let text = |id: u32| vocab[id as usize].as_str();
    let merges = merges.iter().map(|&(left, right)| (text(left), text(right)));
    Ok(AnyModel::BPE(Bpe::new(vocabulary(vocab.iter()), merges, options)?))
}

/// The vocabulary whose tokens are these, by id; a token that occurs twice finds its later id.
fn vocabulary<S: AsRef<str>>(tokens: impl ExactSizeIterator<Item = S> + Clone) -> Vocabulary {
    let bytes = tokens.clone().map(|token| token.as_ref().len()).sum();
    let mut builder = Vocabulary::builder(tokens.len(), bytes);
    for (id, token) in (0..).zip(tokens) {
        builder.insert(token.as_ref(), id);
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::bpe::BpeOptions;
    use crate::models::wordlevel::WordLevelOptions;
    use crate::train::progress::NoProgress;

    fn trainer(json: serde_json::Value) -> AnyTrainer {
        serde_json::from_value(json).unwrap()
    }

    fn bpe(name: &str, prefix: Option<&str>) -> AnyTrainer {
        trainer(serde_json::json!({
            "type": name, "vocab_size": 100, "min_frequency": 0, "special_tokens": ["[UNK]"], "limit_alphabet": null,
            "initial_alphabet": ["é"], "continuing_subword_prefix": prefix, "end_of_word_suffix": null,
        }))
    }

    fn words() -> WordCounts {
        [("ab", 2), ("b", 1)].into_iter().collect()
    }

    fn tokens(model: &AnyModel) -> Vec<&str> {
        model.as_dyn().vocabulary().by_id().into_iter().map(|(token, _)| token).collect()
    }

    #[test]
    fn bpe_keeps_the_settings_that_are_not_learnt() {
        let options = BpeOptions {
            byte_fallback: true,
            unk_token: Some("?".into()),
            end_of_word_suffix: Some("</w>".into()),
            ..BpeOptions::default()
        };
        let before = Bpe::new(Vocabulary::default(), Vec::<(String, String)>::new(), options.clone()).unwrap();
        let trained = bpe("BpeTrainer", Some("@")).train(&words(), &AnyModel::BPE(before), 1, &mut NoProgress).unwrap();
        assert_eq!(tokens(&trained), ["[UNK]", "a", "b", "é", "@b", "ab"]);
        let AnyModel::BPE(model) = trained else { panic!("a BPE was trained") };
        assert_eq!(model.merges(), [(1, 4)]);
        let expected = BpeOptions { continuing_subword_prefix: Some("@".into()), end_of_word_suffix: None, ..options };
        assert_eq!(*model.options(), expected);
    }

    #[test]
    fn byte_entries_stand_behind_the_special_tokens_and_the_model_falls_back_to_them() {
        let with_bytes = AnyTrainer::BpeTrainer(BpeTrainer {
            vocab_size: 260,
            special_tokens: vec!["<s>".into(), "<0x41>".into()],
            enforce_byte_fallback: true,
            ..BpeTrainer::default()
        });
        let trained = with_bytes.train(&words(), &AnyModel::BPE(Bpe::default()), 1, &mut NoProgress).unwrap();
        let entries = tokens(&trained);
        assert_eq!(entries[..3], ["<s>", "<0x41>", "<0x00>"]);
        assert_eq!(entries[256..], ["<0xFF>", "a", "b", "ab"]);
        let AnyModel::BPE(model) = trained else { panic!("a BPE was trained") };
        assert!(model.options().byte_fallback);
    }

    #[test]
    fn wordpiece_has_the_entries_of_bpe_and_its_prefix() {
        let cases = [
            (Some("@"), "@", ["[UNK]", "a", "b", "é", "@b", "ab"].as_slice()),
            (None, "##", &["[UNK]", "a", "b", "é", "ab"]),
        ];
        for (given, prefix, entries) in cases {
            let before = AnyModel::WordPiece(WordPiece::new(Vocabulary::default(), WordPieceOptions::default()));
            let trained = bpe("WordPieceTrainer", given).train(&words(), &before, 1, &mut NoProgress).unwrap();
            assert_eq!(tokens(&trained), entries);
            let AnyModel::WordPiece(model) = trained else { panic!("a WordPiece was trained") };
            assert_eq!(model.options().continuing_subword_prefix, prefix);
        }
    }

    #[test]
    fn wordlevel_leaves_a_hole_where_a_special_token_is_a_word() {
        let json = serde_json::json!({
            "type": "WordLevelTrainer", "vocab_size": 10, "min_frequency": 0, "special_tokens": ["[UNK]", "ab"],
        });
        let before = AnyModel::WordLevel(WordLevel::new(Vocabulary::default(), WordLevelOptions::default()));
        let trained = trainer(json).train(&words(), &before, 1, &mut NoProgress).unwrap();
        let vocabulary = trained.as_dyn().vocabulary();
        assert_eq!(vocabulary.by_id(), [("[UNK]", 0), ("ab", 2), ("b", 3)]);
    }

    #[test]
    fn models_of_other_kinds_are_refused() {
        let model = AnyModel::WordLevel(WordLevel::new(Vocabulary::default(), WordLevelOptions::default()));
        let error = bpe("BpeTrainer", None).train(&words(), &model, 1, &mut NoProgress).unwrap_err();
        assert_eq!(error.to_string(), "BpeTrainer can only train a BPE, not a WordLevel");
    }
}
