//! Added tokens: found in the text before anything else happens, and never split.
//!
//! Tokens with `normalized = false` are looked for in the raw text, the others in the normalized text by their own normalized
//! form. One scan each, leftmost-longest over the whole set, so the cost does not depend on the number of tokens.

use crate::error::{Error, Result};
use crate::normalizers::AnyNormalizer;
use crate::steps;
use crate::text::AlignedText;
use aho_corasick::{AhoCorasick, MatchKind};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A token that is found as a whole, wherever it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "the five flags of the file format")]
pub struct AddedToken {
    /// Its text.
    pub content: String,
    /// Only where no word character stands before or behind it.
    pub single_word: bool,
    /// Takes in the white space to its left.
    pub lstrip: bool,
    /// Takes in the white space to its right.
    pub rstrip: bool,
    /// Whether it is matched in the normalized text, by its normalized form.
    pub normalized: bool,
    /// Left out when decoding, and taken for ordinary text where `encode_special_tokens` is on.
    pub special: bool,
}

/// More different characters than this are no help in telling that a token may be there.
const MOST_TELLTALES: usize = 8;

/// A part of a text: either between added tokens, or one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Bytes of the text that was searched. Segments may overlap where a token with `rstrip` took in the start of the next.
    pub range: Range<usize>,
    /// Index into the list of tokens; `None` between them.
    pub token: Option<u32>,
}

/// What is known of an added token once it is compiled.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Id.
    pub id: u32,
    /// The token as it was added.
    pub token: AddedToken,
    /// What it is matched as and shown as: its normalized form, or its content.
    pub shown: String,
    /// Whether it is shown in the byte alphabet, as the normalizer spells it.
    pub is_spelled: bool,
}

/// The added tokens of a tokenizer, ready to be found.
#[derive(Debug, Default)]
pub struct AddedTokens {
    tokens: Vec<Compiled>,
    raw: Option<Searcher>,
    normalized: Option<Searcher>,
    by_content: HashMap<String, u32, FixedState>,
    by_id: HashMap<u32, u32, FixedState>,
    special_ids: HashSet<u32, FixedState>,
}

#[derive(Debug)]
struct Searcher {
    automaton: AhoCorasick,
    /// From pattern to index of the token.
    tokens: Vec<u32>,
}

impl AddedTokens {
    /// Compile a list of tokens with their ids, in the order in which they were added.
    ///
    /// # Errors
    /// `Error::Spec` when the normalizer fails on a token or the set is too large to search for.
    pub fn compile(tokens: Vec<(u32, AddedToken)>, normalizer: Option<&AnyNormalizer>) -> Result<Self> {
        let mut added = Self::default();
        let spells = normalizer.is_some_and(spells_bytes);
        for (i, (id, token)) in tokens.into_iter().enumerate() {
            let mut shown = token.content.clone();
            if let (true, Some(normalizer)) = (token.normalized, normalizer) {
                let mut text = AlignedText::untracked(&token.content, 0);
                normalizer.as_dyn().normalize(&mut text).map_err(|e| Error::spec(format!("added_tokens[{i}]"), e))?;
                text.as_str().clone_into(&mut shown);
            }
            added.by_content.insert(token.content.clone(), i as u32);
            added.by_id.insert(id, i as u32);
            if token.special {
                added.special_ids.insert(id);
            }
            let is_spelled = spells && token.normalized;
            added.tokens.push(Compiled { id, token, shown, is_spelled });
        }
        added.raw = Searcher::new(&added.tokens, false)?;
        added.normalized = Searcher::new(&added.tokens, true)?;
        Ok(added)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Whether some are matched in normalized text.
    pub fn has_normalized(&self) -> bool {
        self.normalized.is_some()
    }

    /// For each token that is matched in normalized text a character without which it cannot be there: a mark rather than a letter, a
    /// digit or a blank. `None` if some token has no such character.
    pub fn telltales(&self) -> Option<Vec<char>> {
        let wanted = self.tokens.iter().filter(|t| t.token.normalized && !t.shown.is_empty());
        let mut chars = Vec::new();
        for token in wanted {
            let rare = |c: &char| {
                !c.is_alphanumeric() && !c.is_whitespace() && !matches!(c, '.' | ',' | '-' | '\'' | '▁' | 'Ġ')
            };
            let found = token.shown.chars().find(rare)?;
            if !chars.contains(&found) {
                chars.push(found);
            }
        }
        (chars.len() <= MOST_TELLTALES).then_some(chars)
    }

    /// The tokens, in the order in which they were added.
    pub fn tokens(&self) -> &[Compiled] {
        &self.tokens
    }

    /// The token that a [`Segment`] names.
    pub fn token(&self, index: u32) -> &Compiled {
        &self.tokens[index as usize]
    }

    /// The token with this content.
    pub fn by_content(&self, content: &str) -> Option<&Compiled> {
        self.by_content.get(content).map(|&i| self.token(i))
    }

    /// The token with this id.
    pub fn by_id(&self, id: u32) -> Option<&Compiled> {
        self.by_id.get(&id).map(|&i| self.token(i))
    }

    /// Whether this is the id of a special token.
    pub fn is_special(&self, id: u32) -> bool {
        self.special_ids.contains(&id)
    }

    /// Cut a raw text at the tokens that are matched in raw text.
    pub fn in_raw(&self, text: &str, as_text: bool, out: &mut Vec<Segment>) {
        self.segments(self.raw.as_ref(), text, as_text, out);
    }

    /// Cut a normalized text at the tokens that are matched in normalized text.
    pub fn in_normalized(&self, text: &str, as_text: bool, out: &mut Vec<Segment>) {
        self.segments(self.normalized.as_ref(), text, as_text, out);
    }

    fn segments(&self, searcher: Option<&Searcher>, text: &str, as_text: bool, out: &mut Vec<Segment>) {
        out.clear();
        steps::count(text.len());
        let mut done = 0;
        // White space that was seen before, up to the character behind it.
        let mut blank = 0..0;
        if let Some(searcher) = searcher {
            for found in searcher.automaton.find_iter(text) {
                let index = searcher.tokens[found.pattern().as_usize()];
                let token = &self.tokens[index as usize].token;
                let (mut start, mut end) = (found.start(), found.end());
                if as_text && token.special || token.single_word && in_word(text, start, end) {
                    continue;
                }
                if token.lstrip {
                    let between = &text[done.min(start)..start];
                    let kept = between.trim_end_matches(char::is_whitespace).len();
                    steps::count(between.len() - kept);
                    start = done.max(start - (between.len() - kept));
                }
                if token.rstrip {
                    if end < blank.start || blank.end < end {
                        blank = end..text.len() - text[end..].trim_start_matches(char::is_whitespace).len();
                        steps::count(blank.len());
                    }
                    end = blank.end;
                }
                if start >= end {
                    continue; // the token before has taken it in whole
                }
                if done < start {
                    out.push(Segment { range: done..start, token: None });
                }
                out.push(Segment { range: start..end, token: Some(index) });
                done = end;
            }
        }
        if done < text.len() {
            out.push(Segment { range: done..text.len(), token: None });
        }
    }
}

fn spells_bytes(normalizer: &AnyNormalizer) -> bool {
    match normalizer {
        AnyNormalizer::ByteLevel(_) => true,
        AnyNormalizer::Sequence(sequence) => sequence.normalizers.iter().any(spells_bytes),
        _ => false,
    }
}

/// Whether a word character stands right before `start` or right behind `end`.
fn in_word(text: &str, start: usize, end: usize) -> bool {
    let is_word = |c: char| regex_syntax::try_is_word_character(c).unwrap_or(false);
    text[..start].chars().next_back().is_some_and(is_word) || text[end..].chars().next().is_some_and(is_word)
}

impl Searcher {
    fn new(tokens: &[Compiled], normalized: bool) -> Result<Option<Self>> {
        // Of tokens that are matched by the same text the one with the lowest id wins: files list them by their ids.
        let mut order: Vec<(u32, &Compiled)> = (0u32..).zip(tokens).collect();
        order.sort_by_key(|(_, token)| token.id);
        let mut seen = HashSet::with_hasher(FixedState::default());
        let chosen: Vec<u32> = order
            .into_iter()
            .filter(|(_, t)| t.token.normalized == normalized && !t.shown.is_empty() && seen.insert(&t.shown))
            .map(|(i, _)| i)
            .collect();
        if chosen.is_empty() {
            return Ok(None);
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(chosen.iter().map(|&i| &tokens[i as usize].shown))
            .map_err(|e| Error::spec("added_tokens", e))?;
        Ok(Some(Self { automaton, tokens: chosen }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(content: &str) -> AddedToken {
        AddedToken {
            content: content.into(),
            single_word: false,
            lstrip: false,
            rstrip: false,
            normalized: false,
            special: false,
        }
    }

    fn cut(tokens: Vec<AddedToken>, text: &str) -> Vec<(String, Option<u32>)> {
        let added = AddedTokens::compile((0..).zip(tokens).collect(), None).unwrap();
        let mut out = Vec::new();
        added.in_raw(text, false, &mut out);
        out.into_iter().map(|s| (text[s.range].to_owned(), s.token)).collect()
    }

    #[test]
    fn the_longest_wins_and_a_rejected_match_is_passed_over() {
        let parts = cut(vec![token("ab"), AddedToken { single_word: true, ..token("abc") }], "xabcd abc ab");
        let expected = [("xabcd ", None), ("abc", Some(1)), (" ", None), ("ab", Some(0))];
        assert_eq!(parts, expected.map(|(t, i)| (t.to_owned(), i)));
    }

    #[test]
    fn a_token_may_take_in_the_start_of_the_next() {
        let tokens = vec![AddedToken { rstrip: true, ..token("a") }, token(" b")];
        let expected = [("a ", Some(0)), (" b", Some(1))];
        assert_eq!(cut(tokens, "a b"), expected.map(|(t, i)| (t.to_owned(), i)));
    }

    #[test]
    fn a_token_that_another_has_taken_in_whole_is_passed_over() {
        let tokens = vec![AddedToken { rstrip: true, ..token("a") }, AddedToken { lstrip: true, ..token(" ") }];
        let expected = [("a  ", Some(0)), ("b", None)];
        assert_eq!(cut(tokens, "a  b"), expected.map(|(t, i)| (t.to_owned(), i)));
    }
}
