//! What begins with a backslash.

use super::Parser;
use crate::error::Result;
use crate::split::ast::{Assertion, Node};
use crate::split::{grapheme, properties};
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

impl Parser {
    /// The escape outside of a set whose backslash at `at` has been read.
    pub(super) fn escape(&mut self, at: usize) -> Result<Node> {
        if let Some(set) = self.set_escape(at, false)? {
            return Ok(Node::Set(set));
        }
        let Some(c) = self.peek() else {
            return Err(self.error("backslash at the end", at));
        };
        let node = match c {
            'A' => Node::Assert(Assertion::TextStart),
            'z' => Node::Assert(Assertion::TextEnd),
            'Z' => Node::Assert(Assertion::TextEndOrLineFeed),
            'b' => Node::Assert(Assertion::WordBoundary),
            'B' => Node::Assert(Assertion::NotWordBoundary),
            'G' => Node::Assert(Assertion::SearchStart),
            'K' => Node::Keep,
            'R' => line_break(),
            'X' => grapheme::cluster(),
            'N' => Node::Set(super::not_line_feed()),
            'O' => Node::Set(properties::any()),
            'y' | 'Y' => return Err(self.error(&format!("text segment boundary `\\{c}` is not supported"), at)),
            'k' => return self.backreference(at),
            'g' => return self.call(at),
            '1'..='9' => return self.numbered(at),
            _ => return self.characters(at),
        };
        self.at += 1;
        Ok(node)
    }

    /// `\d`, `\p{..}` and the others that stand for a set, inside of sets and outside.
    pub(super) fn set_escape(&mut self, at: usize, in_set: bool) -> Result<Option<ClassUnicode>> {
        let Some(c) = self.peek() else { return Ok(None) };
        let mut set = match c.to_ascii_lowercase() {
            'd' => properties::digit(),
            'w' if in_set => properties::member_word(),
            'w' => properties::word(),
            's' => properties::space(),
            'h' => properties::hexadecimal(),
            'p' if self.peek_at(1) == Some('{') => {
                self.at += 2;
                return self.property(c == 'P', in_set, at).map(Some);
            }
            _ => return Ok(None),
        };
        if c.is_ascii_uppercase() {
            set.negate();
        }
        self.at += 1;
        Ok(Some(set))
    }

    fn property(&mut self, negative: bool, in_set: bool, at: usize) -> Result<ClassUnicode> {
        let circumflex = self.eat("^");
        let name = self.name_until('}', at)?;
        let Some(mut set) = properties::property(&name, in_set) else {
            return Err(self.error(&format!("unknown character property `{name}`"), at));
        };
        if negative != circumflex {
            set.negate();
        }
        Ok(set)
    }

    /// A literal, or several for `\x{41 42}`, `\o{101 102}` and bytes in hexadecimal.
    fn characters(&mut self, at: usize) -> Result<Node> {
        if matches!(self.peek(), Some('x' | 'o')) && self.peek_at(1) == Some('{') {
            let codes = self.code_points(at)?;
            return Ok(Node::concat(codes.into_iter().map(|c| self.literal(c)).collect()));
        }
        self.character(at).map(|c| self.literal(c))
    }

    /// The one character of an escape that stands for a character; its backslash has been read.
    pub(super) fn character(&mut self, at: usize) -> Result<char> {
        let Some(c) = self.next() else {
            return Err(self.error("backslash at the end", at));
        };
        let code = match c {
            't' => 0x09,
            'n' => 0x0A,
            'v' => 0x0B,
            'f' => 0x0C,
            'r' => 0x0D,
            'a' => 0x07,
            'e' => 0x1B,
            'x' | 'o' if self.peek() == Some('{') => {
                self.at -= 1;
                let codes = self.code_points(at)?;
                let [one] = codes[..] else {
                    return Err(self.error("several characters where one can stand", at));
                };
                u32::from(one)
            }
            'x' => return self.bytes(at),
            'u' => self.digits(16, 4, 4, at)?,
            '0'..='7' => {
                self.at -= 1;
                self.digits(8, 1, 3, at)?
            }
            'c' => return self.control(at),
            'C' if self.eat("-") => return self.control(at),
            'M' if self.eat("-") => return Err(self.error("meta escape `\\M-` is not supported", at)),
            other => u32::from(other),
        };
        char::from_u32(code).ok_or_else(|| self.error(&format!("code point {code:X}, which is no character,"), at))
    }

    fn control(&mut self, at: usize) -> Result<char> {
        let c = match self.next() {
            Some('?') => return Ok('\x7F'),
            Some('\\') => self.character(at)?,
            Some(c) => c,
            None => return Err(self.error("control escape without a character", at)),
        };
        // The rule is the low five bits of the code point.
        char::from_u32(u32::from(c) & 0x9F).ok_or_else(|| self.error("control escape of this character", at))
    }

    /// `x{41 42}`, or `o{101 102}` with octal numbers, behind the backslash.
    fn code_points(&mut self, at: usize) -> Result<Vec<char>> {
        let (base, most) = if self.peek() == Some('o') { (8, 11) } else { (16, 8) };
        self.at += 2;
        let mut codes = Vec::new();
        loop {
            while self.peek().is_some_and(|c| matches!(c, ' ' | '\n')) {
                self.at += 1;
            }
            if self.eat("}") && !codes.is_empty() {
                return Ok(codes);
            }
            let code = self.digits(base, 1, most, at)?;
            let Some(c) = char::from_u32(code) else {
                return Err(self.error(&format!("code point {code:X}, which is no character,"), at));
            };
            codes.push(c);
        }
    }

    /// `\xE3\x81\x82`: the bytes of one character in UTF-8, behind the first `\x`.
    fn bytes(&mut self, at: usize) -> Result<char> {
        let mut bytes = vec![self.byte(at)?];
        loop {
            match std::str::from_utf8(&bytes) {
                Ok(text) => {
                    if let Some(c) = text.chars().next() {
                        return Ok(c);
                    }
                }
                Err(e) if e.error_len().is_some() => break,
                Err(_) => {}
            }
            if !self.eat("\\x") {
                break;
            }
            bytes.push(self.byte(at)?);
        }
        Err(self.error("bytes that are not UTF-8", at))
    }

    fn byte(&mut self, at: usize) -> Result<u8> {
        let value = if self.peek().is_some_and(|c| c.is_ascii_hexdigit()) { self.digits(16, 1, 2, at)? } else { 0 };
        Ok(value as u8)
    }

    fn digits(&mut self, base: u32, least: usize, most: usize, at: usize) -> Result<u32> {
        let from = self.at;
        let mut value = 0u32;
        while self.at - from < most {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(base)) else { break };
            value = value.saturating_mul(base).saturating_add(digit);
            self.at += 1;
        }
        if self.at - from < least { Err(self.error("too few digits in the escape", at)) } else { Ok(value) }
    }

    /// `\k<name>` or `\k'name'`.
    fn backreference(&mut self, at: usize) -> Result<Node> {
        let name = self.bracketed_name(at)?;
        let groups = self.reference(&name, at)?;
        if groups == [0] {
            return Err(self.error("back-reference to group 0", at));
        }
        Ok(Node::Backref { groups: groups.into_iter().rev().collect(), fold: self.options.ignore_case })
    }

    /// `\g<name>`
    fn call(&mut self, at: usize) -> Result<Node> {
        let name = self.bracketed_name(at)?;
        let groups = self.reference(&name, at)?;
        let [group] = groups[..] else {
            return Err(self.error(&format!("call of `{name}`, which names several groups,"), at));
        };
        self.calls.push((group, at));
        Ok(Node::Call(group))
    }

    fn bracketed_name(&mut self, at: usize) -> Result<String> {
        self.at += 1;
        let close = match self.next() {
            Some('<') => '>',
            Some('\'') => '\'',
            _ => return Err(self.error("reference without a name", at)),
        };
        self.name_until(close, at)
    }

    /// `\1`: a back-reference when there are so many groups, else an octal code.
    fn numbered(&mut self, at: usize) -> Result<Node> {
        let start = self.at;
        let number = self.number().unwrap_or(0);
        if number <= self.total_groups || number <= 9 {
            if self.has_names {
                return Err(self.error("numbered back-reference beside named groups", at));
            }
            if number > self.total_groups {
                return Err(self.error(&format!("reference to group {number}, which is not there"), at));
            }
            return Ok(Node::Backref { groups: vec![number], fold: self.options.ignore_case });
        }
        self.at = start;
        self.character(at).map(|c| self.literal(c))
    }
}

/// `\R`: a line break; CR LF is never taken apart.
fn line_break() -> Node {
    let pair = Node::Concat(vec![Node::literal('\r'), Node::literal('\n')]);
    let one = ClassUnicode::new([
        ClassUnicodeRange::new('\n', '\r'),
        ClassUnicodeRange::new('\u{85}', '\u{85}'),
        ClassUnicodeRange::new('\u{2028}', '\u{2029}'),
    ]);
    Node::Atomic(Box::new(Node::Alternate(vec![pair, Node::Set(one)])))
}
