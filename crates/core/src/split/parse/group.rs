//! Groups, options, look-around and what else begins with `(?`.

use super::{Options, Parser};
use crate::error::Result;
use crate::split::ast::Node;

/// The number of capturing groups, whether some are named, and the names with the numbers of their groups.
pub(super) fn survey(chars: &[char]) -> (u32, bool, Vec<(String, Vec<u32>)>) {
    let (mut plain, mut with_name) = (0, 0);
    let mut names: Vec<(String, Vec<u32>)> = Vec::new();
    let mut depth_of_set = 0usize;
    let mut at = 0;
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 1,
            '[' => depth_of_set += 1,
            ']' => depth_of_set = depth_of_set.saturating_sub(1),
            '(' if depth_of_set == 0 => match (chars.get(at + 1), chars.get(at + 2), chars.get(at + 3)) {
                (Some('?'), Some('<'), Some('=' | '!')) => {}
                (Some('?'), Some(&open @ ('<' | '\'')), _) => {
                    let close = if open == '<' { '>' } else { open };
                    let name: String = chars[at + 3..].iter().take_while(|c| **c != close).collect();
                    with_name += 1;
                    match names.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, groups)) => groups.push(with_name),
                        None => names.push((name, vec![with_name])),
                    }
                }
                // The second parenthesis of `(?(1)..)` encloses a condition.
                (Some('?'), Some('('), _) => at += 2,
                (Some('?' | '*'), _, _) => {}
                _ => plain += 1,
            },
            _ => {}
        }
        at += 1;
    }
    if with_name > 0 { (with_name, true, names) } else { (plain, false, names) }
}

impl Parser {
    /// The group whose `(` at `at` has been read.
    pub(super) fn group(&mut self, at: usize) -> Result<Node> {
        let outer = self.options;
        let node = self.group_inside(at)?;
        self.options = outer;
        Ok(node)
    }

    fn group_inside(&mut self, at: usize) -> Result<Node> {
        if self.peek() == Some('*') && self.peek_at(1).is_some_and(|c| c.is_ascii_uppercase()) {
            return Err(self.error("callout `(*...)` is not supported", at));
        }
        if !self.eat("?") {
            if self.has_names {
                return self.close(at);
            }
            return self.capture(at);
        }
        let look = |ahead, negative| move |node| Node::Look { ahead, negative, node: Box::new(node) };
        if self.eat("#") {
            while let Some(c) = self.next() {
                match c {
                    ')' => return Ok(Node::Empty),
                    '\\' => self.at += 1,
                    _ => {}
                }
            }
            return Err(self.error("comment without an end", at));
        }
        if self.eat(":") {
            return self.close(at);
        }
        if self.eat("=") {
            return self.close(at).map(look(true, false));
        }
        if self.eat("!") {
            return self.close(at).map(look(true, true));
        }
        if self.eat("<=") {
            return self.close(at).map(look(false, false));
        }
        if self.eat("<!") {
            return self.close(at).map(look(false, true));
        }
        if self.eat(">") {
            return Ok(Node::Atomic(Box::new(self.close(at)?)));
        }
        if self.eat("~") {
            if self.peek() == Some('|') {
                return Err(self.error("absent operator `(?~|...)` is not supported", at));
            }
            return Ok(Node::Absent(Box::new(self.close(at)?)));
        }
        if self.eat("(") {
            return self.condition(at);
        }
        match self.peek() {
            Some(open @ ('<' | '\'')) => {
                self.at += 1;
                let close = if open == '<' { '>' } else { '\'' };
                let name = self.name_until(close, at)?;
                if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
                    return Err(self.error(&format!("group name `{name}`"), at));
                }
                self.capture(at)
            }
            Some('{') => Err(self.error("callout `(?{...})` is not supported", at)),
            Some(_) => {
                self.options = self.option_letters(at)?;
                if self.eat(":") { self.close(at) } else { Err(self.error("unknown group", at)) }
            }
            None => Err(self.error("unmatched `(`", at)),
        }
    }

    /// The inside of a group and its `)`.
    fn close(&mut self, at: usize) -> Result<Node> {
        let node = self.alternation()?;
        if self.eat(")") { Ok(node) } else { Err(self.error("unmatched `(`", at)) }
    }

    fn capture(&mut self, at: usize) -> Result<Node> {
        self.groups += 1;
        Ok(Node::Capture(Box::new(self.close(at)?)))
    }

    /// `(?(1)yes|no)`, behind its second parenthesis.
    fn condition(&mut self, at: usize) -> Result<Node> {
        let close = match self.peek() {
            Some('<') => Some('>'),
            Some('\'') => Some('\''),
            _ => None,
        };
        let group = if let Some(close) = close {
            self.at += 1;
            let name = self.name_until(close, at)?;
            self.reference(&name, at)?.last().copied()
        } else {
            self.number()
        };
        let Some(group) = group.filter(|_| self.eat(")")) else {
            return Err(self.error("condition that is not a group is not supported", at));
        };
        if group == 0 || group > self.total_groups {
            return Err(self.error(&format!("reference to group {group}, which is not there"), at));
        }
        let yes = self.sequence()?;
        let no = if self.eat("|") { self.sequence()? } else { Node::Empty };
        if !self.eat(")") {
            return Err(self.error("condition with more than two branches, or unmatched `(`", at));
        }
        Ok(Node::Condition { group, yes: Box::new(yes), no: Box::new(no) })
    }

    /// Is this `(?imx)`, options for the rest of the group? If so they are set and consumed.
    pub(super) fn isolated_options(&mut self) -> Result<bool> {
        let at = self.at;
        if self.peek_at(1) != Some('?') || !self.peek_at(2).is_some_and(|c| matches!(c, 'i' | 'm' | 'x' | '-')) {
            return Ok(false);
        }
        self.at += 2;
        let options = self.option_letters(at)?;
        if self.eat(")") {
            self.options = options;
            return Ok(true);
        }
        self.at = at;
        Ok(false)
    }

    /// Letters such as `im-x` up to `)` or `:`.
    fn option_letters(&mut self, at: usize) -> Result<Options> {
        let mut options = self.options;
        let mut on = true;
        loop {
            match self.peek() {
                Some('-') => on = false,
                Some('i') => options.ignore_case = on,
                Some('m') => options.dot_all = on,
                Some('x') => options.extended = on,
                Some(')' | ':') => return Ok(options),
                Some(c) => return Err(self.error(&format!("group option `{c}`, expected `i`, `m` or `x`,"), at)),
                None => return Err(self.error("unmatched `(`", at)),
            }
            self.at += 1;
        }
    }

    /// The characters up to `close`, which is consumed.
    pub(super) fn name_until(&mut self, close: char, at: usize) -> Result<String> {
        let mut name = String::new();
        while let Some(c) = self.next() {
            if c == close {
                return Ok(name);
            }
            name.push(c);
        }
        Err(self.error(&format!("name without `{close}`"), at))
    }

    /// The groups that a name or a (relative) number stands for.
    pub(super) fn reference(&self, name: &str, at: usize) -> Result<Vec<u32>> {
        if let Some((_, groups)) = self.names.iter().find(|(known, _)| known == name) {
            return Ok(groups.clone());
        }
        let missing = || self.error(&format!("reference to group `{name}`, which is not there,"), at);
        if self.has_names {
            return Err(missing());
        }
        let number: i64 = name.parse().map_err(|_| missing())?;
        let absolute = match name.as_bytes()[0] {
            b'-' => i64::from(self.groups) + 1 + number,
            b'+' => i64::from(self.groups) + number,
            _ => number,
        };
        u32::try_from(absolute)
            .ok()
            .filter(|group| *group <= self.total_groups)
            .map(|group| vec![group])
            .ok_or_else(missing)
    }
}
