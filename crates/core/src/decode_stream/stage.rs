//! What a decoder does in parts, with the little that it has to remember.

use crate::decoders::byte_fallback::byte_of;
use crate::decoders::{AnyDecoder, DecodeToken};
use crate::error::Result;
use crate::split::Pattern;
use crate::steps;
use crate::text::byte_alphabet::push_bytes;
use crate::text::word_mark::PrependScheme;

/// A token on its way through the stages, or a part of one.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) text: String,
    pub(super) is_added: bool,
    /// Whether a token starts here. What was before it has ended then.
    pub(super) starts: bool,
}

/// Put a part through all stages.
pub(super) fn run(stages: &mut [Stage], part: Part, out: &mut String) -> Result<()> {
    let Some((stage, rest)) = stages.split_first_mut() else {
        out.push_str(&part.text);
        return Ok(());
    };
    stage.push(part)?.into_iter().try_for_each(|part| run(rest, part, out))
}

/// What a decoder does, token by token, with what it has to remember.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    /// Blanks between tokens: what happens without a decoder.
    Blanks { is_first: bool },
    /// Decoders that look at one token at a time. `held` is what the last token becomes if another follows, and if none does.
    Tokenwise { decoders: Vec<AnyDecoder>, is_first: bool, held: Option<(String, String)> },
    /// Everything becomes one text of bytes.
    Bytes { pending: Vec<u8>, started: bool },
    /// Runs of byte pieces become text; `in_text` while good bytes of a run follow each other.
    Fallback { pending: Vec<u8>, in_text: bool },
    /// Everything becomes one token.
    Fuse { started: bool },
    /// Repeated tokens are dropped before the decoder sees them.
    Repeats { decoder: AnyDecoder, last: Option<String> },
    /// Copies of a character are stripped from the ends of a token that comes in parts.
    Strip { content: char, start: usize, stop: usize, left: usize, held: usize },
    /// A text is replaced in a token that comes in parts.
    Replace { from: String, to: String, held: String },
    /// The marks in front of the first token are dropped; `started` once it has begun, `done` once something else was seen.
    FirstMarks { mark: char, started: bool, done: bool },
}

/// A stretch of bytes read as UTF-8.
enum Read {
    Text(String),
    /// So many bytes that are of no character but may have been the start of one.
    Bad(usize),
}

pub(super) fn flatten<'a>(decoder: &'a AnyDecoder, out: &mut Vec<&'a AnyDecoder>) {
    match decoder {
        AnyDecoder::Sequence(sequence) => sequence.decoders.iter().for_each(|d| flatten(d, out)),
        other => out.push(other),
    }
}

/// The stages of a chain of decoders, or `None` where one of them cannot be run in parts.
pub(super) fn stages(decoders: &[&AnyDecoder]) -> Option<Vec<Stage>> {
    let mut out: Vec<Stage> = Vec::new();
    let mut whole = true; // whether tokens come in one part each
    for &decoder in decoders {
        match decoder {
            AnyDecoder::ByteLevel(_) if whole => {
                out.push(Stage::Bytes { pending: Vec::new(), started: false });
                whole = false;
            }
            AnyDecoder::ByteFallback(_) if whole => {
                out.push(Stage::Fallback { pending: Vec::new(), in_text: false });
                whole = false;
            }
            AnyDecoder::Fuse(_) => {
                out.push(Stage::Fuse { started: false });
                whole = false;
            }
            AnyDecoder::CTC(_) if whole => out.push(Stage::Repeats { decoder: decoder.clone(), last: None }),
            decoder if whole && decoder.as_dyn().is_tokenwise() => {
                if let Some(Stage::Tokenwise { decoders, .. }) = out.last_mut() {
                    decoders.push(decoder.clone());
                } else {
                    out.push(Stage::Tokenwise { decoders: vec![decoder.clone()], is_first: true, held: None });
                }
                whole = !ends_matter(decoder);
            }
            AnyDecoder::Strip(d) => {
                out.push(Stage::Strip { content: d.content, start: d.start, stop: d.stop, left: 0, held: 0 });
            }
            AnyDecoder::Replace(d) => match d.0.pattern() {
                Pattern::String(from) if !from.is_empty() => {
                    out.push(Stage::Replace { from: from.clone(), to: d.0.content().to_owned(), held: String::new() });
                }
                _ => return None,
            },
            AnyDecoder::Metaspace(d) => {
                if d.0.prepend_scheme != PrependScheme::Never {
                    out.push(Stage::FirstMarks { mark: d.0.replacement, started: false, done: false });
                }
                out.push(Stage::Replace { from: d.0.replacement.into(), to: " ".into(), held: String::new() });
            }
            _ => return None,
        }
    }
    Some(out)
}

/// Whether the last token of a list becomes another text than it would before others.
fn ends_matter(decoder: &AnyDecoder) -> bool {
    matches!(decoder, AnyDecoder::BPEDecoder(_))
}

impl Stage {
    /// Take in a part; gives what can be told of it.
    fn push(&mut self, part: Part) -> Result<Vec<Part>> {
        let mut out = Vec::new();
        steps::count(part.text.len() + self.held());
        match self {
            Self::Blanks { is_first } => {
                let blank = if std::mem::take(is_first) { "" } else { " " };
                out.push(Part { text: format!("{blank}{}", part.text), ..part });
            }
            Self::Tokenwise { decoders, is_first, held } => {
                if let Some((followed, _)) = held.take().filter(|(followed, _)| !followed.is_empty()) {
                    out.push(Part { text: followed, is_added: false, starts: false });
                }
                let was_first = std::mem::take(is_first);
                let token = || DecodeToken { text: part.text.as_str().into(), is_added: part.is_added };
                let followed = decode_one(decoders, token(), was_first, false)?;
                if !decoders.iter().any(ends_matter) {
                    out.push(Part { text: followed, ..part });
                    return Ok(out);
                }
                let last = decode_one(decoders, token(), was_first, true)?;
                let common = common_prefix(&followed, &last);
                *held = Some((followed[common..].to_owned(), last[common..].to_owned()));
                out.push(Part { text: followed[..common].to_owned(), ..part });
            }
            Self::Bytes { pending, started } => {
                if part.is_added || !push_bytes(&part.text, pending) {
                    pending.extend_from_slice(part.text.as_bytes());
                }
                let reads = take(pending).into_iter().map(|read| match read {
                    Read::Text(text) => text,
                    Read::Bad(_) => "\u{fffd}".to_owned(),
                });
                let text: String = reads.collect();
                if !text.is_empty() {
                    out.push(Part { text, is_added: false, starts: !std::mem::replace(started, true) });
                }
            }
            Self::Fallback { pending, in_text } => {
                if let Some(byte) = byte_of(&part.text) {
                    pending.push(byte);
                    for read in take(pending) {
                        push_read(read, in_text, &mut out);
                    }
                } else {
                    end_run(pending, in_text, &mut out);
                    out.push(part);
                }
            }
            Self::Fuse { started } => {
                out.push(Part { starts: !std::mem::replace(started, true), is_added: false, ..part });
            }
            Self::Repeats { decoder, last } => {
                if last.as_deref() != Some(part.text.as_str()) {
                    *last = Some(part.text.clone());
                    let token = DecodeToken { text: part.text.into(), is_added: part.is_added };
                    let decoded = decoder.as_dyn().decode_tokens(vec![token])?;
                    out.extend(decoded.into_iter().map(|t| Part {
                        text: t.text.into(),
                        is_added: t.is_added,
                        starts: true,
                    }));
                }
            }
            Self::Strip { content, start, stop, left, held } => {
                if part.starts {
                    // What was held at the end of the token before has to go.
                    (*left, *held) = (*start, 0);
                }
                let text = strip(&part.text, *content, *stop, left, held);
                out.push(Part { text, ..part });
            }
            Self::Replace { from, to, held } => {
                if part.starts && !held.is_empty() {
                    out.push(Part { text: std::mem::take(held), is_added: false, starts: false });
                }
                held.push_str(&part.text);
                let text = replace(held, from, to);
                out.push(Part { text, ..part });
            }
            Self::FirstMarks { mark, started, done } => {
                *done |= part.starts && std::mem::replace(started, true);
                let mut text = part.text.as_str();
                if !*done {
                    text = text.trim_start_matches(*mark);
                    *done = !text.is_empty();
                }
                out.push(Part { text: text.to_owned(), ..part });
            }
        }
        Ok(out)
    }

    /// Bytes that wait for what follows.
    fn held(&self) -> usize {
        match self {
            Self::Tokenwise { held, .. } => held.as_ref().map_or(0, |(followed, last)| followed.len() + last.len()),
            Self::Bytes { pending, .. } | Self::Fallback { pending, .. } => pending.len(),
            Self::Repeats { last, .. } => last.as_ref().map_or(0, String::len),
            Self::Replace { held, .. } => held.len(),
            Self::Strip { held, .. } => *held,
            Self::Blanks { .. } | Self::Fuse { .. } | Self::FirstMarks { .. } => 0,
        }
    }

    /// The end of the stream: what was held back.
    pub(super) fn finish(&mut self) -> Vec<Part> {
        let mut out = Vec::new();
        let rest = |text: String| Part { text, is_added: false, starts: false };
        match self {
            Self::Tokenwise { held, .. } => out.extend(held.take().map(|(_, last)| rest(last))),
            Self::Bytes { pending, started } => {
                if !pending.is_empty() {
                    let text = String::from_utf8_lossy(pending).into_owned();
                    out.push(Part { text, is_added: false, starts: !std::mem::replace(started, true) });
                    pending.clear();
                }
            }
            Self::Fallback { pending, in_text } => end_run(pending, in_text, &mut out),
            Self::Replace { held, .. } => out.push(rest(std::mem::take(held))),
            Self::Blanks { .. }
            | Self::Fuse { .. }
            | Self::Repeats { .. }
            | Self::Strip { .. }
            | Self::FirstMarks { .. } => {}
        }
        out
    }
}

/// Strip one part of a token: `left` copies may still go at its start, `held` ones may turn out to be at its end.
fn strip(part: &str, content: char, stop: usize, left: &mut usize, held: &mut usize) -> String {
    let mut text = String::with_capacity(part.len());
    for c in part.chars() {
        if c != content {
            text.extend(std::iter::repeat_n(content, std::mem::take(held)));
            text.push(c);
            *left = 0;
        } else if *left > 0 {
            *left -= 1;
        } else if *held < stop {
            *held += 1;
        } else {
            text.push(c);
        }
    }
    text
}

/// Replace what is found in `held`; what may be the start of a further match stays there.
fn replace(held: &mut String, from: &str, to: &str) -> String {
    let mut text = String::new();
    let mut rest = held.as_str();
    while let Some((before, behind)) = rest.split_once(from) {
        text.push_str(before);
        text.push_str(to);
        rest = behind;
    }
    let keep = unfinished(rest, from);
    text.push_str(&rest[..rest.len() - keep]);
    *held = rest[rest.len() - keep..].to_owned();
    text
}

/// What a chain of tokenwise decoders makes of a token, by its place in the list.
fn decode_one(decoders: &[AnyDecoder], token: DecodeToken<'_>, is_first: bool, is_last: bool) -> Result<String> {
    let other = || DecodeToken::ordinary("a");
    let mut tokens = vec![token];
    if !is_last {
        tokens.push(other());
    }
    if !is_first {
        tokens.insert(0, other());
    }
    for decoder in decoders {
        tokens = decoder.as_dyn().decode_tokens(tokens)?;
    }
    Ok(std::mem::take(&mut tokens[usize::from(!is_first)].text).into_owned())
}

/// Bytes that both texts start with, in whole characters.
pub(super) fn common_prefix(a: &str, b: &str) -> usize {
    a.char_indices().zip(b.chars()).find(|((_, x), y)| x != y).map_or_else(|| a.len().min(b.len()), |((at, _), _)| at)
}

/// How many bytes at the end of `text` may be the start of `pattern`.
fn unfinished(text: &str, pattern: &str) -> usize {
    let longest = text.len().min(pattern.len() - 1);
    (1..=longest).rev().find(|&n| text.as_bytes()[text.len() - n..] == pattern.as_bytes()[..n]).unwrap_or(0)
}

/// Take what bytes spell so far; an unfinished character, of three bytes at most, stays.
fn take(pending: &mut Vec<u8>) -> Vec<Read> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < pending.len() {
        let rest = &pending[at..];
        let (good, bad) = match std::str::from_utf8(rest) {
            Ok(_) => (rest.len(), Some(0)),
            Err(error) => (error.valid_up_to(), error.error_len()),
        };
        if good > 0 {
            out.push(Read::Text(String::from_utf8_lossy(&rest[..good]).into_owned()));
        }
        at += good;
        match bad {
            None => break,
            Some(0) => {}
            Some(n) => {
                out.push(Read::Bad(n));
                at += n;
            }
        }
    }
    pending.drain(..at);
    out
}

/// What a run of byte pieces spells: good bytes that follow each other are one token, each bad byte is one.
fn push_read(read: Read, in_text: &mut bool, out: &mut Vec<Part>) {
    match read {
        Read::Text(text) => out.push(Part { text, is_added: false, starts: !std::mem::replace(in_text, true) }),
        Read::Bad(n) => {
            out.extend((0..n).map(|_| Part { text: "\u{fffd}".to_owned(), is_added: false, starts: true }));
            *in_text = false;
        }
    }
}

fn end_run(pending: &mut Vec<u8>, in_text: &mut bool, out: &mut Vec<Part>) {
    push_read(Read::Bad(std::mem::take(pending).len()), in_text, out);
}
