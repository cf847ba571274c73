//! What can be accelerated, decided once when a tokenizer is compiled.

use crate::models::{AnyModel, Model};
use crate::pre_tokenizers::AnyPreTokenizer;
use crate::split::Scanner;
use crate::text::byte_alphabet::BYTE_TO_CHAR;

/// Which way a normalised stretch goes.
#[derive(Debug)]
pub(super) enum Plan {
    /// Component by component: something is drawn at random, or lives outside this crate.
    Exact,
    /// Cut component by component, cached piece by piece.
    Pieces,
    /// Cut by a scanner, cached chunk by chunk.
    Chunks(ChunkPlan),
}

/// Stretches whose pieces a scanner finds, and what is left to do with each.
#[derive(Debug)]
pub(super) struct ChunkPlan {
    pub(super) scanner: Scanner,
    /// Whether a blank goes in front of a stretch that does not start with one.
    pub(super) prefix_space: bool,
    /// The pre-tokenizers that a chunk still goes through.
    pub(super) rest: Vec<AnyPreTokenizer>,
    /// For byte-level models without affixes: the id of each byte.
    pub(super) bytes: Option<Box<[u32; 256]>>,
}

/// Stands for a byte that is not in the vocabulary.
pub(super) const NO_ID: u32 = u32::MAX;

impl Plan {
    pub(super) fn new(pre_tokenizer: Option<&AnyPreTokenizer>, model: &AnyModel) -> Self {
        let mut stages = Vec::new();
        if let Some(pre_tokenizer) = pre_tokenizer {
            flatten(pre_tokenizer, &mut stages);
        }
        if !model.as_dyn().is_repeatable() || stages.iter().any(|s| matches!(s, AnyPreTokenizer::Custom(_))) {
            return Self::Exact;
        }
        ChunkPlan::new(&stages, model).map_or(Self::Pieces, Self::Chunks)
    }
}

fn flatten(pre_tokenizer: &AnyPreTokenizer, out: &mut Vec<AnyPreTokenizer>) {
    match pre_tokenizer {
        AnyPreTokenizer::Sequence(sequence) => sequence.pretokenizers.iter().for_each(|p| flatten(p, out)),
        other => out.push(other.clone()),
    }
}

impl ChunkPlan {
    /// Whether all that is left to do with a chunk, before the model, is to spell its bytes.
    pub(super) fn spells_bytes(&self) -> bool {
        matches!(self.rest.as_slice(), [AnyPreTokenizer::ByteLevel(m)] if !m.add_prefix_space && !m.use_regex)
    }

    /// Take as many leading stages as scanners can do; what they leave must see each piece by itself, which all do.
    fn new(stages: &[AnyPreTokenizer], model: &AnyModel) -> Option<Self> {
        let mut scanners = Vec::new();
        let mut prefix_space = false;
        let mut rest: Vec<AnyPreTokenizer> = Vec::new();
        for (i, stage) in stages.iter().enumerate() {
            match stage {
                AnyPreTokenizer::ByteLevel(byte_level) => {
                    let mut mapping = byte_level.clone();
                    if i == 0 && byte_level.add_prefix_space {
                        prefix_space = true;
                        mapping.add_prefix_space = false;
                    }
                    if byte_level.use_regex && !mapping.add_prefix_space {
                        scanners.push(Scanner::gpt2());
                        mapping.use_regex = false;
                    }
                    rest.push(AnyPreTokenizer::ByteLevel(mapping));
                    rest.extend_from_slice(&stages[i + 1..]);
                    break;
                }
                stage => match scanner_of(stage) {
                    Some(scanner) => scanners.push(scanner),
                    None => {
                        rest.extend_from_slice(&stages[i..]);
                        break;
                    }
                },
            }
        }
        if scanners.is_empty() {
            return None;
        }
        let scanner = if scanners.len() == 1 { scanners.pop()? } else { Scanner::sequence(&scanners)? };
        let bytes = byte_ids(&rest, model);
        Some(Self { scanner, prefix_space, rest, bytes })
    }
}

/// The scanner that cuts as a pre-tokenizer does, and changes nothing as it does.
fn scanner_of(stage: &AnyPreTokenizer) -> Option<Scanner> {
    match stage {
        AnyPreTokenizer::Split(split) => split.matcher().scanner_for(split.behavior(), split.invert()),
        AnyPreTokenizer::Digits(digits) => Some(Scanner::digits(digits.individual_digits)),
        _ => None,
    }
}

/// The ids of the 256 bytes, where all that is left to do with a chunk is to spell its bytes and merge them.
fn byte_ids(rest: &[AnyPreTokenizer], model: &AnyModel) -> Option<Box<[u32; 256]>> {
    let ([AnyPreTokenizer::ByteLevel(mapping)], AnyModel::BPE(bpe)) = (rest, model) else { return None };
    if mapping.add_prefix_space || mapping.use_regex || !bpe.is_plain() {
        return None;
    }
    let mut ids = Box::new([NO_ID; 256]);
    for (id, c) in ids.iter_mut().zip(BYTE_TO_CHAR) {
        *id = bpe.vocabulary().id(c.encode_utf8(&mut [0; 4])).unwrap_or(NO_ID);
    }
    Some(ids)
}
