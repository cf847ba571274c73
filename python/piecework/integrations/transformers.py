"""piecework as the backend of the tokenizers of transformers 5.

Three ways, from the narrowest to the widest:

* `PreTrainedTokenizerFast(tokenizer_object=piecework.Tokenizer(...))`, and so with every class of transformers;
* `accelerate(tokenizer)` for one that is loaded already, `patch_transformers()` for all that are made from then on;
* `piecework.as_tokenizers()` before transformers is imported, which covers training and `DecodeStream` too.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from piecework.pretrained._inputs import arranged, has_pairs
from piecework.pretrained._rows import Wanted, encoded, longest
from piecework.pretrained._strategies import Strategies
from piecework.tokenizer import Tokenizer

if TYPE_CHECKING:
    from piecework.pretrained._alignments import Alignments

__all__ = ["accelerate", "patch_transformers", "unpatch_transformers"]

TokenizerT = TypeVar("TokenizerT")


def accelerate(tokenizer: TokenizerT) -> TokenizerT:
    """Swap the backend of a tokenizer of transformers for one of piecework, in place.

    Ids, spans and decoding stay what they were; the tokenizer saves, pickles and trains as before. Calls that ask for
    arrays or tensors of a batch get them from the extension, without lists on the way.

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
    if type(tokenizer)._encode_plus is _base()._encode_plus:  # type: ignore[attr-defined]
        target._encode_plus = _Calls(tokenizer)
    # CLIP wraps the `decode` of its backend; it does so again with the new one.
    wrap = getattr(target, "_wrap_decode_method_backend_tokenizer", None)
    if wrap is not None and "decode" in vars(backend):
        wrap()
    return tokenizer


class _Calls:
    """The method `_encode_plus` of a tokenizer: batches become arrays in the extension, all else goes as before."""

    def __init__(self, tokenizer: Any) -> None:
        self._of = tokenizer

    def __call__(self, text: Any, text_pair: Any = None, **options: Any) -> Any:
        tokenizer = self._of
        backend = tokenizer._tokenizer
        if not (
            isinstance(backend, Tokenizer)
            and options.get("return_tensors") is not None
            and isinstance(text, (list, tuple))
            and text
            and set(options) <= _KNOWN
            and not options.get("is_split_into_words")
            and options.get("split_special_tokens") in (None, backend.encode_special_tokens)
        ):
            return type(tokenizer)._encode_plus(tokenizer, text, text_pair, **options)
        return self._batch(tokenizer, backend, text, text_pair, options)

    @staticmethod
    def _batch(tokenizer: Any, backend: Tokenizer, text: Any, text_pair: Any, options: dict[str, Any]) -> Any:
        from transformers import BatchEncoding  # noqa: PLC0415 - an extra

        inputs, _ = arranged(text, text_pair, is_split_into_words=False)
        names = ("token_type_ids", "attention_mask", "special_tokens_mask")
        flags = {name: options.get(f"return_{name}") for name in names}
        flags["special_tokens_mask"] = bool(flags["special_tokens_mask"])
        flags["offset_mapping"] = bool(options.get("return_offsets_mapping"))
        wanted = Wanted.of(
            tokenizer.model_input_names,
            flags,
            options["return_tensors"],
            length=bool(options.get("return_length")),
            overflow=bool(options.get("return_overflowing_tokens")),
        )
        kinds = [getattr(options.get(f"{what}_strategy"), "value", _OFF[what]) for what in ("padding", "truncation")]
        most = options.get("max_length")
        pairs = has_pairs(inputs, is_split_into_words=False)
        data, columns, alignments = encoded(
            tokenizer,
            backend,
            inputs,
            Strategies(kinds[0], kinds[1], most),
            wanted,
            pairs=pairs,
            spans=False,
            add_special_tokens=options.get("add_special_tokens", True),
            is_split_into_words=False,
            stride=options.get("stride", 0),
            padding_side=options.get("padding_side"),
            pad_to_multiple_of=options.get("pad_to_multiple_of"),
        )
        if most is None:
            tokenizer._eventual_warn_about_too_long_sequence(
                range(longest(columns)), most, options.get("verbose", True)
            )
        return BatchEncoding(data, _Encodings(alignments), n_sequences=2 if pairs else 1)


_OFF = {"padding": "do_not_pad", "truncation": "do_not_truncate"}
_KNOWN = {
    "add_special_tokens",
    "padding_strategy",
    "truncation_strategy",
    "max_length",
    "stride",
    "is_split_into_words",
    "pad_to_multiple_of",
    "padding_side",
    "return_tensors",
    "return_token_type_ids",
    "return_attention_mask",
    "return_overflowing_tokens",
    "return_special_tokens_mask",
    "return_offsets_mapping",
    "return_length",
    "verbose",
    "split_special_tokens",
}
"""The options of `_encode_plus` that are known here; with others it takes the usual way."""


class _Encodings(Sequence[Any]):
    """The encodings of a batch, made when one is asked for; a list in pickles and copies."""

    def __init__(self, alignments: Alignments) -> None:
        self._alignments = alignments

    def __len__(self) -> int:
        return len(self._alignments.encodings())

    def __bool__(self) -> bool:
        """A call with texts has encodings."""
        return True

    def __getitem__(self, index: Any) -> Any:
        return self._alignments.encodings()[index]

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (self._alignments.encodings(),)


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

    The classes of transformers make a tokenizer as before, and its backend is swapped when they are done; so
    `AutoTokenizer.from_pretrained` and all classes follow, those that a program defines with them. Tokenizers with
    components written in Python keep their backend. Calling this twice is the same as calling it once.
    """
    base = _base()
    if base in _PATCHED:
        return
    for cls in _with_subclasses(base):
        _patch(cls, base)

    def follow(cls: type, /, **options: Any) -> None:
        super(base, cls).__init_subclass__(**options)
        _patch(cls, base)

    base.__init_subclass__ = classmethod(follow)


def unpatch_transformers() -> None:
    """Undo `patch_transformers`. Tokenizers that were made in between keep their backend."""
    if not _PATCHED:
        return
    base = _base()
    del base.__init_subclass__
    while _PATCHED:
        cls, original = _PATCHED.popitem()
        cls.__init__ = original


_PATCHED: dict[Any, Callable[..., None]] = {}
"""The classes whose `__init__` is another one now, with what it was."""


def _with_subclasses(cls: Any) -> list[Any]:
    """A class and all that are derived from it."""
    return [cls, *(found for subclass in cls.__subclasses__() for found in _with_subclasses(subclass))]


def _patch(cls: Any, base: Any) -> None:
    """Swap the backend when the `__init__` of a class is done, if it has one."""
    original: Callable[..., None] | None = vars(cls).get("__init__")
    if original is None or cls in _PATCHED:
        return

    @functools.wraps(original)
    def patched(self: Any, *args: Any, **kwargs: Any) -> None:
        # What the classes above do comes before this one is done.
        first = next(c for c in type(self).__mro__ if issubclass(c, base) and "__init__" in vars(c))
        if first is not cls:
            original(self, *args, **kwargs)
            return
        try:
            original(self, *args, **kwargs)
        except TypeError:
            # Siglip2 puts a part of its backend into a component of `tokenizers`, which takes only its own.
            if not isinstance(kwargs.get("tokenizer_object"), Tokenizer):
                raise
            original(self, *args, **{**kwargs, "tokenizer_object": _handed_over(kwargs["tokenizer_object"])})
        with contextlib.suppress(TypeError):
            accelerate(self)

    _PATCHED[cls] = original
    cls.__init__ = patched


def _handed_over(own: Tokenizer) -> Any:
    """A tokenizer of `tokenizers` that does what one of piecework does."""
    from tokenizers import Tokenizer as Reference  # noqa: PLC0415 - an extra

    backend: Any = Reference.from_str(own.to_str())
    backend.encode_special_tokens = own.encode_special_tokens
    return backend


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
