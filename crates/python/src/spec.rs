//! `tokenizer.json`: read to the parts of a tokenizer, and written from them.

use crate::components::{Decoder, Normalizer, PostProcessor, PreTokenizer};
use crate::error::{guarded, to_py};
use crate::model::Model;
use crate::settings::{Padding, Truncation};
use piecework_core::added_tokens::AddedToken;
use piecework_core::error::Error;
use piecework_core::spec::{IdentifiedToken, Spec};
use pyo3::prelude::*;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(parse, module)?)?;
    module.add_function(wrap_pyfunction!(write, module)?)
}

/// An added token as Python passes it: its id, its content, and the five flags in the order of the file.
pub(crate) type Added = (u32, String, bool, bool, bool, bool, bool);

pub(crate) fn added_token((id, content, single_word, lstrip, rstrip, normalized, special): Added) -> (u32, AddedToken) {
    (id, AddedToken { content, single_word, lstrip, rstrip, normalized, special })
}

/// Parse a `tokenizer.json`: truncation, padding, added tokens, the five parts.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "the parts of a tokenizer, in the order of the file")]
fn parse(
    py: Python<'_>,
    json: &[u8],
) -> PyResult<(
    Option<Truncation>,
    Option<Padding>,
    Vec<Added>,
    Option<Normalizer>,
    Option<PreTokenizer>,
    Option<PostProcessor>,
    Option<Decoder>,
    Model,
)> {
    let spec = py.detach(|| {
        guarded(|| Spec::parse(std::str::from_utf8(json).map_err(|e| Error::spec("", format!("not UTF-8: {e}")))?))
    })?;
    let added = spec.added_tokens.into_iter().map(|IdentifiedToken { id, token: t }| {
        (id, t.content, t.single_word, t.lstrip, t.rstrip, t.normalized, t.special)
    });
    Ok((
        spec.truncation.map(Truncation),
        spec.padding.map(Padding),
        added.collect(),
        spec.normalizer.map(Normalizer),
        spec.pre_tokenizer.map(PreTokenizer),
        spec.post_processor.map(PostProcessor),
        spec.decoder.map(Decoder),
        Model(spec.model),
    ))
}

/// Write a `tokenizer.json`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the parts of a tokenizer, in the order of the file")]
fn write(
    py: Python<'_>,
    truncation: Option<&Truncation>,
    padding: Option<&Padding>,
    added_tokens: Vec<Added>,
    normalizer: Option<&Normalizer>,
    pre_tokenizer: Option<&PreTokenizer>,
    post_processor: Option<&PostProcessor>,
    decoder: Option<&Decoder>,
    model: &Model,
    pretty: bool,
) -> PyResult<String> {
    let identified = |added| {
        let (id, token) = added_token(added);
        IdentifiedToken { id, token }
    };
    let spec = Spec {
        truncation: truncation.map(|t| t.0.clone()),
        padding: padding.map(|p| p.0.clone()),
        added_tokens: added_tokens.into_iter().map(identified).collect(),
        normalizer: normalizer.map(|n| n.0.clone()),
        pre_tokenizer: pre_tokenizer.map(|p| p.0.clone()),
        post_processor: post_processor.map(|p| p.0.clone()),
        decoder: decoder.map(|d| d.0.clone()),
        model: model.0.clone(),
    };
    py.detach(|| spec.to_json(pretty)).map_err(to_py)
}
