"""A text on its way through a tokenizer, stage by stage."""

from __future__ import annotations

import copy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework import _core, models
from piecework._checks import boolean, natural, optional_natural, text, wrong_type
from piecework._foreign import is_foreign, state_of
from piecework._parts import core_of
from piecework.encoding import Encoding
from piecework.inspect import html, words
from piecework.inspect.stages import AddedPart, Pretoken, Span, Stages, Stretch
from piecework.inspect.table import Table, symbols, texts
from piecework.tokenizer import Tokenizer

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from piecework._component import Component
    from piecework.implementations import BaseTokenizer
    from piecework.inspect.stages import Part
    from piecework.inspect.words import WordSteps
    from piecework.pretrained import PreTrainedTokenizer

    AnyTokenizer = Tokenizer | BaseTokenizer | PreTrainedTokenizer


class TracedToken(NamedTuple):
    """A token as it comes out of the model, or an added token.

    Example:
        >>> from piecework import Tokenizer, models
        >>> from piecework.inspect import trace
        >>> trace(Tokenizer(models.WordLevel({"<unk>": 0, "hug": 1})), "hug").tokens
        [TracedToken(token='hug', id=1, span=(0, 3), text='hug', word=0)]
    """

    token: str
    id: int
    span: Span
    text: str
    """What stands at its span."""
    word: int
    """Number of the pretoken or added token that it belongs to."""


class Trace:
    """What each stage of a tokenizer makes of a text. `print` shows tables, a notebook shows pictures.

    Example:
        >>> from piecework import Tokenizer, models, normalizers, pre_tokenizers
        >>> from piecework.inspect import trace
        >>> vocab = {"h": 0, "u": 1, "g": 2, "s": 3, "ug": 4, "hug": 5}
        >>> tokenizer = Tokenizer(models.BPE(vocab, [("u", "g"), ("h", "ug")]))
        >>> tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.Whitespace()
        >>> shown = trace(tokenizer, "Hug  HUGS")
        >>> [(pretoken.text, pretoken.span) for pretoken in shown.pretokens]
        [('hug', (0, 3)), ('hugs', (5, 9))]
        >>> [(token.token, token.text) for token in shown.tokens]
        [('hug', 'Hug'), ('hug', 'HUG'), ('s', 'S')]
        >>> [merge.symbols for merge in shown.steps("hugs").merges]
        [['h', 'ug', 's'], ['hug', 's']]
    """

    def __init__(self, tokenizer: Tokenizer, sequence: str, add_special_tokens: bool, n_best: int) -> None:
        self.text = sequence
        """The text as given."""
        self.parts: list[Part] = Stages(tokenizer).parts(sequence)
        """Added tokens, and the stretches between them with their normalized text and their pretokens."""
        columns = _without_processor(tokenizer).encode(sequence, None, False, False, None, None)
        self.tokens: list[TracedToken] = [
            TracedToken(token, token_id, (start, end), sequence[start:end], -1 if word is None else word)
            for token, token_id, (start, end), word in zip(
                columns.tokens(0), columns.ids(0), columns.offsets(0), columns.word_ids(0), strict=True
            )
        ]
        """What the model made of the pretokens, and the added tokens, before the post-processor."""
        processed = tokenizer._program().post_process(
            ([(columns, 0)], (None, None)), None, add_special_tokens, tokenizer._truncation, tokenizer._padding
        )
        self.encoding: Encoding = Encoding._view(processed, 0)
        """The result: truncated, with special tokens, padded, as the tokenizer is set."""
        self.decoded: str = tokenizer.decode(self.encoding.ids)
        """The text that the ids of the result stand for, without special tokens."""
        self.stages: dict[str, list[str]] = {
            name: names(getattr(tokenizer, name))
            for name in ("normalizer", "pre_tokenizer", "model", "post_processor", "decoder")
        }
        """The components of each stage by name."""
        self.is_drawn: bool = words.is_drawn(tokenizer.model)
        """Whether the model draws its tokens at random (dropout, sampling), so that another trace has other ones."""
        # As it is now; the vocabulary is shared, not copied.
        self._model = copy.deepcopy(tokenizer.model)
        self._n_best = n_best
        self._known_steps: dict[str, WordSteps | None] = {}

    @property
    def pretokens(self) -> list[Pretoken]:
        """All pretokens, in order."""
        return [p for part in self.parts if isinstance(part, Stretch) for p in part.pretokens]

    @property
    def normalized(self) -> str:
        """The normalized text, with the added tokens as they were found."""
        return "".join(p.text if isinstance(p, AddedPart) else p.normalized for p in self.parts)

    @cached_property
    def _explain(self) -> Any:
        return words.steps_of(self._model, self._n_best)

    def steps(self, word: str) -> WordSteps | None:
        """How the model works on a pretoken: BPE merges, WordPiece matches, or the lattice of Unigram.

        Args:
            word: A pretoken as in `pretokens`, or any other text.

        Returns:
            The steps; None for a model that only looks words up. What the model draws at random (dropout, sampling) is
            left out. Time and memory grow with the square of the length.
        """
        word = text("word", word)
        if word not in self._known_steps:
            self._known_steps[word] = None if self._explain is None else self._explain(word)
        return self._known_steps[word]

    def record(self) -> dict[str, Any]:
        """Everything but the steps, as values of JSON."""
        encoding = self.encoding
        names = ("ids", "tokens", "offsets", "word_ids", "type_ids", "special_tokens_mask", "attention_mask")
        return {
            "text": self.text,
            "stages": self.stages,
            "parts": [
                {"kind": "added", **part._asdict()}
                if isinstance(part, AddedPart)
                else {"kind": "stretch", **part._asdict(), "pretokens": [p._asdict() for p in part.pretokens]}
                for part in self.parts
            ],
            "tokens": [token._asdict() for token in self.tokens],
            "is_drawn": self.is_drawn,
            "result": {name: getattr(encoding, name) for name in names},
            "decoded": self.decoded,
        }

    def tables(self, *, steps: int = 0) -> list[Table]:
        """The stages as tables.

        Args:
            steps: How many distinct pretokens come with the steps of the model, a table each; very long ones do not.
        """
        rows = [(repr(p.text), repr(n), symbols(*pretokens, gap=" | ")) for p, n, pretokens in self._rows()]
        stages = Table("stages", ("text", "normalized", "pretokens"), rows)
        encoding = self.encoding
        columns = zip(encoding.ids, encoding.tokens, encoding.offsets, encoding.word_ids, strict=True)
        tokens = [
            (
                str(i),
                symbols(token),
                f"{start}-{end}",
                repr(self.text[start:end]),
                "" if word is None else str(word),
                special,
            )
            for (i, token, (start, end), word), special in zip(columns, self._specials(), strict=True)
        ]
        title = "tokens, drawn at random; steps show what the model does otherwise" if self.is_drawn else "tokens"
        shown = Table(title, ("id", "token", "span", "text", "word", "special"), tokens)
        return [stages, shown, *self._step_tables(natural("steps", steps))]

    def _rows(self) -> Iterator[tuple[Part, str, list[str]]]:
        for part in self.parts:
            if isinstance(part, AddedPart):
                yield part, part.token, [part.token]
            else:
                yield part, part.normalized, [p.text for p in part.pretokens]

    def _specials(self) -> Iterator[str]:
        encoding = self.encoding
        for special, attended in zip(encoding.special_tokens_mask, encoding.attention_mask, strict=True):
            yield "padding" if not attended else "yes" if special else ""

    def _step_tables(self, count: int) -> Iterator[Table]:
        for word in list(dict.fromkeys(p.text for p in self.pretokens))[:count]:
            steps = self.steps(word) if len(word) <= words.LONGEST else None
            if steps is not None:
                yield words.table(steps)

    def __str__(self) -> str:
        return f"{texts(self.tables(steps=10))}\n\ndecoded: {self.decoded!r}"

    def __repr__(self) -> str:
        shown = self.text if len(self.text) <= 40 else f"{self.text[:39]}…"
        return f"Trace({shown!r}, {len(self.pretokens)} pretokens, {len(self.encoding)} tokens)"

    def html(self, *, tokens: int | None = 1000, steps: int = 30) -> str:
        """A page that needs nothing but itself; pointing at something shows what it came from and what became of it.

        Args:
            tokens: So many tokens at most, and the text that they stand for; `None` shows all.
            steps: How many distinct pretokens come with the steps of the model; very long ones do not.
        """
        return html.page(html.fragment(self, optional_natural("tokens", tokens), natural("steps", steps)))

    def save_html(self, path: str | os.PathLike[str], *, tokens: int | None = 1000, steps: int = 30) -> None:
        """Write `html` to a file."""
        Path(path).write_text(self.html(tokens=tokens, steps=steps), encoding="utf-8")

    def _repr_html_(self) -> str:
        return html.fragment(self, 300, 12)


def trace(tokenizer: AnyTokenizer, sequence: str, *, add_special_tokens: bool = True, n_best: int = 5) -> Trace:
    """Take a text through the stages of a tokenizer, and keep what each makes of it.

    Args:
        tokenizer: The tokenizer, or something that has one inside, of `tokenizers` and `transformers` too.
        sequence: The text.
        add_special_tokens: Whether the post-processor puts in special tokens.
        n_best: How many of the best ways to cut a pretoken a Unigram model shows.

    Raises:
        EncodeError: A character is unknown and the model names no token for it that exists.
        UnicodeEncodeError: The text has a lone surrogate.
    """
    given, sequence = backend(tokenizer), text("sequence", sequence)
    add_special_tokens = boolean("add_special_tokens", add_special_tokens)
    return Trace(given, sequence, add_special_tokens, max(1, natural("n_best", n_best)))


def backend(tokenizer: object, name: str = "tokenizer") -> Tokenizer:
    """The tokenizer itself, or the one inside; one of the library `tokenizers` is taken over.

    Args:
        tokenizer: The tokenizer, or something that has one inside.
        name: What it is called where it was given.

    Raises:
        TypeError: There is none.
    """
    for candidate in (tokenizer, getattr(tokenizer, "backend_tokenizer", None), getattr(tokenizer, "_tokenizer", None)):
        if isinstance(candidate, Tokenizer):
            return candidate
        if is_foreign(candidate) and type(candidate).__name__ == "Tokenizer":
            return Tokenizer.from_buffer(state_of(candidate))
    raise wrong_type(name, "Tokenizer", tokenizer)


def _without_processor(tokenizer: Tokenizer) -> _core.Program:
    """The stages up to the model, component by component."""
    normalizer, pre_tokenizer = core_of(tokenizer.normalizer), core_of(tokenizer.pre_tokenizer)
    model: models.Model = tokenizer.model
    added, as_text = tokenizer._added_list(), tokenizer.encode_special_tokens
    return _core.Program(normalizer, pre_tokenizer, model._compile(), None, None, added, as_text, True)


def names(part: Component[Any] | None) -> list[str]:
    """The components that a stage consists of, by name."""
    if part is None:
        return []
    items = getattr(part, "_items", None)
    if items is not None:
        return [name for item in items for name in names(item)]
    # Of a component written in Python its own class.
    return [type(getattr(part, "_object", part)).__name__]
