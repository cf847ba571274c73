"""Conformance cases: read, and run on piecework or on the reference, which have the same surface."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Json = dict[str, Any]

FOLDER = Path(__file__).parents[2] / "conformance"
_OUTPUTS = (
    "normalized",
    "pretokens",
    "decoded",
    "ids",
    "tokens",
    "spans",
    "type_ids",
    "words",
    "sequences",
    "special",
    "attention",
)
_EMPTY_MODEL = {"type": "BPE", "vocab": {}, "merges": []}


@dataclass(frozen=True)
class Case:
    """One case of a file; `family` is its folder, `name` says which file and why."""

    name: str
    family: str
    tokenizer: str
    fields: Json = field(repr=False)

    @property
    def expected(self) -> Json:
        return {key: self.fields[key] for key in _OUTPUTS if key in self.fields}

    @property
    def error(self) -> list[str]:
        return list(self.fields.get("error", []))

    @property
    def reference_differs(self) -> bool:
        return str(self.fields.get("reference", "")).startswith("differs: ")


def read_cases() -> list[Case]:
    cases = []
    for file in sorted(FOLDER.glob("*/*.toml")):
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        for fields in content["case"]:
            name = f"{file.parent.name}/{file.stem}: {fields['why']}"
            tokenizer = content.get("tokenizers", {}).get(fields.get("tokenizer", "default"), "")
            if "component" in fields:
                named = content.get("components", {})
                fields["component"] = named.get(fields["component"], fields["component"])
            cases.append(Case(name, file.parent.name, tokenizer, fields))
    return cases


def run_case(case: Case, tokenizer_class: Any) -> Json:
    """What comes out of a case, with the keys that it expects."""
    results = {"normalizers": _normalizer, "pre_tokenizers": _pre_tokenizer, "decoders": _decoder}.get(
        case.family, _tokenizer
    )(case, tokenizer_class)
    return {key: results[key] for key in case.expected}


def _with(tokenizer_class: Any, **stages: Any) -> Any:
    return tokenizer_class.from_str(json.dumps({"model": _EMPTY_MODEL, **stages}))


def _normalizer(case: Case, tokenizer_class: Any) -> Json:
    text, component = case.fields["text"], json.loads(case.fields["component"])
    normalized = _with(tokenizer_class, normalizer=component).normalizer.normalize_str(text)
    # With a token for each character, the spans of the tokens are those of the characters.
    vocab = {character: i for i, character in enumerate(sorted(set(normalized)))}
    tokenizer = _with(tokenizer_class, normalizer=component, model={**_EMPTY_MODEL, "vocab": vocab})
    return {"normalized": normalized, "spans": [list(span) for span in tokenizer.encode(text).offsets]}


def _pre_tokenizer(case: Case, tokenizer_class: Any) -> Json:
    tokenizer = _with(tokenizer_class, pre_tokenizer=json.loads(case.fields["component"]))
    found = tokenizer.pre_tokenizer.pre_tokenize_str(case.fields["text"])
    return {"pretokens": [piece for piece, _ in found], "spans": [list(span) for _, span in found]}


def _decoder(case: Case, tokenizer_class: Any) -> Json:
    tokenizer = _with(tokenizer_class, decoder=json.loads(case.fields["component"]))
    return {"decoded": tokenizer.decoder.decode(case.fields["tokens_in"])}


def _tokenizer(case: Case, tokenizer_class: Any) -> Json:
    tokenizer = tokenizer_class.from_str(case.tokenizer)
    if "ids_in" in case.fields:
        skip = case.fields.get("skip_special_tokens", True)
        return {"decoded": tokenizer.decode(case.fields["ids_in"], skip_special_tokens=skip)}
    special = case.fields.get("add_special_tokens", True)
    encoding = tokenizer.encode(case.fields["text"], case.fields.get("pair"), add_special_tokens=special)
    return {
        "ids": encoding.ids,
        "tokens": encoding.tokens,
        "spans": [list(span) for span in encoding.offsets],
        "type_ids": encoding.type_ids,
        "words": [-1 if word is None else word for word in encoding.word_ids],
        "sequences": [-1 if sequence is None else sequence for sequence in encoding.sequence_ids],
        "special": encoding.special_tokens_mask,
        "attention": encoding.attention_mask,
    }
