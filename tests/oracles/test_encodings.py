"""Encodings that are padded, cut, joined and asked give what those of the reference give, in any order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import tokenizers as reference
from hypothesis import given
from hypothesis import strategies as st

import piecework
from support.texts import texts, texts_or_none

if TYPE_CHECKING:
    from collections.abc import Callable

VOCAB = {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "low": 3, "##er": 4, "hello": 5, "a": 6, "##b": 7, ".": 8}

sides = st.sampled_from(("left", "right"))
lengths = st.integers(0, 12)
changes = st.one_of(
    st.fixed_dictionaries(
        {
            "length": lengths,
            "direction": sides,
            "pad_id": st.integers(0, 3),
            "pad_type_id": st.integers(0, 2),
            "pad_token": st.sampled_from(("[PAD]", "")),
        }
    ).map(lambda options: ("pad", options)),
    st.fixed_dictionaries({"max_length": lengths, "stride": st.integers(0, 3), "direction": sides}).map(
        lambda options: ("truncate", options)
    ),
)
sequence_changes = changes | st.integers(0, 2).map(lambda number: ("set_sequence_id", {"sequence_id": number}))
processors = st.sampled_from(
    (
        "None",
        "p.processors.BertProcessing(('[SEP]', 2), ('[CLS]', 1))",
        "p.processors.RobertaProcessing(('[SEP]', 2), ('[CLS]', 1))",
        "p.processors.TemplateProcessing('[CLS]:2 $A', '$B:3 [SEP] $A:1', [('[CLS]', 1), ('[SEP]', 2)])",
    )
)


def tokenizer(package: Any, processor: str) -> Any:
    made = package.Tokenizer(package.models.WordPiece(VOCAB, unk_token="[UNK]"))
    made.normalizer = package.normalizers.BertNormalizer()
    made.pre_tokenizer = package.pre_tokenizers.BertPreTokenizer()
    made.post_processor = eval(processor, {"p": package})
    return made


def change(encoding: Any, step: tuple[str, dict[str, Any]]) -> bool:
    """Change an encoding; whether that was allowed."""
    name, options = step
    try:
        getattr(encoding, name)(**options)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return False
    return True


COLUMNS = (
    "ids",
    "type_ids",
    "tokens",
    "offsets",
    "word_ids",
    "sequence_ids",
    "special_tokens_mask",
    "attention_mask",
    "n_sequences",
)


def shown(encoding: Any, *, by_token: bool = True, types_of_overflow: bool = True) -> dict[str, Any]:
    """All that an encoding answers; without what it says of single tokens, or the type ids of what overflowed."""
    places = range(14)
    out: dict[str, Any] = {name: getattr(encoding, name) for name in COLUMNS}
    for name in ("char_to_token", "char_to_word", "word_to_tokens", "word_to_chars"):
        out[name] = [getattr(encoding, name)(at, sequence) for at in places for sequence in range(3)]
    for name in ("token_to_sequence", "token_to_chars", "token_to_word") if by_token else ():
        # One past the last token is of the first sequence in the reference, if the sequences are not told apart.
        out[name] = [getattr(encoding, name)(at) for at in places if at != len(encoding)]
    out["overflowing"] = [
        shown(part, by_token=by_token, types_of_overflow=types_of_overflow) for part in encoding.overflowing
    ]
    for part in out["overflowing"]:
        if not types_of_overflow:
            del part["type_ids"]
    return out


def both(run: Callable[[Any], Any]) -> None:
    """Whether a program does the same with both packages."""
    assert run(piecework) == run(reference)


@given(text=texts, pair=texts_or_none, processor=processors, steps=st.lists(changes, max_size=5))
def test_changes(text: str, pair: str | None, processor: str, steps: list[Any]) -> None:
    def run(package: Any) -> Any:
        encoding = tokenizer(package, processor).encode(text, pair)
        return shown(encoding), [(change(encoding, step), shown(encoding)) for step in steps]

    both(run)


@given(text=texts, pair=texts_or_none, processor=processors, steps=st.lists(sequence_changes, max_size=5))
def test_sequences_that_overlap(text: str, pair: str | None, processor: str, steps: list[Any]) -> None:
    """Of which one a token is the reference says now this way, now that."""

    def run(package: Any) -> Any:
        encoding = tokenizer(package, processor).encode(text, pair)
        return [(change(encoding, step), shown(encoding, by_token=False)) for step in steps]

    both(run)


parts = st.tuples(texts, texts_or_none, st.lists(changes, max_size=2))


@given(
    given=st.lists(parts, max_size=4),
    processor=processors,
    growing=st.booleans(),
    steps=st.lists(changes, max_size=2),
)
def test_merge(given: list[Any], processor: str, growing: bool, steps: list[Any]) -> None:
    def run(package: Any) -> Any:
        made, encodings = tokenizer(package, processor), []
        for text, pair, changed in given:
            encodings.append(made.encode(text, pair))
            for step in changed:
                change(encodings[-1], step)
        merged = package.Encoding.merge(encodings, growing)
        return shown(merged), [(change(merged, step), shown(merged)) for step in steps]

    both(run)


halves = st.tuples(texts, st.lists(changes, max_size=2))


@given(first=halves, second=st.none() | halves, processor=processors, special=st.booleans())
def test_process(first: Any, second: Any, processor: str, special: bool) -> None:
    """Texts that no processor has seen: the reference loses sequence ids that the first has, and types of overflow."""

    def run(package: Any) -> Any:
        made, encodings = tokenizer(package, "None"), []
        for text, changed in filter(None, (first, second)):
            encodings.append(made.encode(text))
            for step in changed:
                change(encodings[-1], step)
        made.post_processor = eval(processor, {"p": package})
        pair = encodings[1] if second else None
        return shown(made.post_process(encodings[0], pair, special), types_of_overflow=False)

    both(run)
