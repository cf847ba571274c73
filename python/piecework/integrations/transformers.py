"""piecework as the backend of the tokenizers of transformers 5.

Three ways, from the narrowest to the widest:

* `PreTrainedTokenizerFast(tokenizer_object=piecework.Tokenizer(...))`, and so with every class of transformers;
* `accelerate(tokenizer)` for one that is loaded already, `patch_transformers()` for all that are made from then on;
* `piecework.as_tokenizers()` before transformers is imported, which covers training and `DecodeStream` too.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeVar

from piecework.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["accelerate", "patch_transformers", "unpatch_transformers"]

TokenizerT = TypeVar("TokenizerT")

_MARK = "_piecework_original"
"""Where the patched method keeps the one that it replaces."""


def accelerate(tokenizer: TokenizerT) -> TokenizerT:
    """Swap the backend of a tokenizer of transformers for one of piecework, in place.

    Ids, spans and decoding stay what they were; the tokenizer saves, pickles and trains as before.

    Args:
        tokenizer: A tokenizer with a backend of `tokenizers` (`tokenizer.is_fast`). One that has a backend of piecework
            already is left alone.

    Returns:
        The same tokenizer.

    Raises:
        TypeError: It has no backend, or one with components written in Python, which cannot be taken over.
    """
    target: Any = tokenizer
    backend = getattr(target, "_tokenizer", None)
    if isinstance(backend, Tokenizer):
        return tokenizer
    if not hasattr(backend, "to_str"):
        raise TypeError(f"{type(tokenizer).__name__} has no backend of tokenizers, so there is nothing to swap")
    target._tokenizer = _taken_over(backend)
    # CLIP wraps the `decode` of its backend; it does so again with the new one.
    wrap = getattr(target, "_wrap_decode_method_backend_tokenizer", None)
    if wrap is not None and "decode" in vars(backend):
        wrap()
    return tokenizer


def _taken_over(backend: Any) -> Tokenizer:
    """A tokenizer of piecework that does what a backend does."""
    try:
        description = backend.to_str()
    except Exception as error:
        raise TypeError(f"the backend cannot be taken over: {error}") from error
    own = Tokenizer.from_str(description)
    own.encode_special_tokens = backend.encode_special_tokens  # it does not stand in the description
    for name, value in vars(backend).items():
        if name != "decode":
            setattr(own, name, value)
    return own


def patch_transformers() -> None:
    """Give every tokenizer that transformers makes from now on a backend of piecework.

    One method is wrapped, that which makes a tokenizer; so `AutoTokenizer.from_pretrained` and all classes follow.
    Tokenizers with components written in Python keep their backend. Calling this twice is the same as calling it once.
    """
    base = _base()
    original = base.__init__
    if hasattr(original, _MARK):
        return

    @functools.wraps(original)
    def patched(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        try:
            accelerate(self)
        except TypeError:
            return

    setattr(patched, _MARK, original)
    base.__init__ = patched


def unpatch_transformers() -> None:
    """Undo `patch_transformers`. Tokenizers that were made in between keep their backend."""
    base = _base()
    original: Callable[..., None] | None = getattr(base.__init__, _MARK, None)
    if original is not None:
        base.__init__ = original


def _base() -> Any:
    """The class of transformers that all tokenizers with a backend are of.

    Raises:
        ImportError: transformers is not installed, or is older than version 5.
    """
    try:
        from transformers.tokenization_utils_tokenizers import TokenizersBackend  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ImportError("transformers 5 is needed: pip install 'piecework[transformers]'") from error
    return TokenizersBackend
