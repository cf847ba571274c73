//! Decoding id by id, as a model that generates ids gives them.
//!
//! What comes out of a stream, joined, is what [`Program::decode`] gives for all its ids. A decoder becomes a chain of stages,
//! each with the little that it must remember: bytes of an unfinished character (three at most), a blank that only a further
//! token brings out, a suffix that may begin a match. So a step costs the same however long the stream is. Decoders whose
//! result cannot be foreseen so (a regular expression on joined tokens, components outside this crate) are run anew on all
//! ids at each step.

mod stage;
#[cfg(test)]
mod tests;

use crate::decoders::AnyDecoder;
use crate::error::Result;
use crate::program::Program;
use crate::steps;
use stage::{Part, Stage, common_prefix, flatten, run, stages};

/// A stream of ids on its way to text. It can be cloned at any point.
#[derive(Clone, Debug)]
pub struct DecodeStream {
    skip_special_tokens: bool,
    way: Option<Way>,
}

/// How the decoder at hand is run; settled at the first step.
#[derive(Clone, Debug)]
enum Way {
    Stages(Vec<Stage>),
    Anew { ids: Vec<u32>, written: String },
}

impl DecodeStream {
    /// A stream that has seen nothing yet.
    pub fn new(skip_special_tokens: bool) -> Self {
        Self { skip_special_tokens, way: None }
    }

    /// Take in ids; gives the text that they complete, or `None`. The decoder is that of the program of the first call.
    ///
    /// # Errors
    /// Those of the decoder.
    pub fn step(&mut self, program: &Program, ids: &[u32]) -> Result<Option<String>> {
        let mut out = String::new();
        match self.way.get_or_insert_with(|| Way::of(program.decoder())) {
            Way::Stages(stages) => {
                for &id in ids {
                    if let Some(token) = program.decode_token(id, self.skip_special_tokens) {
                        let part = Part { text: token.text.into_owned(), is_added: token.is_added, starts: true };
                        run(stages, part, &mut out)?;
                    }
                }
            }
            Way::Anew { ids: all, written } => {
                all.extend_from_slice(ids);
                steps::count(all.len());
                let text = program.decode(all, self.skip_special_tokens)?;
                let ready = text.trim_end_matches('\u{fffd}');
                if let Some(more) = ready.strip_prefix(written.as_str()) {
                    out.push_str(more);
                    written.push_str(more);
                }
            }
        }
        Ok(Some(out).filter(|text| !text.is_empty()))
    }

    /// End the stream; gives what was still held back, or `None`. The stream is as new afterwards.
    ///
    /// # Errors
    /// Those of the decoder.
    pub fn flush(&mut self, program: &Program) -> Result<Option<String>> {
        let mut out = String::new();
        match self.way.take() {
            None => {}
            Some(Way::Stages(mut stages)) => {
                for at in 0..stages.len() {
                    let (this, rest) = stages[at..].split_at_mut(1);
                    for part in this[0].finish() {
                        run(rest, part, &mut out)?;
                    }
                }
            }
            Some(Way::Anew { ids, written }) => {
                let text = program.decode(&ids, self.skip_special_tokens)?;
                // Where the decoder took back what came out, all behind the part that stood has not come out yet.
                out.push_str(&text[common_prefix(&text, &written)..]);
            }
        }
        Ok(Some(out).filter(|text| !text.is_empty()))
    }
}

impl Way {
    fn of(decoder: Option<&AnyDecoder>) -> Self {
        let Some(decoder) = decoder else { return Self::Stages(vec![Stage::Blanks { is_first: true }]) };
        let mut flat = Vec::new();
        flatten(decoder, &mut flat);
        match stages(&flat) {
            Some(stages) => Self::Stages(stages),
            None => Self::Anew { ids: Vec::new(), written: String::new() },
        }
    }
}
