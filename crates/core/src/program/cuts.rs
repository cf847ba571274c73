//! Where a text may be cut before anything is done to it, so that each part gives what it would give within the whole.
//!
//! A place between two characters is followed through the stages: each says whether something of it can reach across, and what
//! the two characters have become behind it. The first pre-tokenizer that cuts there settles the matter. Where none ever cuts, the
//! model must not join anything across: for BPE no entry of the vocabulary may hold the two characters side by side.

use crate::models::bpe::Bpe;
use crate::models::{AnyModel, Model};
use crate::normalizers::AnyNormalizer;
use crate::normalizers::precompiled::Precompiled;
use crate::normalizers::replace::Replace;
use crate::pre_tokenizers::{AnyPreTokenizer, PreTokenizer};
use crate::split::Scanner;
use crate::text::byte_alphabet::BYTE_TO_CHAR;
use crate::text::unicode::is_white_space;
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
    /// Where no pre-tokenizer ever cuts: which characters stand side by side in an entry of the model.
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

#[derive(Debug)]
struct Joined {
    pairs: HashSet<(char, char), FixedState>,
    single: HashSet<char, FixedState>,
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
        let never_cut = pre_tokenizers.iter().all(|p| match p {
            AnyPreTokenizer::Metaspace(m) => !m.0.split,
            AnyPreTokenizer::ByteLevel(b) => !b.use_regex,
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

    /// Whether a text may be cut between these two characters, wherever they stand side by side.
    pub(super) fn allows(&self, before: char, after: char) -> bool {
        let mut outcomes = vec![(before, after)];
        for view in &self.normalizers {
            let each = outcomes.into_iter().map(|(a, b)| view.behind(a, b)).collect::<Option<Vec<_>>>();
            let Some(each) = each else { return false };
            outcomes = each.concat();
        }
        outcomes.into_iter().all(|(a, b)| self.allows_normalized(a, b))
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

impl Joined {
    fn new(bpe: &Bpe) -> Option<Self> {
        // A whole piece that is looked up as it is cannot be looked up in parts.
        if !bpe.is_plain() || bpe.options().ignore_merges {
            return None;
        }
        // Behind a character that is dropped all spans of the piece are moved, not only those of its part.
        let spells_all = bpe.options().byte_fallback && (0..=255).all(|b| bpe.byte_id(b).is_some());
        if bpe.options().unk_token.is_none() && !spells_all {
            return None;
        }
        let mut joined = Self { pairs: HashSet::default(), single: HashSet::default() };
        for (token, _) in bpe.vocabulary().iter() {
            let mut chars = token.chars();
            let Some(mut last) = chars.next() else { continue };
            if chars.as_str().is_empty() {
                joined.single.insert(last);
            }
            for c in chars {
                joined.pairs.insert((last, c));
                last = c;
            }
        }
        Some(joined)
    }

    /// Both characters must be tokens: unknowns are joined with their neighbours, and bytes have merges of their own.
    fn allows(&self, a: char, b: char) -> bool {
        self.single.contains(&a) && self.single.contains(&b) && !self.pairs.contains(&(a, b))
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
    /// What the two characters next to the place may have become, or `None` where something may reach across.
    fn behind(&self, a: char, b: char) -> Option<Vec<(char, char)>> {
        match &self.normalizer {
            AnyNormalizer::Replace(replace) => self.replaced(replace, a, b),
            _ => Some(vec![self.becomes(a, b)?]),
        }
    }

    /// The same for normalizers that leave no choice.
    fn becomes(&self, a: char, b: char) -> Option<(char, char)> {
        match &self.normalizer {
            AnyNormalizer::Lowercase(_)
            | AnyNormalizer::StripAccents(_)
            | AnyNormalizer::Nmt(_)
            | AnyNormalizer::ByteLevel(_) => self.each_alone(a, b),
            AnyNormalizer::NFC(_) => self.composed(Form::Nfc, a, b),
            AnyNormalizer::NFD(_) => self.composed(Form::Nfd, a, b),
            AnyNormalizer::NFKC(_) => self.composed(Form::Nfkc, a, b),
            AnyNormalizer::NFKD(_) => self.composed(Form::Nfkd, a, b),
            AnyNormalizer::BertNormalizer(_) if Form::Nfd.starts_segment(b) => self.each_alone(a, b),
            // What is stripped at an end of the text reaches to the first character that is no white space.
            AnyNormalizer::Strip(_) => (!is_white_space(a)).then_some((a, b)),
            AnyNormalizer::Prepend(_) => Some((a, b)),
            AnyNormalizer::Precompiled(map) => self.mapped(map, a, b),
            _ => None,
        }
    }

    fn alone(&self, c: char) -> Option<String> {
        let mut text = AlignedText::untracked(c.encode_utf8(&mut [0; 4]), 1);
        self.normalizer.as_dyn().normalize(&mut text).ok()?;
        Some(text.into_string())
    }

    fn each_alone(&self, a: char, b: char) -> Option<(char, char)> {
        Some((self.alone(a)?.chars().next_back()?, self.alone(b)?.chars().next()?))
    }

    fn composed(&self, form: Form, a: char, b: char) -> Option<(char, char)> {
        // A mark may have joined what stands before it.
        if !form.starts_segment(a) || !form.starts_segment(b) {
            return None;
        }
        // What follows `b` may join it. Of ASCII, letters and the signs of comparison are joined by marks.
        let is_plain = b.is_whitespace() || b.is_ascii() && !b.is_ascii_alphabetic() && !matches!(b, '<' | '=' | '>');
        if matches!(form, Form::Nfc | Form::Nfkc) && !is_plain {
            return None;
        }
        self.each_alone(a, b)
    }

    fn replaced(&self, replace: &Replace, a: char, b: char) -> Option<Vec<(char, char)>> {
        let (matcher, content) = (replace.matcher(), replace.content());
        let (first, last) = (content.chars().next()?, content.chars().next_back()?);
        // A character that is a match by itself is part of one wherever it stands.
        let always = |c: char| self.alone(c).is_some_and(|alone| alone == content);
        match (matcher.touches(a), matcher.touches(b)) {
            (false, false) => Some(vec![(a, b)]),
            // A match that holds `b` begins with it, and puts the content there wherever it ends.
            (false, true) if always(b) => Some(vec![(a, first)]),
            (false, true) => Some(vec![(a, b), (a, first)]),
            (true, false) if always(a) => Some(vec![(last, b)]),
            (true, false) => Some(vec![(a, b), (last, b)]),
            _ => None,
        }
    }

    fn mapped(&self, map: &Precompiled, a: char, b: char) -> Option<(char, char)> {
        if self.continuing.contains(&a) || self.continuing.contains(&b) || map.begins_longer(b) {
            return None;
        }
        self.each_alone(a, b)
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
    fn through(&self, a: char, b: char) -> Through {
        match &self.stage {
            AnyPreTokenizer::Metaspace(m) => {
                let mark = m.0.replacement;
                let spelled = |c: char| if c == ' ' { mark } else { c };
                let (a, b) = (spelled(a), spelled(b));
                if b == mark && m.0.split {
                    Through::Cut
                } else if b != mark && m.0.prepend_scheme == PrependScheme::Always {
                    Through::Never // a part that does not begin with a mark would get one
                } else {
                    Through::Uncut(a, b)
                }
            }
            AnyPreTokenizer::ByteLevel(byte_level) => {
                if byte_level.add_prefix_space && b != ' ' {
                    return Through::Never;
                }
                if !byte_level.use_regex {
                    let spelled = |byte: Option<&u8>| byte.map(|b| BYTE_TO_CHAR[*b as usize]);
                    let (mut last, mut first) = ([0; 4], [0; 4]);
                    let last = spelled(a.encode_utf8(&mut last).as_bytes().last());
                    let first = spelled(b.encode_utf8(&mut first).as_bytes().first());
                    return last.zip(first).map_or(Through::Never, |(a, b)| Through::Uncut(a, b));
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

fn cuts_between(stage: &AnyPreTokenizer, a: char, b: char) -> bool {
    let text: String = [a, b].into_iter().collect();
    let mut pretokens = Pretokens::new(AlignedText::new(&text, 0));
    let stage: &dyn PreTokenizer = stage.as_dyn();
    stage.pre_tokenize(&mut pretokens).is_ok() && !pretokens.iter().any(|piece| piece == text)
}
