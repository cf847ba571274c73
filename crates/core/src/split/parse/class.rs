//! Sets in brackets, with ranges, nesting, POSIX names and `&&`.

use super::Parser;
use crate::error::Result;
use crate::split::{fold, properties};
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// What has just been read in a set.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    /// Nothing that could begin a range.
    Start,
    /// A character, which may begin a range.
    Char(char),
    /// The end of a range, or a set in brackets: a hyphen behind it is a member.
    Range,
    /// A named set, which cannot begin a range.
    Set,
}

impl Parser {
    /// The set whose `[` at `at` has been read, and whether it is negated.
    pub(super) fn bracket(&mut self, at: usize) -> Result<(ClassUnicode, bool)> {
        self.enter()?;
        let negative = self.eat("^");
        let mut set = self.members(at)?;
        // Folding comes before negation.
        if self.options.ignore_case {
            fold::set(&mut set);
        }
        if negative {
            set.negate();
        }
        self.depth -= 1;
        Ok((set, negative))
    }

    fn members(&mut self, at: usize) -> Result<ClassUnicode> {
        let mut whole: Option<ClassUnicode> = None;
        let mut part = ClassUnicode::empty();
        let mut last = Last::Start;
        let mut first = true;
        loop {
            let here = self.at;
            let Some(c) = self.next() else {
                return Err(self.error("set without `]`", at));
            };
            match c {
                // A `]` in front is a member, if another one follows.
                ']' if !(first && self.chars[self.at..].contains(&']')) => {
                    if first {
                        return Err(self.error("empty set", at));
                    }
                    self.flush(&mut part, last);
                    return Ok(match whole {
                        Some(mut whole) => {
                            whole.intersect(&part);
                            whole
                        }
                        None => part,
                    });
                }
                '[' if self.peek() == Some(':') && self.posix(&mut part)? => {
                    self.flush(&mut part, last);
                    last = Last::Set;
                }
                '[' => {
                    self.flush(&mut part, last);
                    part.union(&self.bracket(here)?.0);
                    last = Last::Range;
                }
                '&' if self.peek() == Some('&') => {
                    self.at += 1;
                    self.flush(&mut part, last);
                    last = Last::Start;
                    let done = std::mem::replace(&mut part, ClassUnicode::empty());
                    match &mut whole {
                        Some(whole) => whole.intersect(&done),
                        None => whole = Some(done),
                    }
                }
                '-' if self.range_follows() => match last {
                    Last::Char(low) => {
                        let high = self.range_end(here)?;
                        if high < low {
                            return Err(self.error("empty range in a set", here));
                        }
                        part.push(ClassUnicodeRange::new(low, high));
                        last = Last::Range;
                    }
                    Last::Set => return Err(self.error("range that begins with a set", here)),
                    Last::Start | Last::Range => last = Last::Char('-'),
                },
                '\\' => {
                    self.flush(&mut part, last);
                    last = match self.set_escape(here, true)? {
                        Some(set) => {
                            part.union(&set);
                            Last::Set
                        }
                        None => Last::Char(self.member_escape(here)?),
                    };
                }
                c => {
                    self.flush(&mut part, last);
                    last = Last::Char(c);
                }
            }
            first = false;
        }
    }

    #[expect(clippy::unused_self, reason = "reads as a step of the parser")]
    fn flush(&self, part: &mut ClassUnicode, last: Last) {
        if let Last::Char(c) = last {
            part.push(ClassUnicodeRange::new(c, c));
        }
    }

    /// Behind a hyphen: is it the sign of a range, not a member?
    fn range_follows(&self) -> bool {
        match self.peek() {
            None | Some(']') => false,
            Some('&') => self.peek_at(1) != Some('&'),
            Some(_) => true,
        }
    }

    fn range_end(&mut self, at: usize) -> Result<char> {
        match self.next() {
            Some('[') => Err(self.error("range that ends with a set", at)),
            Some('\\') => {
                if self.set_escape(at, true)?.is_some() {
                    return Err(self.error("range that ends with a set", at));
                }
                self.member_escape(at)
            }
            Some(c) => Ok(c),
            None => Err(self.error("set without `]`", at)),
        }
    }

    fn member_escape(&mut self, at: usize) -> Result<char> {
        if self.eat("b") { Ok('\x08') } else { self.character(at) }
    }

    /// `[:name:]`, whose `[` has been read, into `part`; `false` if it is none.
    fn posix(&mut self, part: &mut ClassUnicode) -> Result<bool> {
        let start = self.at;
        self.at += 1;
        let negative = self.eat("^");
        let mut name = String::new();
        while let Some(c) = self.peek().filter(char::is_ascii_alphabetic) {
            name.push(c);
            self.at += 1;
        }
        if !self.eat(":]") {
            self.at = start;
            return Ok(false);
        }
        let Some(mut set) = properties::posix(&name) else {
            return Err(self.error(&format!("unknown POSIX set `{name}`"), start - 1));
        };
        if negative {
            set.negate();
        }
        part.union(&set);
        Ok(true)
    }
}
