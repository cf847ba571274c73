//! What can be accelerated, decided once when a tokenizer is compiled.

use super::borders::Borders;
use super::cuts::Cuts;
use crate::models::{AnyModel, Model};
use crate::normalizers::AnyNormalizer;
use crate::normalizers::sequence::Sequence;
use crate::normalizers::strip::Strip;
use crate::pre_tokenizers::AnyPreTokenizer;
use crate::pre_tokenizers::byte_level::ByteLevel;
use crate::split::Scanner;
use crate::text::byte_alphabet::BYTE_TO_CHAR;
use crate::text::classes;
use crate::text::word_mark::PrependScheme;

/// Which ways there are for a stretch of text.
#[derive(Debug)]
pub(super) struct Plan {
    /// Cut before it is normalised, so that the cache holds the work of the normaliser too.
    pub(super) raw: Option<ChunkPlan>,
    /// For a stretch that has been normalised, or that the normaliser would leave as it is.
    pub(super) normalized: Way,
}

/// What is done to a normalised stretch.
#[derive(Debug)]
pub(super) enum Way {
    /// Component by component: something is drawn at random, or lives outside this crate.
    Exact,
    /// Cut component by component, cached piece by piece.
    Pieces,
    /// Cut by a scanner, cached chunk by chunk.
    Chunks(ChunkPlan),
}

/// How a stretch is cut into chunks, and what is left to do with each.
#[derive(Debug)]
pub(super) struct ChunkPlan {
    pub(super) cutter: Cutter,
    /// The normalizers that a chunk goes through, by [is it not the first of its stretch][is it not the last].
    pub(super) normalizers: Option<Box<[[AnyNormalizer; 2]; 2]>>,
    /// The pre-tokenizers that a chunk still goes through.
    pub(super) rest: Vec<AnyPreTokenizer>,
    /// For byte-level models without affixes: the id of each byte.
    pub(super) bytes: Option<Box<[u32; 256]>>,
    /// What chunks of this plan are told apart by, beside their bytes.
    pub(super) flags: Flags,
}

/// Where chunks end.
#[derive(Debug)]
pub(super) enum Cutter {
    /// Where pieces do, as the scanner of the first pre-tokenizers finds.
    Scanner {
        scanner: Scanner,
        /// Whether a blank goes in front of a stretch that does not start with one.
        prefix_space: bool,
    },
    /// Where nothing reaches across.
    Borders(Box<Borders>),
}

/// What the tokens of a chunk depend on beside its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flags(u8);

impl Flags {
    pub(super) const NONE: Self = Self(0);
    /// It is the first chunk of its stretch.
    pub(super) const FIRST: Self = Self(0x10);
    /// It is the last chunk of its stretch.
    pub(super) const LAST: Self = Self(0x20);
    /// It stands at the start of the text.
    pub(super) const START: Self = Self(0x40);
    /// It has not been normalised.
    pub(super) const RAW: Self = Self(0x80);
    /// It is a piece as the model gets it, no chunk: what has not been normalised alone may be the first or the last.
    pub(super) const PIECE: Self = Self(Self::FIRST.0 | Self::LAST.0);

    pub(super) const fn bits(self) -> u8 {
        self.0
    }

    pub(super) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn when(self, holds: bool) -> Self {
        if holds { self } else { Self::NONE }
    }
}

/// Stands for a byte that is not in the vocabulary.
pub(super) const NO_ID: u32 = u32::MAX;

impl Plan {
    pub(super) fn new(
        normalizer: Option<&AnyNormalizer>,
        pre_tokenizer: Option<&AnyPreTokenizer>,
        model: &AnyModel,
    ) -> Self {
        let mut stages = Vec::new();
        if let Some(pre_tokenizer) = pre_tokenizer {
            flatten(pre_tokenizer, &mut stages);
        }
        if !model.as_dyn().is_repeatable() || stages.iter().any(|s| matches!(s, AnyPreTokenizer::Custom(_))) {
            return Self { raw: None, normalized: Way::Exact };
        }
        // Chunks that recur are words: where the scanner leaves the cuts at blanks to later stages, borders find them.
        let scanned = ChunkPlan::scanned(&stages, model);
        let chunks = match scanned {
            Some(plan) if plan.cuts_words() => Some(plan),
            scanned => ChunkPlan::bordered(None, &stages, model).or(scanned),
        };
        // Forms leave most texts as they are, which is quickly seen; what other normalizers do is worth remembering.
        let raw = normalizer.filter(|n| !is_form(n)).and_then(|n| ChunkPlan::bordered(Some(n), &stages, model));
        Self { raw, normalized: chunks.map_or(Way::Pieces, Way::Chunks) }
    }
}

fn is_form(normalizer: &AnyNormalizer) -> bool {
    match normalizer {
        AnyNormalizer::NFC(_) | AnyNormalizer::NFD(_) | AnyNormalizer::NFKC(_) | AnyNormalizer::NFKD(_) => true,
        AnyNormalizer::Sequence(sequence) => sequence.normalizers.iter().all(is_form),
        _ => false,
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
        matches!(self.rest.as_slice(), [AnyPreTokenizer::ByteLevel(m)] if !m.0.add_prefix_space && !m.0.use_regex)
    }

    /// Whether chunks end between letters and blanks.
    fn cuts_words(&self) -> bool {
        matches!(&self.cutter, Cutter::Scanner { scanner, .. } if scanner.parts('a', ' '))
    }

    /// Whether a stage does something else at the start of the text.
    pub(super) fn asks_for_start(&self) -> bool {
        self.flags.has(Flags::START)
    }

    /// Whether the cutter says which chunks are single characters.
    pub(super) fn numbers_singles(&self) -> bool {
        matches!(&self.cutter, Cutter::Borders(borders) if borders.numbers_singles())
    }

    /// Whether it matters if a chunk is the first or the last of its stretch.
    pub(super) fn depends_on_place(&self) -> bool {
        self.flags != self.flags.and(Flags::RAW)
    }

    /// Whether the chunks of a stretch are those of the stretch with a blank in front.
    pub(super) fn puts_blank_in_front(&self, text: &str) -> bool {
        matches!(self.cutter, Cutter::Scanner { prefix_space: true, .. }) && !text.starts_with(' ')
    }

    /// Whether all chunks of a stretch are parts of one piece, and so of one word.
    pub(super) fn within_a_piece(&self) -> bool {
        matches!(&self.cutter, Cutter::Borders(borders) if borders.within_a_piece())
    }

    /// Take as many leading stages as scanners can do; what they leave must see each piece by itself, which all do.
    fn scanned(stages: &[AnyPreTokenizer], model: &AnyModel) -> Option<Self> {
        let mut scanners = Vec::new();
        let mut prefix_space = false;
        let mut rest: Vec<AnyPreTokenizer> = Vec::new();
        for (i, stage) in stages.iter().enumerate() {
            match stage {
                AnyPreTokenizer::ByteLevel(byte_level) => {
                    let mut mapping = byte_level.0.clone();
                    if i == 0 && byte_level.0.add_prefix_space {
                        prefix_space = true;
                        mapping.add_prefix_space = false;
                    }
                    if byte_level.0.use_regex && !mapping.add_prefix_space {
                        scanners.push(Scanner::gpt2());
                        mapping.use_regex = false;
                    }
                    rest.push(AnyPreTokenizer::ByteLevel(ByteLevel(mapping)));
                    rest.extend_from_slice(&stages[i + 1..]);
                    break;
                }
                stage => {
                    let Some(scanner) = scanner_of(stage) else {
                        rest.extend_from_slice(&stages[i..]);
                        break;
                    };
                    scanners.push(scanner);
                }
            }
        }
        if scanners.is_empty() {
            return None;
        }
        let scanner = if scanners.len() == 1 { scanners.pop()? } else { Scanner::sequence(&scanners)? };
        let bytes = byte_ids(&rest, model);
        let cutter = Cutter::Scanner { scanner, prefix_space };
        let flags = Flags::START.when(rest.iter().any(asks_for_start));
        Some(Self { cutter, normalizers: None, rest, bytes, flags })
    }

    /// Cut wherever nothing reaches across, and do all stages to each chunk.
    fn bordered(normalizer: Option<&AnyNormalizer>, stages: &[AnyPreTokenizer], model: &AnyModel) -> Option<Self> {
        let borders = Borders::new(Cuts::new(normalizer, stages, model)?)?;
        let ends = normalizer.map_or([false, false], depends_on_ends);
        let flags = Flags::FIRST.when(ends[0]).with(Flags::LAST.when(ends[1]));
        let flags = flags.with(Flags::START.when(stages.iter().any(asks_for_start)));
        let flags = flags.with(Flags::RAW.when(normalizer.is_some()));
        let normalizers = normalizer.map(|n| {
            Box::new([
                [at_ends(n, true, true), at_ends(n, true, false)],
                [at_ends(n, false, true), at_ends(n, false, false)],
            ])
        });
        let cutter = Cutter::Borders(Box::new(borders));
        Some(Self { cutter, normalizers, rest: stages.to_vec(), bytes: None, flags })
    }
}

/// Whether a normalizer does something special at the start and at the end of a text.
fn depends_on_ends(normalizer: &AnyNormalizer) -> [bool; 2] {
    match normalizer {
        AnyNormalizer::Sequence(sequence) => sequence.normalizers.iter().fold([false; 2], |[a, b], n| {
            let [c, d] = depends_on_ends(n);
            [a || c, b || d]
        }),
        AnyNormalizer::Prepend(_) => [true, false],
        AnyNormalizer::Strip(strip) => [strip.strip_left, strip.strip_right],
        _ => [false, false],
    }
}

/// What a normalizer does to a part of a text that is, or is not, its start and its end.
fn at_ends(normalizer: &AnyNormalizer, start: bool, end: bool) -> AnyNormalizer {
    match normalizer {
        AnyNormalizer::Sequence(sequence) => AnyNormalizer::Sequence(Sequence {
            normalizers: sequence.normalizers.iter().map(|n| at_ends(n, start, end)).collect(),
        }),
        AnyNormalizer::Prepend(_) if !start => AnyNormalizer::Sequence(Sequence { normalizers: Vec::new() }),
        AnyNormalizer::Strip(strip) => {
            AnyNormalizer::Strip(Strip { strip_left: strip.strip_left && start, strip_right: strip.strip_right && end })
        }
        other => other.clone(),
    }
}

/// The scanner that cuts as a pre-tokenizer does, and changes nothing as it does.
fn scanner_of(stage: &AnyPreTokenizer) -> Option<Scanner> {
    match stage {
        AnyPreTokenizer::Split(split) => split.scanner(),
        AnyPreTokenizer::Digits(digits) => Some(Scanner::digits(digits.individual_digits)),
        AnyPreTokenizer::Punctuation(p) => Scanner::delimited(classes::punctuation(), p.behavior, false),
        _ => None,
    }
}

/// The ids of the 256 bytes, where all that is left to do with a chunk is to spell its bytes and merge them.
fn byte_ids(rest: &[AnyPreTokenizer], model: &AnyModel) -> Option<Box<[u32; 256]>> {
    let ([AnyPreTokenizer::ByteLevel(mapping)], AnyModel::BPE(bpe)) = (rest, model) else { return None };
    if mapping.0.add_prefix_space || mapping.0.use_regex || !bpe.is_plain() {
        return None;
    }
    let mut ids = Box::new([NO_ID; 256]);
    for (id, c) in ids.iter_mut().zip(BYTE_TO_CHAR) {
        *id = bpe.vocabulary().id(c.encode_utf8(&mut [0; 4])).unwrap_or(NO_ID);
    }
    Some(ids)
}

/// Whether a stage does something else at the start of the text.
fn asks_for_start(stage: &AnyPreTokenizer) -> bool {
    matches!(stage, AnyPreTokenizer::Metaspace(m) if m.0.prepend_scheme == PrependScheme::First)
}
