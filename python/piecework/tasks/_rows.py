"""The rows of a batch and the tokenizer that made it, whether they are of piecework or of transformers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from piecework.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable


def encodings_of(batch: Any) -> list[Any]:
    """The encoding of each row: of a batch, of a list of encodings, or of one.

    Raises:
        ValueError: The batch has columns alone.
    """
    encodings = getattr(batch, "encodings", None if isinstance(batch, Mapping) else batch)
    if encodings is None:
        raise ValueError("the batch has no encodings, which tell where a token came from: give that of the call itself")
    if hasattr(encodings, "special_tokens_mask"):
        return [encodings]
    return list(encodings)


class Words:
    """What post-processing asks of a tokenizer."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    @staticmethod
    def of(batch: Any, tokenizer: Any) -> Words:
        """Of the tokenizer that was given, or of the one that made the batch."""
        return Words(getattr(batch, "_tokenizer", None) if tokenizer is None else tokenizer)

    @property
    def is_known(self) -> bool:
        """Whether there is a tokenizer."""
        return self._tokenizer is not None

    def attribute(self, name: str, default: Any = None) -> Any:
        """An attribute of the tokenizer."""
        return getattr(self._tokenizer, name, default)

    def to_text(self) -> Callable[[list[str]], str]:
        """What makes a text of tokens.

        Raises:
            ValueError: There is no tokenizer.
        """
        if self._tokenizer is None:
            raise ValueError("the batch does not know its tokenizer, as after pickling: give it as `tokenizer`")
        if isinstance(self._tokenizer, Tokenizer):
            decoder = self._tokenizer.decoder
            return " ".join if decoder is None else decoder.decode
        convert: Callable[[list[str]], str] = self._tokenizer.convert_tokens_to_string
        return convert

    def prefix(self) -> str:
        """What tokens within a word begin with; empty if they are not marked so."""
        backend = self.attribute("backend_tokenizer", self._tokenizer)
        return getattr(getattr(backend, "model", None), "continuing_subword_prefix", None) or ""
