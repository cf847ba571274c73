//! The syntax tree of a split pattern: what the Oniguruma dialect means, free of its spelling.

use regex_syntax::hir::ClassUnicode;

/// How a repetition chooses its count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Greed {
    /// As many as possible, fewer when the rest fails.
    Greedy,
    /// As few as possible, more when the rest fails.
    Lazy,
    /// As many as possible, never fewer.
    Possessive,
}

/// A condition on a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Assertion {
    /// `\A`
    TextStart,
    /// `\z`
    TextEnd,
    /// `\Z`: the end, or in front of a final line feed.
    TextEndOrLineFeed,
    /// `^`: the start, or behind a line feed that is not the last character.
    LineStart,
    /// `$`: the end, or in front of a line feed.
    LineEnd,
    /// `\b`
    WordBoundary,
    /// `\B`
    NotWordBoundary,
    /// `\G`: where the search began.
    SearchStart,
}

/// A piece of a pattern. Case folding and option letters are resolved by the parser.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// Matches nothing but the empty string.
    Empty,
    /// One character of a set; a literal is a set of one.
    Set(ClassUnicode),
    /// A literal without regard to case; [`super::fold::resolve`] puts sets in its place.
    Folded(char),
    /// One after the other.
    Concat(Vec<Node>),
    /// The first that leads to a match.
    Alternate(Vec<Node>),
    /// `min` to `max` times; `None` is without bound.
    Repeat { node: Box<Node>, min: u32, max: Option<u32>, greed: Greed },
    /// A group that counts; groups are numbered as they open, from 1.
    Capture(Box<Node>),
    /// `(?>...)`
    Atomic(Box<Node>),
    /// Look-ahead or look-behind.
    Look { ahead: bool, negative: bool, node: Box<Node> },
    /// A condition on a position.
    Assert(Assertion),
    /// What one of the groups (the last of a name first) matched.
    Backref { groups: Vec<u32>, fold: bool },
    /// `\K`: the match begins here.
    Keep,
    /// `(?~...)`: the longest text that does not hold a match of the inside.
    Absent(Box<Node>),
    /// `(?(n)yes|no)`
    Condition { group: u32, yes: Box<Node>, no: Box<Node> },
    /// `\g<n>`: the pattern of group n again; 0 is the whole.
    Call(u32),
}

impl Node {
    /// Can a match be empty? True in doubt.
    pub(crate) fn can_be_empty(&self) -> bool {
        match self {
            Self::Set(_) => false,
            Self::Concat(nodes) => nodes.iter().all(Self::can_be_empty),
            Self::Alternate(nodes) => nodes.iter().any(Self::can_be_empty),
            Self::Repeat { node, min, .. } => *min == 0 || node.can_be_empty(),
            Self::Capture(node) | Self::Atomic(node) => node.can_be_empty(),
            _ => true,
        }
    }

    /// Can what follows a character `c` be asked about right behind it? True in doubt.
    pub(crate) fn looks_ahead_behind(&self, c: char) -> bool {
        match self {
            Self::Empty | Self::Set(_) => false,
            Self::Concat(nodes) => nodes.iter().enumerate().any(|(i, node)| match node {
                Self::Look { .. } => i == 0 || nodes[..i].iter().any(|before| before.touches(c)),
                node => node.looks_ahead_behind(c),
            }),
            Self::Alternate(nodes) => nodes.iter().any(|node| node.looks_ahead_behind(c)),
            Self::Repeat { node, .. } | Self::Capture(node) | Self::Atomic(node) => node.looks_ahead_behind(c),
            _ => true,
        }
    }

    /// Can `c` be a part of a match, or what a match depends on? True in doubt.
    pub(crate) fn touches(&self, c: char) -> bool {
        match self {
            Self::Empty => false,
            Self::Set(set) => set.ranges().iter().any(|r| (r.start()..=r.end()).contains(&c)),
            Self::Concat(nodes) | Self::Alternate(nodes) => nodes.iter().any(|node| node.touches(c)),
            Self::Repeat { node, .. } | Self::Capture(node) | Self::Atomic(node) => node.touches(c),
            _ => true,
        }
    }

    /// The set of one character.
    pub(crate) fn literal(c: char) -> Self {
        Self::Set(single(c))
    }

    /// A sequence, with sequences inside flattened.
    pub(crate) fn concat(nodes: Vec<Self>) -> Self {
        let mut flat = Vec::with_capacity(nodes.len());
        for node in nodes {
            match node {
                Self::Empty => {}
                Self::Concat(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 => Self::Empty,
            1 => flat.swap_remove(0),
            _ => Self::Concat(flat),
        }
    }

    /// Alternatives; one alone is itself.
    pub(crate) fn alternate(mut nodes: Vec<Self>) -> Self {
        if nodes.len() == 1 { nodes.swap_remove(0) } else { Self::Alternate(nodes) }
    }

    /// Can this match the empty string? `true` when in doubt.
    pub(crate) fn nullable(&self) -> bool {
        match self {
            Self::Set(_) | Self::Folded(_) => false,
            Self::Concat(nodes) => nodes.iter().all(Self::nullable),
            Self::Alternate(nodes) => nodes.iter().any(Self::nullable),
            Self::Repeat { node, min, .. } => *min == 0 || node.nullable(),
            Self::Capture(node) | Self::Atomic(node) => node.nullable(),
            Self::Condition { yes, no, .. } => yes.nullable() || no.nullable(),
            _ => true,
        }
    }
}

/// The set of one character.
pub(crate) fn single(c: char) -> ClassUnicode {
    ClassUnicode::new([regex_syntax::hir::ClassUnicodeRange::new(c, c)])
}
