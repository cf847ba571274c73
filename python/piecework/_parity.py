"""A trainer for several languages that are to come out alike."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from piecework._checks import boolean, natural, number, optional_natural, optional_text, text, wrong_type
from piecework._trainer import checked_alphabet, checked_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from piecework._progress import Report
    from piecework.added_token import AddedToken
    from piecework.tokenizer import Tokenizer

T = TypeVar("T")


def _ratio(name: str, value: object) -> list[float] | None:
    if value is None:
        return None
    if not isinstance(value, (list, tuple)):
        raise wrong_type(name, "list of float", value)
    return [number(f"{name}[{i}]", item) for i, item in enumerate(value)]


def _tokens(name: str, value: object) -> list[AddedToken]:
    return checked_tokens(name, [] if value is None else value)


def _characters(name: str, value: object) -> list[str]:
    return checked_alphabet(name, [] if value is None else value)


class _Setting(Generic[T]):
    """An attribute that is checked when it is set."""

    def __init__(self, check: Callable[[str, object], T]) -> None:
        self._check = check
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, trainer: None, owner: type) -> _Setting[T]: ...
    @overload
    def __get__(self, trainer: ParityBpeTrainer, owner: type) -> T: ...
    def __get__(self, trainer: ParityBpeTrainer | None, owner: type) -> T | _Setting[T]:
        if trainer is None:
            return self
        value: T = trainer.__dict__[self._name]
        return value

    def __set__(self, trainer: ParityBpeTrainer, value: object) -> None:
        trainer.__dict__[self._name] = self._check(self._name, value)


class ParityBpeTrainer:
    """Learns a BPE vocabulary for several languages: every step helps the one that is worst off.

    A language is the worse off the longer its texts are in tokens. The lengths are best compared on development texts
    that say the same in every language; without them a `ratio` tells how well each is to be compressed, and without
    that the lengths of the corpora themselves count.

    Args:
        num_merges: Merges to learn.
        variant: `base`, or `window`, which passes over languages that had more than their share of the latest steps.
        min_frequency: How often a pair must occur in its language to be merged.
        ratio: For each language how well it is to be compressed, relative to the others.
        global_merges: Merges at the beginning that go by the counts of all languages together.
        window_size: Steps that `window` looks back.
        alpha: The share of the window that a language may have, times the number of languages.
        total_symbols: Whether the entries in front of the merges count as merges.
        special_tokens: Tokens that come first.
        show_progress: Whether to draw a progress bar.
        limit_alphabet: So many characters at most; the rarest are left out.
        initial_alphabet: Characters that are in the vocabulary in any case; of each text the first character.
        continuing_subword_prefix: In front of every symbol of a word but the first.
        end_of_word_suffix: Behind the last symbol of a word.
        max_token_length: A pair of tokens that are together this long or longer is not merged.

    Example:
        >>> from piecework import Tokenizer, models, pre_tokenizers, trainers
        >>> tokenizer = Tokenizer(models.BPE())
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> trainer = trainers.ParityBpeTrainer(num_merges=2, show_progress=False)
        >>> trainer.train_from_iterator(tokenizer, [["low low low"], ["xy"]], dev_iterators=[["low"], ["xy xy"]])
        >>> tokenizer.encode("low xy").tokens
        ['l', 'ow', 'xy']
    """

    num_merges = _Setting(natural)
    min_frequency = _Setting(natural)
    ratio = _Setting(_ratio)
    global_merges = _Setting(natural)
    window_size = _Setting(natural)
    alpha = _Setting(number)
    total_symbols = _Setting(boolean)
    special_tokens = _Setting(_tokens)
    show_progress = _Setting(boolean)
    limit_alphabet = _Setting(optional_natural)
    initial_alphabet = _Setting(_characters)
    continuing_subword_prefix = _Setting(optional_text)
    end_of_word_suffix = _Setting(optional_text)
    max_token_length = _Setting(optional_natural)

    def __init__(
        self,
        num_merges: int = 32_000,
        variant: str = "base",
        min_frequency: int = 0,
        ratio: Sequence[float] | None = None,
        global_merges: int = 0,
        window_size: int = 100,
        alpha: float = 2.0,
        total_symbols: bool = False,
        special_tokens: list[str | AddedToken] | list[str] | list[AddedToken] | None = None,
        show_progress: bool = True,
        limit_alphabet: int | None = None,
        initial_alphabet: Sequence[str] | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        max_token_length: int | None = None,
    ) -> None:
        if text("variant", variant) not in ("base", "window"):
            raise ValueError(f"Unknown variant '{variant}'. Use 'base' or 'window'.")
        self._variant = variant
        self.num_merges = num_merges
        self.min_frequency = min_frequency
        self.ratio = ratio
        self.global_merges = global_merges
        self.window_size = window_size
        self.alpha = alpha
        self.total_symbols = total_symbols
        self.special_tokens = special_tokens
        self.show_progress = show_progress
        self.limit_alphabet = limit_alphabet
        self.initial_alphabet = initial_alphabet
        self.continuing_subword_prefix = continuing_subword_prefix
        self.end_of_word_suffix = end_of_word_suffix
        self.max_token_length = max_token_length

    @property
    def variant(self) -> str:
        """How the language of a step is picked: `base` or `window`."""
        return self._variant

    def train_from_iterator(
        self,
        tokenizer: Tokenizer,
        train_iterators: Sequence[Iterable[str | Iterable[str]]],
        dev_iterators: Sequence[Iterable[str | Iterable[str]]] | None = None,
        ratio: Sequence[float] | None = None,
        *,
        progress: Report | None = None,
    ) -> None:
        """Train a tokenizer. Its model becomes a new BPE, other parts stay; all stays as it is if the training fails.

        Args:
            tokenizer: Its normalizer and pre-tokenizer make pretokens of the texts.
            train_iterators: For each language texts, or iterables of texts.
            dev_iterators: For each language the texts that tell how well it is off.
            ratio: Takes the place of that of the trainer; not used if there are development texts.
            progress: Called with the stage, how much of it is done, and its size.

        Raises:
            ValueError: There is no language, or the lists are not equally long.
            TrainingError: A ratio is not a positive number, or the window is empty.
        """
        train = list(train_iterators)
        dev = None if dev_iterators is None else list(dev_iterators)
        if not train:
            raise ValueError("train_iterators must not be empty")
        if dev is not None and len(dev) != len(train):
            raise ValueError(f"dev_iterators length ({len(dev)}) must match train_iterators length ({len(train)})")
        tokenizer._learn_parity(self, train, dev, self._description(_ratio("ratio", ratio)), progress)

    def _description(self, ratio: list[float] | None) -> str:
        """What the extension needs to know to train."""
        state = self.__getstate__()
        del state["show_progress"]
        state["special_tokens"] = [token.content for token in self.special_tokens]
        return json.dumps({**state, "ratio": self.ratio if ratio is None else ratio})

    def __getstate__(self) -> dict[str, Any]:
        names = ("num_merges", "variant", "min_frequency", "global_merges", "window_size", "alpha", "total_symbols")
        last = ("limit_alphabet", "initial_alphabet", "continuing_subword_prefix", "end_of_word_suffix")
        return {
            **{name: getattr(self, name) for name in (*names, "show_progress", "ratio")},
            "special_tokens": [token.content for token in self.special_tokens],
            **{name: getattr(self, name) for name in (*last, "max_token_length")},
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        if not isinstance(state, dict):
            raise wrong_type("state", "dict", state)
        self.__init__(**state)  # type: ignore[misc]

    def __repr__(self) -> str:
        return (
            f'ParityBpeTrainer(num_merges={self.num_merges}, variant="{self.variant}", '
            f"min_frequency={self.min_frequency}, global_merges={self.global_merges}, window_size={self.window_size}, "
            f"alpha={self.alpha:g}, total_symbols={str(self.total_symbols).lower()})"
        )
