//! All matches of a pattern, by the rules of the reference.

use super::ast::Node;
use super::scanner::Scanner;
use super::stage::Window;
use super::{Behavior, Pattern, emit, parse};
use crate::error::{Error, Result};
use crate::steps;
use crate::text::ByteSpan;
use std::sync::Arc;

/// Steps of backtracking that one search may take. Some seconds at most; the reference fails at ten million in one place.
const STEP_LIMIT: usize = 50_000_000;
/// Most memory of a compiled part of a pattern, in bytes.
const SIZE_LIMIT: usize = 256 << 20;

/// A compiled pattern. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Matcher(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// For patterns of the form that scanners understand.
    scanner: Option<Scanner>,
    engine: Engine,
}

#[derive(Debug)]
enum Engine {
    Literal(Box<memchr::memmem::Finder<'static>>),
    /// An empty text, which matches everywhere.
    Everywhere,
    Regex(Box<fancy_regex::Regex>),
    /// The automaton of the scanner.
    Scanner,
}

impl Matcher {
    /// Compile `pattern`.
    ///
    /// # Errors
    /// [`Error::Spec`] when the pattern is not valid in the dialect, or uses what cannot be translated; the reason names
    /// the construct and its place.
    pub fn new(pattern: &Pattern) -> Result<Self> {
        let inner = match pattern {
            Pattern::String(text) if text.is_empty() => Inner { scanner: None, engine: Engine::Everywhere },
            Pattern::String(text) => {
                let node = Node::concat(text.chars().map(Node::literal).collect());
                let engine = Engine::Literal(Box::new(memchr::memmem::Finder::new(text).into_owned()));
                Inner { scanner: Scanner::isolating(node), engine }
            }
            Pattern::Regex(regex) => {
                let node = parse::parse(regex)?;
                match Scanner::isolating(node.clone()) {
                    Some(scanner) => Inner { scanner: Some(scanner), engine: Engine::Scanner },
                    None => Inner { scanner: None, engine: Engine::Regex(Box::new(compile(&node, regex)?)) },
                }
            }
        };
        Ok(Self(Arc::new(inner)))
    }

    /// Compile `pattern` for the general engine alone, which is slower: the measure for the others in tests.
    ///
    /// # Errors
    /// As for [`Matcher::new`].
    pub fn general(pattern: &str) -> Result<Self> {
        let node = parse::parse(pattern)?;
        let engine = Engine::Regex(Box::new(compile(&node, pattern)?));
        Ok(Self(Arc::new(Inner { scanner: None, engine })))
    }

    /// Can `c` be a part of a match, or what a match depends on? True in doubt.
    pub fn touches(&self, c: char) -> bool {
        self.0.scanner.as_ref().is_none_or(|scanner| scanner.touches(c))
    }

    /// All matches in `text`, from the left, not overlapping, into `out`, which is emptied first.
    ///
    /// An empty match directly behind a match is none, and an empty text has no match.
    ///
    /// # Errors
    /// [`Error::Encode`] when backtracking reaches its limit of steps.
    pub fn matches(&self, text: &str, out: &mut Vec<ByteSpan>) -> Result<()> {
        out.clear();
        if text.is_empty() {
            return Ok(());
        }
        match &self.0.engine {
            Engine::Literal(finder) => {
                steps::count(text.len());
                let len = finder.needle().len();
                out.extend(finder.find_iter(text.as_bytes()).map(|at| span(at, at + len)));
                Ok(())
            }
            Engine::Everywhere => {
                steps::count(text.len());
                out.extend(text.char_indices().map(|(at, _)| span(at, at)));
                out.push(span(text.len(), text.len()));
                Ok(())
            }
            Engine::Regex(regex) => by_regex(regex, text, out),
            Engine::Scanner => {
                if let Some(scanner) = &self.0.scanner {
                    by_scanner(scanner, text, out);
                }
                Ok(())
            }
        }
    }

    /// The scanner of `Split(pattern, Isolated)`, if the pattern is of a form that it understands.
    pub fn scanner(&self) -> Option<Scanner> {
        self.0.scanner.clone()
    }

    /// The scanner of `Split(pattern, behavior, invert)`, if there is one: see [`Scanner::is_dropped`] for what is removed.
    pub fn scanner_for(&self, behavior: Behavior, invert: bool) -> Option<Scanner> {
        self.0.scanner.as_ref()?.with_behavior(behavior, invert)
    }
}

fn span(start: usize, end: usize) -> ByteSpan {
    ByteSpan::new(start as u32, end as u32)
}

fn compile(node: &Node, pattern: &str) -> Result<fancy_regex::Regex> {
    fancy_regex::RegexBuilder::new(&emit::emit(node))
        .oniguruma_mode(true)
        .backtrack_limit(STEP_LIMIT)
        .delegate_size_limit(SIZE_LIMIT)
        .build()
        .map_err(|e| {
            let reason = match &e {
                fancy_regex::Error::CompileError(inner) if is_too_large(inner) => {
                    format!("with its repetitions written out it takes more than {} MiB", SIZE_LIMIT >> 20)
                }
                other => other.to_string(),
            };
            Error::spec("", format!("the pattern `{pattern}` cannot be compiled: {reason}"))
        })
}

fn is_too_large(error: &fancy_regex::CompileError) -> bool {
    matches!(error, fancy_regex::CompileError::InnerError(inner) if inner.size_limit().is_some())
}

fn by_regex(regex: &fancy_regex::Regex, text: &str, out: &mut Vec<ByteSpan>) -> Result<()> {
    let mut at = 0;
    let mut last_end = None;
    while at <= text.len() {
        let found = regex.find_from_pos(text, at).map_err(|e| {
            Error::Encode(format!("the pattern `{}` gave up behind byte {at} of the text: {e}", regex.as_str()))
        })?;
        // What the engine itself does is not known here: at least it reads up to the end of the match.
        steps::count(found.as_ref().map_or(text.len(), fancy_regex::Match::end) - at);
        let Some(found) = found else { break };
        let (start, end) = (found.start(), found.end());
        if start == end && last_end == Some(end) {
            // Behind a match, the search goes on one character further.
            at += text[at..].chars().next().map_or(1, char::len_utf8);
            continue;
        }
        at = end;
        last_end = Some(end);
        out.push(span(start, end));
    }
    Ok(())
}

fn by_scanner(scanner: &Scanner, text: &str, out: &mut Vec<ByteSpan>) {
    let (stage, table) = scanner.first();
    let mut at = 0;
    if let Some(matches) = stage.classes_of_matches() {
        // Every piece shows by its first character whether it is a match.
        let mut ends = [0; 256];
        loop {
            let count = scanner.scan(text, at, &mut ends);
            if count == 0 {
                return;
            }
            for &end in &ends[..count] {
                if matches >> table.at(text.as_bytes(), at).0 & 1 == 1 {
                    out.push(span(at, end as usize));
                }
                at = end as usize;
            }
        }
    }
    let window = Window { bytes: text.as_bytes(), closed: true };
    while at < text.len() {
        if let Ok(Some(end)) = stage.match_end(table, window, at) {
            out.push(span(at, end));
            at = end;
        } else {
            steps::count(1);
            at += table.at(window.bytes, at).1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &Pattern, text: &str) -> Result<Vec<(u32, u32)>> {
        let mut out = Vec::new();
        Matcher::new(pattern)?.matches(text, &mut out)?;
        Ok(out.into_iter().map(|span| (span.start, span.end)).collect())
    }

    #[test]
    fn texts_are_taken_as_they_stand() {
        let pattern = |text: &str| Pattern::String(text.to_owned());
        assert_eq!(matches(&pattern("a.b"), "a.baxb").unwrap(), [(0, 3)]);
        assert_eq!(matches(&pattern("aa"), "aaaaa").unwrap(), [(0, 2), (2, 4)]);
        assert_eq!(matches(&pattern(""), "añ").unwrap(), [(0, 0), (1, 1), (3, 3)]);
        assert_eq!(matches(&pattern(""), "").unwrap(), []);
    }

    #[test]
    fn an_empty_text_has_no_matches() {
        for pattern in ["^", "a*", r"\z"] {
            assert_eq!(matches(&Pattern::Regex(pattern.to_owned()), "").unwrap(), []);
        }
    }

    #[test]
    fn backtracking_ends_in_an_error() {
        let pattern = Pattern::Regex(r"(a|b|ab)*\1c".to_owned());
        let text = "ab".repeat(2_000);
        let error = matches(&pattern, &text).unwrap_err();
        assert!(matches!(error, Error::Encode(_)), "{error}");
        assert_eq!(matches(&pattern, "abbc").unwrap(), [(0, 4)]);
    }
}
