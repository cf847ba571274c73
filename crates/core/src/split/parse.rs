//! Reads a pattern in the dialect of the reference: Oniguruma with Ruby syntax, UTF-8.
//!
//! What the dialect means is written down in the tree ([`Node`]); a construct that has no meaning there is refused with
//! its place, counted in characters from 0.

mod class;
mod escape;
mod group;

use super::ast::{Assertion, Greed, Node};
use super::{fold, properties};
use crate::error::{Error, Result};
use regex_syntax::hir::ClassUnicode;

/// Deepest nesting of groups and sets; the tree is walked by recursion.
const MAX_DEPTH: usize = 200;

/// Largest count of an interval, as in Oniguruma.
const MAX_REPEAT: u32 = 100_000;

/// The options that letters in `(?imx)` set.
#[derive(Clone, Copy, Default)]
struct Options {
    ignore_case: bool,
    dot_all: bool,
    extended: bool,
}

/// The state of reading one pattern.
pub(crate) struct Parser {
    chars: Vec<char>,
    at: usize,
    depth: usize,
    options: Options,
    /// Groups opened so far.
    groups: u32,
    /// Names with the numbers of their groups, in order.
    names: Vec<(String, Vec<u32>)>,
    /// Groups of the whole pattern, known from the start.
    total_groups: u32,
    /// With named groups, plain parentheses do not capture.
    has_names: bool,
    /// References that were read before their group: checked at the end.
    calls: Vec<(u32, usize)>,
}

/// Read `pattern`.
///
/// # Errors
/// [`Error::Spec`] that names the construct and its place.
pub(crate) fn parse(pattern: &str) -> Result<Node> {
    let mut parser = Parser::new(pattern);
    let node = parser.alternation()?;
    if parser.peek().is_some() {
        return Err(parser.error("unmatched `)`", parser.at));
    }
    if let Some(&(group, at)) = parser.calls.iter().find(|(group, _)| *group > parser.groups) {
        return Err(parser.error(&format!("reference to group {group}, which is not there"), at));
    }
    Ok(fold::resolve(node))
}

impl Parser {
    fn new(pattern: &str) -> Self {
        let chars: Vec<char> = pattern.chars().collect();
        let (total_groups, has_names, names) = group::survey(&chars);
        Self {
            chars,
            at: 0,
            depth: 0,
            options: Options::default(),
            groups: 0,
            names,
            total_groups,
            has_names,
            calls: Vec::new(),
        }
    }

    fn error(&self, what: &str, at: usize) -> Error {
        let pattern: String = self.chars.iter().collect();
        Error::spec("", format!("{what} at character {at} of the pattern `{pattern}`"))
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn eat(&mut self, text: &str) -> bool {
        let matches = text.chars().enumerate().all(|(i, c)| self.peek_at(i) == Some(c));
        if matches {
            self.at += text.chars().count();
        }
        matches
    }

    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(self.error("groups nested too deeply", self.at)) } else { Ok(()) }
    }

    /// Alternatives up to `)` or the end.
    fn alternation(&mut self) -> Result<Node> {
        self.enter()?;
        let mut branches = vec![self.sequence()?];
        while self.eat("|") {
            branches.push(self.sequence()?);
        }
        self.depth -= 1;
        Ok(Node::alternate(branches))
    }

    /// Items up to `|`, `)` or the end.
    fn sequence(&mut self) -> Result<Node> {
        let mut items = Vec::new();
        loop {
            self.skip_free_space();
            match self.peek() {
                None | Some('|' | ')') => break,
                Some('(') if self.isolated_options()? => {
                    // Ruby: the options hold for the rest of the group, alternatives included: `a(?i)b|c` is `a(?i:b|c)`.
                    items.push(self.alternation()?);
                    break;
                }
                Some(_) => {
                    let from = self.at;
                    let item = self.atom()?;
                    items.push(self.quantifiers(item, from)?);
                }
            }
        }
        Ok(Node::concat(items))
    }

    fn skip_free_space(&mut self) {
        while self.options.extended {
            match self.peek() {
                Some('#') => while self.next().is_some_and(|c| c != '\n') {},
                Some(c) if c.is_ascii_whitespace() || c == '\x0b' => self.at += 1,
                _ => return,
            }
        }
    }

    fn literal(&self, c: char) -> Node {
        if self.options.ignore_case { Node::Folded(c) } else { Node::literal(c) }
    }

    fn atom(&mut self) -> Result<Node> {
        let at = self.at;
        match self.next() {
            Some('(') => self.group(at),
            Some('[') => {
                let (set, negative) = self.bracket(at)?;
                Ok(if self.options.ignore_case && !negative { fold::members(set) } else { Node::Set(set) })
            }
            Some('\\') => self.escape(at),
            Some('.') => Ok(Node::Set(if self.options.dot_all { properties::any() } else { not_line_feed() })),
            Some('^') => Ok(Node::Assert(Assertion::LineStart)),
            Some('$') => Ok(Node::Assert(Assertion::LineEnd)),
            Some('*' | '+' | '?') => Err(self.error("nothing to repeat", at)),
            Some('{') => {
                self.at = at;
                if self.interval().is_some() {
                    return Err(self.error("nothing to repeat", at));
                }
                self.at = at + 1;
                Ok(self.literal('{'))
            }
            Some(c) => Ok(self.literal(c)),
            None => Ok(Node::Empty),
        }
    }

    /// `node`, which began at `from`, with any quantifiers behind it.
    fn quantifiers(&mut self, mut node: Node, from: usize) -> Result<Node> {
        loop {
            self.skip_free_space();
            let at = self.at;
            let (min, max, is_interval) = match self.peek() {
                Some('*') => (0, None, false),
                Some('+') => (1, None, false),
                Some('?') => (0, Some(1), false),
                Some('{') => match self.interval() {
                    Some((min, max)) => (min, max, true),
                    None => return Ok(node),
                },
                _ => return Ok(node),
            };
            if !is_interval {
                self.at += 1;
            }
            if matches!(node, Node::Assert(_) | Node::Look { .. }) {
                return Err(self.error("repetition of a condition", from));
            }
            if min.max(max.unwrap_or(0)) > MAX_REPEAT {
                return Err(self.error(&format!("interval above {MAX_REPEAT}"), at));
            }
            // `{n,m}` with n > m is possessive with the limits swapped; `{n}?` is an optional `{n}`, not a lazy one;
            // `+` makes only `?`, `*` and `+` possessive.
            let swapped = max.is_some_and(|max| max < min);
            let fixed = is_interval && max == Some(min) && !self.interval_has_comma(at);
            let greed = if swapped {
                Greed::Possessive
            } else if !fixed && self.eat("?") {
                Greed::Lazy
            } else if !is_interval && self.eat("+") {
                Greed::Possessive
            } else {
                Greed::Greedy
            };
            let (min, max) = if swapped { (max.unwrap_or(0), Some(min)) } else { (min, max) };
            if max.is_none() && min <= 1 {
                node = fold::repeated(node);
            }
            node = Node::Repeat { node: Box::new(node), min, max, greed };
        }
    }

    fn interval_has_comma(&self, from: usize) -> bool {
        self.chars[from..self.at].contains(&',')
    }

    /// `{n}`, `{n,}`, `{,m}` or `{n,m}`; nothing is consumed when it is none, for then the brace is a literal.
    fn interval(&mut self) -> Option<(u32, Option<u32>)> {
        let start = self.at;
        let parsed = self.interval_inside();
        if parsed.is_none() {
            self.at = start;
        }
        parsed
    }

    fn interval_inside(&mut self) -> Option<(u32, Option<u32>)> {
        self.at += 1;
        let low = self.number();
        let (min, max) = if self.eat(",") {
            let high = self.number();
            if low.is_none() && high.is_none() {
                return None;
            }
            (low.unwrap_or(0), high)
        } else {
            (low?, low)
        };
        self.eat("}").then_some((min, max))
    }

    /// A decimal number; one that is too large stays above every limit.
    fn number(&mut self) -> Option<u32> {
        let from = self.at;
        let mut value = 0u32;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            value = value.saturating_mul(10).saturating_add(digit);
            self.at += 1;
        }
        (self.at > from).then_some(value)
    }
}

/// `.` without the option `m`.
fn not_line_feed() -> ClassUnicode {
    let mut set = super::ast::single('\n');
    set.negate();
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    // What each refusal names, and at which character; the reference refuses the first dozen as well.
    #[test]
    fn what_cannot_be_read_is_refused_with_its_place() {
        for (pattern, what, at) in [
            ("ab(c", "unmatched `(`", 2),
            ("ab)", "unmatched `)`", 2),
            ("a|*", "nothing to repeat", 2),
            ("^*", "repetition of a condition", 0),
            ("x(?s)y", "group option `s`", 1),
            ("[z-a]", "empty range in a set", 2),
            ("a[]", "empty set", 1),
            ("[a", "set without `]`", 0),
            ("[[:foo:]]", "unknown POSIX set `foo`", 1),
            (r"\p{Nope}", "unknown character property `Nope`", 0),
            (r"(?<n>a)\1", "numbered back-reference beside named groups", 7),
            (r"a\k<x>", "reference to group `x`", 1),
            ("a\\", "backslash at the end", 1),
            (r"\y", r"text segment boundary `\y` is not supported", 0),
            (r"(?~|a|b)", "absent operator", 0),
            (r"(?{x})", "callout", 0),
            (r"\x{110000}", "code point 110000", 0),
        ] {
            let message = parse(pattern).unwrap_err().to_string();
            assert!(message.starts_with(what), "{pattern}: {message}");
            assert!(message.contains(&format!("at character {at} of")), "{pattern}: {message}");
        }
    }

    #[test]
    fn nesting_has_an_end() {
        let deep = "(".repeat(10_000) + &")".repeat(10_000);
        assert!(parse(&deep).unwrap_err().to_string().starts_with("groups nested too deeply"));
        let deep = "[".repeat(10_000) + "a" + &"]".repeat(10_000);
        assert!(parse(&deep).unwrap_err().to_string().starts_with("groups nested too deeply"));
    }
}
