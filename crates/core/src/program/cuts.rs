//! Where a text may be cut before anything is done to it, so that each part gives what it would give within the whole.
//!
//! A place between two characters is followed through the stages: each says whether something of it can reach across, and what
//! the two characters have become behind it. The first pre-tokenizer that cuts there settles the matter. Where none ever cuts, the
//! model must not join anything across: for BPE no entry of the vocabulary may hold the two characters side by side.
//!
//! What a normalizer makes of one of the two does not depend on the other, and pre-tokenizers ask for little more than classes of
//! characters. So a character is described alone, once for either side of a place ([`Neighbour`]), and those with the same
//! description stand for each other: a text in many scripts has 100,000 pairs of characters, but some dozens of pairs of neighbours.

use super::joined::{Joined, Joins};
use crate::models::AnyModel;
use crate::normalizers::AnyNormalizer;
use crate::normalizers::replace::Replace;
use crate::pre_tokenizers::{AnyPreTokenizer, PreTokenizer};
use crate::split::Scanner;
use crate::text::byte_alphabet::BYTE_TO_CHAR;
use crate::text::unicode::{is_punctuation, is_white_space, is_word};
use crate::text::unicode_forms::Form;
use crate::text::word_mark::PrependScheme;
use crate::text::{AlignedText, Pretokens};
use foldhash::fast::FixedState;
use hashbrown::HashSet;

/// The stages as seen from a place between two characters.
#[derive(Debug)]
pub(super) struct Cuts {
    normalizers: Vec<NormalizerView>,
    pre_tokenizers: Vec<StageView>,
    /// Where no pre-tokenizer ever cuts: which characters the model may join.
    joined: Option<Joined>,
}

#[derive(Debug)]
struct NormalizerView {
    normalizer: AnyNormalizer,
    /// Of a character map: the characters that may be part of a longer match behind its first.
    continuing: HashSet<char, FixedState>,
}

#[derive(Debug)]
struct StageView {
    stage: AnyPreTokenizer,
    /// Of a `Split`.
    scanner: Option<Scanner>,
}

/// The side of a place that a character stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    Behind,
}

/// A character at one side of a place, as far as any stage asks about it.
#[derive(Clone, Debug)]
pub(super) struct Neighbour {
    /// Two with the same description have the same places.
    pub(super) description: Description,
    /// What it may have become behind the normalizers.
    outcomes: Vec<char>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Description {
    /// Bit `i`: the normalizer `i` may take it for a part of something that it replaces.
    replaced: u64,
    /// For each outcome, what the pre-tokenizers and the model tell apart.
    classes: Vec<u32>,
}

impl Cuts {
    /// `None` where some stage sees the whole text, or nothing would ever be cut.
    pub(super) fn new(
        normalizer: Option<&AnyNormalizer>,
        pre_tokenizers: &[AnyPreTokenizer],
        model: &AnyModel,
    ) -> Option<Self> {
        let mut normalizers = Vec::new();
        if let Some(normalizer) = normalizer {
            flatten(normalizer, &mut normalizers)?;
        }
        if normalizers.len() > u64::BITS as usize {
            return None;
        }
        let never_cut = pre_tokenizers.iter().all(|p| match p {
            AnyPreTokenizer::Metaspace(m) => !m.0.split,
            AnyPreTokenizer::ByteLevel(b) => !b.0.use_regex,
            _ => false,
        });
        let joined = match model {
            AnyModel::BPE(bpe) if never_cut => Some(Joined::new(bpe)?),
            _ if never_cut => return None,
            _ => None,
        };
        let view = |stage: &AnyPreTokenizer| StageView {
            scanner: match stage {
                AnyPreTokenizer::Split(split) => split.scanner(),
                _ => None,
            },
            stage: stage.clone(),
        };
        Some(Self { normalizers, pre_tokenizers: pre_tokenizers.iter().map(view).collect(), joined })
    }

    /// Whether the parts of a text are parts of one piece.
    pub(super) fn within_a_piece(&self) -> bool {
        self.joined.is_some()
    }

    /// A character at one side of a place. `None` where something may always reach across.
    pub(super) fn neighbour(&self, c: char, side: Side) -> Option<Neighbour> {
        let mut outcomes = vec![c];
        let mut description = Description::default();
        for (i, view) in self.normalizers.iter().enumerate() {
            let mut next = Vec::new();
            for c in outcomes {
                description.replaced |= u64::from(view.replaces(c)) << i;
                next.extend(view.outcomes(c, side)?);
            }
            next.sort_unstable();
            next.dedup();
            outcomes = next;
        }
        for &outcome in &outcomes {
            let mut c = outcome;
            for view in &self.pre_tokenizers {
                description.classes.push(view.class(&mut c, side));
            }
            if let Some(joined) = &self.joined {
                let class = match joined.joins(c, side) {
                    Joins::Anything => return None,
                    Joins::Nothing => 0,
                    Joins::Listed => u32::from(c) + 1,
                };
                description.classes.push(class);
            }
        }
        Some(Neighbour { description, outcomes })
    }

    /// Whether a text may be cut between two characters, wherever they stand side by side.
    pub(super) fn allows(&self, before: &Neighbour, behind: &Neighbour) -> bool {
        before.description.replaced & behind.description.replaced == 0
            && before.outcomes.iter().all(|a| behind.outcomes.iter().all(|b| self.allows_normalized(*a, *b)))
    }

    /// The same for what has been normalised.
    fn allows_normalized(&self, mut a: char, mut b: char) -> bool {
        for stage in &self.pre_tokenizers {
            match stage.through(a, b) {
                Through::Cut => return self.joined.is_none(),
                Through::Never => return false,
                Through::Uncut(x, y) => (a, b) = (x, y),
            }
        }
        self.joined.as_ref().is_some_and(|joined| joined.allows(a, b))
    }
}

fn flatten(normalizer: &AnyNormalizer, out: &mut Vec<NormalizerView>) -> Option<()> {
    let mut continuing = HashSet::default();
    match normalizer {
        AnyNormalizer::Sequence(sequence) => return sequence.normalizers.iter().try_for_each(|n| flatten(n, out)),
        AnyNormalizer::Custom(_) => return None,
        AnyNormalizer::Precompiled(map) => continuing.extend(map.continuing_characters()?),
        _ => {}
    }
    out.push(NormalizerView { normalizer: normalizer.clone(), continuing });
    Some(())
}

impl NormalizerView {
    /// Whether a character may be a part of something that is replaced, together with its neighbour.
    fn replaces(&self, c: char) -> bool {
        matches!(&self.normalizer, AnyNormalizer::Replace(replace) if replace.0.matcher().touches(c))
    }

    /// What a character next to the place may have become there, or `None` where something may reach across.
    fn outcomes(&self, c: char, side: Side) -> Option<Vec<char>> {
        let is_behind = side == Side::Behind;
        match &self.normalizer {
            AnyNormalizer::Lowercase(_)
            | AnyNormalizer::StripAccents(_)
            | AnyNormalizer::Nmt(_)
            | AnyNormalizer::ByteLevel(_) => self.alone(c, side),
            AnyNormalizer::NFC(_) => self.composed(Form::Nfc, c, side),
            AnyNormalizer::NFD(_) => self.composed(Form::Nfd, c, side),
            AnyNormalizer::NFKC(_) => self.composed(Form::Nfkc, c, side),
            AnyNormalizer::NFKD(_) => self.composed(Form::Nfkd, c, side),
            AnyNormalizer::BertNormalizer(_) if !is_behind || Form::Nfd.starts_segment(c) => self.alone(c, side),
            // What is stripped at an end of the text reaches to the first character that is no white space.
            AnyNormalizer::Strip(_) => (is_behind || !is_white_space(c)).then(|| vec![c]),
            AnyNormalizer::Prepend(_) => Some(vec![c]),
            AnyNormalizer::Precompiled(map) => {
                let reaches = self.continuing.contains(&c) || is_behind && map.begins_longer(c);
                if reaches { None } else { self.alone(c, side) }
            }
            AnyNormalizer::Replace(replace) => self.replaced(replace, c, side),
            _ => None,
        }
    }

    fn normalized(&self, c: char) -> Option<String> {
        let mut text = AlignedText::untracked(c.encode_utf8(&mut [0; 4]), 1);
        self.normalizer.as_dyn().normalize(&mut text).ok()?;
        Some(text.into_string())
    }

    /// Where what becomes of it depends on nothing else.
    fn alone(&self, c: char, side: Side) -> Option<Vec<char>> {
        side.nearest(&self.normalized(c)?).map(|c| vec![c])
    }

    fn composed(&self, form: Form, c: char, side: Side) -> Option<Vec<char>> {
        // A mark may have joined what stands before it.
        if !form.starts_segment(c) {
            return None;
        }
        // What follows may join it. Of ASCII, letters and the signs of comparison are joined by marks.
        let is_plain = c.is_whitespace() || c.is_ascii() && !c.is_ascii_alphabetic() && !matches!(c, '<' | '=' | '>');
        if side == Side::Behind && matches!(form, Form::Nfc | Form::Nfkc) && !is_plain {
            return None;
        }
        self.alone(c, side)
    }

    fn replaced(&self, replace: &Replace, c: char, side: Side) -> Option<Vec<char>> {
        if !replace.0.matcher().touches(c) {
            return Some(vec![c]);
        }
        // A match that holds the character behind the place begins with it, one that holds the character before the place ends
        // with it; so the content stands there, as long as the two cannot be in one match.
        let content = replace.0.content();
        let nearest = side.nearest(content)?;
        // A character that is a match by itself is part of one wherever it stands.
        if self.normalized(c)? == content { Some(vec![nearest]) } else { Some(vec![c, nearest]) }
    }
}

impl Side {
    /// The character of a text that is next to a place, if the text stands at this side of it.
    fn nearest(self, text: &str) -> Option<char> {
        match self {
            Self::Before => text.chars().next_back(),
            Self::Behind => text.chars().next(),
        }
    }
}

enum Through {
    /// A piece ends there.
    Cut,
    /// None does; what the characters have become.
    Uncut(char, char),
    /// This stage sees more than the place.
    Never,
}

impl StageView {
    /// What [`Self::through`] asks about a character at one side of a place, which becomes what it is behind this stage.
    fn class(&self, c: &mut char, side: Side) -> u32 {
        let bits = |bits: &[bool]| bits.iter().fold(0, |all, bit| all << 1 | u32::from(*bit));
        match &self.stage {
            AnyPreTokenizer::Metaspace(m) => {
                *c = spelled(*c, m.0.replacement);
                bits(&[*c == m.0.replacement])
            }
            AnyPreTokenizer::ByteLevel(byte_level) => {
                let space = bits(&[*c == ' ']);
                if byte_level.0.use_regex {
                    return Scanner::gpt2().kind(*c) << 1 | space;
                }
                *c = nearest_byte(*c, side);
                space
            }
            AnyPreTokenizer::Split(split) => {
                let kind = self.scanner.as_ref().map_or(0, |scanner| scanner.kind(*c));
                kind << 1 | bits(&[split.matcher().touches(*c)])
            }
            AnyPreTokenizer::BertPreTokenizer(_) => bits(&[is_white_space(*c), is_punctuation(*c)]),
            AnyPreTokenizer::Whitespace(_) => bits(&[is_white_space(*c), is_word(*c)]),
            AnyPreTokenizer::WhitespaceSplit(_) => bits(&[is_white_space(*c)]),
            AnyPreTokenizer::Punctuation(_) => bits(&[is_punctuation(*c)]),
            AnyPreTokenizer::Digits(_) => bits(&[c.is_numeric()]),
            AnyPreTokenizer::CharDelimiterSplit(split) => bits(&[*c == split.delimiter]),
            // Nothing goes through these, whatever the characters.
            _ => 0,
        }
    }

    fn through(&self, a: char, b: char) -> Through {
        match &self.stage {
            AnyPreTokenizer::Metaspace(m) => {
                let mark = m.0.replacement;
                let (a, b) = (spelled(a, mark), spelled(b, mark));
                if b == mark && m.0.split {
                    Through::Cut
                } else if b != mark && m.0.prepend_scheme == PrependScheme::Always {
                    Through::Never // a part that does not begin with a mark would get one
                } else {
                    Through::Uncut(a, b)
                }
            }
            AnyPreTokenizer::ByteLevel(byte_level) => {
                if byte_level.0.add_prefix_space && b != ' ' {
                    return Through::Never;
                }
                if !byte_level.0.use_regex {
                    return Through::Uncut(nearest_byte(a, Side::Before), nearest_byte(b, Side::Behind));
                }
                if Scanner::gpt2().parts(a, b) { Through::Cut } else { Through::Never }
            }
            AnyPreTokenizer::Split(split) => match &self.scanner {
                Some(scanner) if scanner.parts(a, b) => Through::Cut,
                Some(_) if !split.matcher().touches(a) && !split.matcher().touches(b) => Through::Uncut(a, b),
                _ => Through::Never,
            },
            // These look at nothing but the two characters.
            AnyPreTokenizer::BertPreTokenizer(_)
            | AnyPreTokenizer::Whitespace(_)
            | AnyPreTokenizer::WhitespaceSplit(_)
            | AnyPreTokenizer::Punctuation(_)
            | AnyPreTokenizer::Digits(_)
            | AnyPreTokenizer::CharDelimiterSplit(_) => {
                if cuts_between(&self.stage, a, b) {
                    Through::Cut
                } else {
                    Through::Uncut(a, b)
                }
            }
            _ => Through::Never,
        }
    }
}

/// What Metaspace makes of a character.
fn spelled(c: char, mark: char) -> char {
    if c == ' ' { mark } else { c }
}

/// The byte of a character next to a place, as byte-level models spell it.
fn nearest_byte(c: char, side: Side) -> char {
    let mut bytes = [0; 4];
    let bytes = c.encode_utf8(&mut bytes).as_bytes();
    let byte = if side == Side::Before { bytes[bytes.len() - 1] } else { bytes[0] };
    BYTE_TO_CHAR[byte as usize]
}

fn cuts_between(stage: &AnyPreTokenizer, a: char, b: char) -> bool {
    let text: String = [a, b].into_iter().collect();
    let mut pretokens = Pretokens::new(AlignedText::new(&text, 0));
    let stage: &dyn PreTokenizer = stage.as_dyn();
    stage.pre_tokenize(&mut pretokens).is_ok() && !pretokens.iter().any(|piece| piece == text)
}
