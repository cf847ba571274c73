//! Texts with their origin, and components written in Python that work on them.
//!
//! What Python sees of a text is a frozen object; the classes in `piecework.strings` replace it when they change.

use crate::components::Normalizer;
use crate::error::{foreign, guarded};
use piecework_core::decoders::{self, DecodeToken};
use piecework_core::error::Result;
use piecework_core::normalizers;
use piecework_core::pre_tokenizers;
use piecework_core::split::{Behavior, Matcher, Pattern, pieces};
use piecework_core::text::{self as core, ByteSpan, Piece, Pretokens};
use pyo3::prelude::*;
use std::ops::Range;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<AlignedText>()
}

/// A text, and for each of its bytes the bytes of the original text that it came from. Positions are in code points of the text.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct AlignedText(pub(crate) core::AlignedText);

impl AlignedText {
    /// The bytes of a range of code points, which is cut off at the end of the text.
    fn bytes(&self, start: usize, end: usize) -> Range<usize> {
        let text = self.0.as_str();
        let at = |n: usize| text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
        at(start)..at(end.max(start))
    }

    /// Write the text anew, character by character.
    fn rewritten(&self, mut write: impl FnMut(&mut core::Editor<'_>, char)) -> Self {
        let mut text = self.0.clone();
        let mut edit = text.edit();
        while let Some(c) = edit.rest().chars().next() {
            write(&mut edit, c);
        }
        edit.finish();
        Self(text)
    }
}

#[pymethods]
impl AlignedText {
    /// A text as it is.
    #[new]
    fn new(text: &str) -> Self {
        Self(core::AlignedText::new(text, 0))
    }

    /// The text.
    #[getter]
    fn text(&self) -> &str {
        self.0.as_str()
    }

    /// The bytes of the original text that a range came from. An empty range gives an empty one.
    fn origin(&self, start: usize, end: usize) -> (u32, u32) {
        let ByteSpan { start, end } = self.0.origin(self.bytes(start, end));
        (start, end)
    }

    /// A part of the text.
    fn slice(&self, start: usize, end: usize) -> Self {
        Self(self.0.slice(self.bytes(start, end)))
    }

    /// What a normalizer makes of the text.
    fn normalized(&self, py: Python<'_>, normalizer: &Normalizer) -> PyResult<Self> {
        py.detach(|| {
            guarded(|| {
                let mut text = self.0.clone();
                normalizer.0.as_dyn().normalize(&mut text)?;
                Ok(Self(text))
            })
        })
    }

    /// Upper case, character by character.
    fn uppercase(&self) -> Self {
        self.rewritten(|edit, c| {
            let span = edit.span_ahead(c.len_utf8());
            edit.skip(c.len_utf8());
            c.to_uppercase().for_each(|upper| edit.push_char(upper, span));
        })
    }

    /// Each character replaced by another one, or removed where there is None.
    fn mapped(&self, characters: Vec<Option<char>>) -> Self {
        let mut characters = characters.into_iter();
        self.rewritten(|edit, c| {
            let span = edit.span_ahead(c.len_utf8());
            edit.skip(c.len_utf8());
            if let Some(other) = characters.next().flatten() {
                edit.push_char(other, span);
            }
        })
    }

    /// With more text behind it, which takes the origin of the last character.
    fn appended(&self, more: &str) -> Self {
        let mut text = self.0.clone();
        let mut edit = text.edit();
        edit.keep(edit.rest().len());
        let span = edit.span_behind();
        edit.push(more, span);
        edit.finish();
        Self(text)
    }

    /// Cut at the matches of a pattern. `pattern` and `behavior` are JSON, as in the pre-tokenizer `Split`.
    fn split(&self, py: Python<'_>, pattern: &str, behavior: &str) -> PyResult<Vec<Self>> {
        let of_json = |e: serde_json::Error| piecework_core::error::Error::spec("", e);
        py.detach(|| {
            guarded(|| {
                let pattern: Pattern = serde_json::from_str(pattern).map_err(of_json)?;
                let behavior: Behavior = serde_json::from_str(behavior).map_err(of_json)?;
                let (mut matches, mut out) = (Vec::new(), Vec::new());
                Matcher::new(&pattern)?.matches(self.0.as_str(), &mut matches)?;
                pieces(self.0.as_str(), &matches, behavior, false, &mut out);
                Ok(out.into_iter().map(|(span, _)| Self(self.0.slice(span.range()))).collect())
            })
        })
    }
}

/// A component written in Python, as the core sees it. `piecework.strings` runs it.
#[derive(Debug)]
pub(crate) struct Foreign(pub(crate) Py<PyAny>);

impl Foreign {
    fn run<'py>(&self, py: Python<'py>, runner: &str, given: impl IntoPyObject<'py>) -> PyResult<Bound<'py, PyAny>> {
        let module = py.import("piecework.strings")?;
        module.getattr(runner)?.call1((self.0.bind(py), given))
    }
}

fn handle(py: Python<'_>, text: core::AlignedText) -> PyResult<Py<AlignedText>> {
    Py::new(py, AlignedText(text))
}

impl normalizers::Normalizer for Foreign {
    fn normalize(&self, text: &mut core::AlignedText) -> Result<()> {
        Python::attach(|py| {
            let given = handle(py, core::AlignedText::new(text.as_str(), 0))?;
            let result = self.run(py, "run_normalizer", given)?;
            *text = result.cast::<AlignedText>()?.get().0.behind(text, text.start());
            Ok(())
        })
        .map_err(foreign)
    }

    fn is_identity(&self, _: &str) -> bool {
        false
    }
}

impl pre_tokenizers::PreTokenizer for Foreign {
    fn pre_tokenize(&self, pretokens: &mut Pretokens) -> Result<()> {
        Python::attach(|py| {
            let whole = pretokens.text();
            let piece = |piece: &Piece| {
                handle(py, core::AlignedText::new(&whole.as_str()[piece.span.range()], piece.span.start))
            };
            let given = pretokens.pieces().iter().map(piece).collect::<PyResult<Vec<_>>>()?;
            let result = self.run(py, "run_pre_tokenizer", (whole.as_str(), given))?;
            let text = |text: PyResult<Bound<'_, PyAny>>| {
                let text = text?;
                let text = &text.cast::<AlignedText>()?.get().0;
                let (at, pieces) = (text.start(), pretokens.pieces());
                let start = match pieces.binary_search_by_key(&at, |piece| piece.span.start) {
                    Ok(same) => pieces[same].start,
                    Err(_) => whole.origin(at as usize..at as usize).start,
                };
                Ok(text.behind(whole, start))
            };
            let texts = result.try_iter()?.map(text).collect::<PyResult<_>>()?;
            *pretokens = Pretokens::from_texts(texts);
            Ok(())
        })
        .map_err(foreign)
    }
}

impl decoders::Decoder for Foreign {
    fn decode_tokens<'a>(&self, tokens: Vec<DecodeToken<'a>>) -> Result<Vec<DecodeToken<'a>>> {
        Python::attach(|py| {
            let given: Vec<&str> = tokens.iter().map(|token| token.text.as_ref()).collect();
            let texts: Vec<String> = self.run(py, "run_decoder", given)?.extract()?;
            Ok(texts.into_iter().map(DecodeToken::ordinary).collect())
        })
        .map_err(foreign)
    }
}
