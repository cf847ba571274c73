"""The exception tree, and that nothing else comes out for bad input."""

from __future__ import annotations

import pickle

import pytest

import piecework
from piecework import PieceworkError, SpecError, Tokenizer, errors

ALL = [getattr(errors, name) for name in errors.__all__]


@pytest.mark.parametrize("error", ALL, ids=lambda error: error.__name__)
def test_every_error_is_a_piecework_error(error: type[Exception]) -> None:
    assert issubclass(error, PieceworkError)
    assert issubclass(error, Exception)
    assert error.__module__ == "piecework.errors"


def test_a_spec_error_says_where_and_what() -> None:
    with pytest.raises(SpecError) as caught:
        Tokenizer.from_str('{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "x"]]}}')
    error = caught.value
    assert error.path == "model.merges[0]"
    assert "`x`" in error.reason
    assert str(error) == f"{error.path}: {error.reason}"
    assert isinstance(error, ValueError)
    twin = pickle.loads(pickle.dumps(error))
    assert (twin.path, twin.reason) == (error.path, error.reason)


def test_messages_are_lower_case_without_a_full_stop() -> None:
    with pytest.raises(PieceworkError) as caught:
        Tokenizer.from_str("{}")
    message = str(caught.value)
    assert message[0].islower()
    assert not message.endswith(".")


def test_a_missing_file_is_named() -> None:
    with pytest.raises(OSError, match="no-such-file"):
        Tokenizer.from_file("no-such-file.json")


def test_a_lone_surrogate_names_its_place_in_the_batch(small_bpe: Tokenizer) -> None:
    with pytest.raises(UnicodeEncodeError) as caught:
        small_bpe.encode_batch(["a", "b\ud800"])
    assert caught.value.object == "b\ud800"
    assert "1" in str(caught.value.reason)


def test_none_in_a_batch_names_its_place(small_bpe: Tokenizer) -> None:
    with pytest.raises(TypeError, match=r"\b1\b"):
        small_bpe.encode_batch(["a", None])


def test_the_names_are_exported() -> None:
    assert [name for name in errors.__all__ if not hasattr(piecework, name)] == []
