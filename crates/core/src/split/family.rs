//! Recognises the commonest family of patterns, whose pieces can be found by the masks of [`super::masks`].
//!
//! The family: words with something in front of them, numbers, runs of other characters, white space that leaves its last
//! character to the word behind it. GPT-2, cl100k, o200k, Llama 3, Qwen, `DeepSeek` and others are members. A pattern is
//! first tried on a few texts, which suggest the [`Rules`] that it might follow. Then a pattern is built from these rules,
//! and the two are *proved* to cut alike by walking their automata side by side: spelling plays no part.

use super::alphabet::{Alphabet, ClassTable};
use super::ast::Node;
use super::dfa::{DEAD, Dfa, MATCH};
use super::stage::{self, Keep, Rule};
use super::{fuse, nfa, parse, properties};
use hashbrown::HashMap;
use regex_syntax::hir::ClassUnicode;

/// What a word may begin with, in front of its letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lead {
    /// Nothing, and white space is left over between pieces.
    None,
    /// U+0020.
    Blank,
    /// Any one character that is no letter, number or line break.
    Any,
}

/// `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll`, `'d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contraction {
    None,
    /// Pieces of their own.
    Apart,
    /// At the end of words.
    Joined,
}

/// The ways in which members of the family differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent ways in which patterns differ")]
pub(super) struct Rules {
    pub(super) lead: Lead,
    pub(super) contraction: Contraction,
    /// Contractions in capitals too.
    pub(super) fold: bool,
    /// Most digits of a piece; 0 is without bound, and with a blank in front.
    pub(super) digits: u8,
    /// Numbers are cut out before all else, so that white space in front of them is whole.
    pub(super) digits_first: bool,
    /// Runs of other characters are cut out before all else, so that white space in front of them is whole.
    pub(super) others_first: bool,
    /// Runs of other characters take line breaks behind them along.
    pub(super) tail: bool,
    /// Slashes count among these line breaks.
    pub(super) slash: bool,
    /// White space up to its last line break is a piece.
    pub(super) lines: bool,
    /// White space at the end of the text is a piece even so.
    pub(super) end_whole: bool,
    /// Words are cut in front of capitals, and marks belong to them.
    pub(super) cased: bool,
    /// Words are of letters and marks; other characters are punctuation and symbols alone, and only such of ASCII go in
    /// front of letters, of ASCII too.
    pub(super) narrow: bool,
    /// Runs of some set, ideographs say, are cut out before all else.
    pub(super) runs: bool,
}

/// Bits of a character for the masks.
pub(super) mod bits {
    /// Part of a word.
    pub(in crate::split) const LETTER: u8 = 1;
    pub(in crate::split) const NUMBER: u8 = 2;
    /// White space.
    pub(in crate::split) const SPACE: u8 = 4;
    /// Line break: CR or LF.
    pub(in crate::split) const LINE: u8 = 8;
    /// A letter that begins a word behind [`LOWER`].
    pub(in crate::split) const UPPER: u8 = 16;
    /// Of the set whose runs are cut out. Never together with case.
    pub(in crate::split) const RUN: u8 = 16;
    pub(in crate::split) const LOWER: u8 = 32;
    /// A mark, which is part of a word only behind a letter.
    pub(in crate::split) const MARK: u8 = 64;
    /// Not within the proof: the automaton takes over.
    pub(in crate::split) const STOP: u8 = 128;
}

/// A member of the family: its rules, and the bits of each character.
pub(super) struct Member {
    pub(super) rules: Rules,
    pub(super) bits: ClassTable,
}

/// What the pattern behind `piece_end` (the end of the first piece of a text) might follow.
fn suggest(runs: bool, piece_end: impl Fn(&str) -> usize) -> Rules {
    let contraction = match (piece_end("'sx"), piece_end("x's")) {
        (2, _) => Contraction::Apart,
        (_, 3) => Contraction::Joined,
        _ => Contraction::None,
    };
    let fold = match contraction {
        Contraction::Apart => piece_end("'Sx") == 2,
        _ => piece_end("x'S") == 3,
    };
    let digits = match piece_end("1111") {
        4 => 0,
        digits => digits as u8,
    };
    let slash = piece_end("!\n/") == 3;
    let cased = piece_end("aB") == 1;
    let lead = match (piece_end("!x"), piece_end(" x")) {
        (2, _) => Lead::Any,
        (_, 2) => Lead::Blank,
        _ => Lead::None,
    };
    // White space that is left over is whole in any case.
    let spaced = lead != Lead::None;
    Rules {
        lead,
        contraction,
        fold,
        digits,
        digits_first: spaced && piece_end("  1") == 2,
        others_first: spaced && piece_end("  .") == 2,
        tail: piece_end("!\n") == 2,
        slash,
        lines: spaced && piece_end("\n \nx") == 3,
        end_whole: spaced && piece_end("\n ") == 2,
        cased,
        narrow: !cased && piece_end("a\u{301}") == 3,
        runs,
    }
}

impl Rules {
    /// Stages with these rules, in their plainest spelling; `run` is the set whose runs are cut out.
    fn stages(self, run: Option<&Node>) -> Option<Vec<Node>> {
        let blank = if self.lead == Lead::None { "" } else { " ?" };
        let digits = match self.digits {
            0 => format!(r"{blank}\p{{N}}+"),
            digits => format!(r"\p{{N}}{{1,{digits}}}"),
        };
        let mut branches = self.words();
        branches.push(digits.clone());
        let tail = match (self.tail, self.slash) {
            (false, _) => "",
            (true, false) => r"[\r\n]*",
            (true, true) => r"[\r\n/]*",
        };
        let other = if self.narrow { r"[\p{P}\p{S}]" } else { r"[^\s\p{L}\p{N}]" };
        let others = format!("{other}+{tail}");
        branches.push(format!("{blank}{others}"));
        if self.end_whole {
            branches.push(r"\s+\z".to_owned());
        }
        if self.lines {
            branches.push(r"\s*[\r\n]+".to_owned());
        }
        if self.lead != Lead::None {
            branches.push(r"\s+(?!\S)|\s+".to_owned());
        }
        let mut stages = Vec::new();
        if self.others_first {
            stages.push(parse::parse(&others).ok()?);
        }
        if self.digits_first {
            stages.push(parse::parse(&digits).ok()?);
        }
        stages.extend(run.cloned());
        stages.push(parse::parse(&branches.join("|")).ok()?);
        Some(stages)
    }

    /// The branches for words, and contractions.
    fn words(self) -> Vec<String> {
        if self.narrow {
            return vec![r"[!-/:-@\[-`{-~][A-Za-z]+".to_owned(), r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+".to_owned()];
        }
        let short = "'s|'t|'re|'ve|'m|'ll|'d";
        let short = if self.fold { format!("(?i:{short})") } else { format!("(?:{short})") };
        let lead = match self.lead {
            Lead::None => "",
            Lead::Blank => " ?",
            Lead::Any => r"[^\r\n\p{L}\p{N}]?",
        };
        let mut branches = Vec::new();
        if self.contraction == Contraction::Apart {
            branches.push(short.clone());
        }
        let ending = if self.contraction == Contraction::Joined { format!("{short}?") } else { String::new() };
        if self.cased {
            let (upper, lower) = (r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]");
            branches.push(format!("{lead}{upper}*{lower}+{ending}"));
            branches.push(format!("{lead}{upper}+{lower}*{ending}"));
        } else {
            branches.push(format!(r"{lead}\p{{L}}+{ending}"));
        }
        branches
    }

    /// The bits that the rules give the members of sets; `run` is the set whose runs are cut out.
    fn sets(self, run: Option<&ClassUnicode>) -> Option<Vec<(ClassUnicode, u8)>> {
        let property = |name| properties::property(name, false);
        let mut sets = vec![
            (property("L")?, bits::LETTER),
            (property("N")?, bits::NUMBER),
            (properties::space(), bits::SPACE),
            (line_breaks(), bits::LINE),
        ];
        if self.cased {
            let mut upper = property("Lu")?;
            upper.union(&property("Lt")?);
            sets.extend([(upper, bits::UPPER), (property("Ll")?, bits::LOWER), (property("M")?, bits::MARK)]);
        }
        if self.narrow {
            sets.push((property("M")?, bits::LETTER));
            let mut unknown = properties::any();
            for known in ["L", "M", "N", "P", "S", "White_Space"] {
                unknown.difference(&property(known)?);
            }
            sets.push((unknown, bits::STOP));
        }
        sets.extend(run.map(|run| (run.clone(), bits::RUN)));
        Some(sets)
    }
}

/// The set of a stage that cuts out its runs, if some of it would be parts of words.
fn run_of(node: &Node) -> Option<ClassUnicode> {
    let Node::Repeat { node, min: 1, max: None, .. } = node else { return None };
    let set = nfa::one_character(node)?;
    let mut letters = properties::property("L", false)?;
    letters.intersect(&set);
    (!letters.ranges().is_empty()).then_some(set)
}

fn line_breaks() -> ClassUnicode {
    let mut set = super::ast::single('\n');
    set.union(&super::ast::single('\r'));
    set
}

/// The member of the family that cuts like `rules`, of which `piece_end` tells the first piece of a text.
pub(super) fn recognize(rules: &[Rule], piece_end: impl Fn(&str) -> usize) -> Option<Member> {
    let (_, early) = rules.split_last()?;
    let run = early.iter().find_map(|rule| Some((&rule.node, run_of(&rule.node)?)));
    let (run_node, run_set) = run.unzip();
    let family = suggest(run_set.is_some(), piece_end);
    if family.runs && family.cased {
        return None;
    }
    let plain = family.stages(run_node)?.into_iter().map(|node| Rule { node, keep: Keep::All });
    let both: Vec<Rule> = rules.iter().cloned().chain(plain).collect();
    // One alphabet for both and for the bits, so that each class has bits of its own.
    let mut sets = both.iter().map(|rule| nfa::sets(&rule.node)).collect::<Option<Vec<_>>>()?.concat();
    let first = sets.len();
    let own = family.sets(run_set.as_ref())?;
    sets.extend(own.iter().map(|(set, _)| set.clone()));
    sets.push(everyday());
    let alphabet = Alphabet::new(&sets)?;
    let stages = stage::build_over(&both, &alphabet)?;
    let (given, plain) = stages.split_at(rules.len());
    let (given, plain) = (fuse::fuse(given)?, fuse::fuse(plain)?);
    let essential = *alphabet.members.last()?;
    let stops = differing(&given, &plain, essential)?;
    let of_class = |class: u8| {
        let named = own.iter().zip(&alphabet.members[first..]);
        let bits = named.filter(|(_, members)| **members >> class & 1 == 1).fold(0, |all, ((_, bit), _)| all | bit);
        // What is cut out first is nothing else, as long as it is of letters: of others the last stage may make several pieces.
        let bits = match bits {
            _ if !family.runs || bits & bits::RUN == 0 => bits,
            _ if bits == bits::RUN | bits::LETTER => bits::RUN,
            _ => bits::RUN | bits::STOP,
        };
        if stops >> class & 1 == 1 { bits | bits::STOP } else { bits }
    };
    Some(Member { rules: family, bits: alphabet.table_of(of_class) })
}

/// What a program that is worth having must be proved for: the letters and digits of ASCII, and what stands between words.
fn everyday() -> ClassUnicode {
    let range = regex_syntax::hir::ClassUnicodeRange::new;
    let single = [' ', '\n', '.', ','].map(|c| range(c, c));
    ClassUnicode::new([range('0', '9'), range('A', 'Z'), range('a', 'z')].into_iter().chain(single))
}

/// The classes without which two automata end the same pieces in every text; `None` if one of them is `essential`.
///
/// Up to the first character of such a class, too, what the second has decided is what the first decides.
fn differing(one: &Dfa, other: &Dfa, essential: u64) -> Option<u64> {
    let mut stops = 0u64;
    while let Some(path) = difference(one, other, stops) {
        // Of the classes on the way to a difference, the one that can be spared.
        let spare = path.into_iter().rev().find(|class| essential >> class & 1 == 0)?;
        stops |= 1 << spare;
    }
    Some(stops)
}

/// A state of each of two automata.
type Pair = (u16, u16);

/// The classes of a text without `stops` in which two automata differ.
fn difference(one: &Dfa, other: &Dfa, stops: u64) -> Option<Vec<usize>> {
    // An end that is noted, but always taken back by a later one, is no difference.
    let losing = (one.may_die(), other.may_die());
    let ends = |entry: u16, losing: &[u16]| {
        let next = entry & !MATCH;
        entry & MATCH != 0 && (next == DEAD || losing.contains(&next))
    };
    // Where the second has made up its mind, the first must not wait for more text, be it beyond the proof.
    let waiting = one.may_match();
    // How each pair of states was reached: from which pair, on which class.
    let mut origin: HashMap<Pair, Option<(Pair, usize)>> = HashMap::new();
    let start = (one.start, other.start);
    origin.insert(start, None);
    let mut todo = vec![start];
    while let Some(pair) = todo.pop() {
        for symbol in (0..one.symbols).filter(|symbol| stops >> symbol & 1 == 0) {
            let (first, second) = (one.entry(pair.0, symbol), other.entry(pair.1, symbol));
            let next = (first & !MATCH, second & !MATCH);
            let waits = next.1 == DEAD && waiting.contains(&next.0);
            if waits || ends(first, &losing.0) != ends(second, &losing.1) {
                let mut path = vec![];
                path.extend((symbol < one.end()).then_some(symbol));
                let mut at = pair;
                while let Some(Some((from, class))) = origin.get(&at) {
                    path.push(*class);
                    at = *from;
                }
                path.reverse();
                return Some(path);
            }
            // One that is dead ends nothing any more; the other must not either.
            if next != (DEAD, DEAD) && !origin.contains_key(&next) {
                origin.insert(next, Some((pair, symbol)));
                todo.push(next);
            }
        }
    }
    None
}
