"""Entities: what a model for token classification found, as the pipeline of transformers tells it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from piecework.tasks._logits import as_array, softmax
from piecework.tasks._rows import Words, encodings_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["entities"]

STRATEGIES = ("none", "simple", "first", "average", "max")
SUBWORDS = ("heuristic", "word_ids")

Entity = dict[str, Any]


@dataclass
class _Token:
    """A token that is no special one.

    Attributes:
        word: Its text in the vocabulary; that of the input for an unknown one.
        scores: Its probabilities, (number of labels,).
        start: First code point of the text.
        end: One past the last.
        index: Its place in the row.
        continues: Whether it goes on with the word of the token before.
    """

    word: str
    scores: NDArray[Any]
    start: int
    end: int
    index: int
    continues: bool


@dataclass
class _Item:
    """A token or a word with its label."""

    label: str
    score: Any
    word: str
    start: int
    end: int
    index: int


def entities(
    text: str | Sequence[str],
    encoding: Any,
    logits: Any,
    id2label: Mapping[int, str] | Sequence[str],
    *,
    aggregation_strategy: str = "none",
    ignore_labels: Iterable[str] = ("O",),
    subwords: str = "heuristic",
    offset_mapping: Sequence[tuple[int, int]] | None = None,
    delimiter: str = " ",
    tokenizer: Any = None,
) -> list[Entity]:
    """The entities that a model found in a text.

    Labels are grouped by their prefixes `B-` and `I-` (IOB1 and IOB2); every other label stands for itself.

    Args:
        text: The text; or its words, if it was encoded with `is_split_into_words`.
        encoding: What the tokenizer gave for it: a batch of one row, or of the windows of the text; or an `Encoding`,
            or a list of them.
        logits: What the model gave: (T, L) for one row, (R, T, L) for R windows, of any framework.
        id2label: The label of each of the L numbers.
        aggregation_strategy: `none` tells of each token, `simple` groups neighbours of one label. The others group
            words, whose label is that of their `first` token, of the one that is surest (`max`), or the best of the
            `average`.
        ignore_labels: Labels (without prefix where grouped) that are left out.
        subwords: How tokens within a word are told: `heuristic` as the pipeline does it (by the length of a token that
            is marked as within a word, else by blanks), `word_ids` by the words that the pre-tokenizer made.
        offset_mapping: Spans of tokens that replace those of a single row.
        delimiter: What stands between words, if there are words.
        tokenizer: The tokenizer, if the batch does not know it, as after pickling.

    Returns:
        A dict for each: `entity` and `index` for tokens, `entity_group` for groups; `score`, `word`, `start`, `end`.

    Raises:
        ValueError: Logits and rows do not fit, or windows are to be told of without groups.

    Example:
        >>> import numpy as np
        >>> from piecework import PreTrainedTokenizer, Tokenizer, models, pre_tokenizers
        >>> from piecework.tasks.token_classification import entities
        >>> backend = Tokenizer(models.WordLevel({"in": 0, "New": 1, "York": 2}))
        >>> backend.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> tokenizer = PreTrainedTokenizer(tokenizer_object=backend)
        >>> text, logits = "in New York", np.array([[9.0, 0.0], [0.0, 9.0], [0.0, 9.0]])
        >>> found = entities(text, tokenizer(text), logits, ["O", "I-LOC"], aggregation_strategy="simple")
        >>> [(entity["entity_group"], entity["word"], entity["start"]) for entity in found]
        [('LOC', 'New York', 3)]
    """
    if aggregation_strategy not in STRATEGIES:
        raise ValueError(f"unknown aggregation_strategy `{aggregation_strategy}`, expected one of {STRATEGIES}")
    if subwords not in SUBWORDS:
        raise ValueError(f"unknown subwords `{subwords}`, expected one of {SUBWORDS}")
    rows, words = encodings_of(encoding), Words.of(encoding, tokenizer)
    numbers = as_array(logits)
    numbers = numbers[None] if numbers.ndim == 2 else numbers
    if numbers.ndim != 3 or len(numbers) != len(rows):
        raise ValueError(
            f"logits have shape `{np.shape(logits)}`, expected (tokens, labels) for each of `{len(rows)}` rows"
        )
    known = id2label if isinstance(id2label, Mapping) else range(len(id2label))
    nameless = [label for label in range(numbers.shape[-1]) if label not in known]
    if nameless or not numbers.shape[-1]:
        raise ValueError(f"logits are of `{numbers.shape[-1]}` labels, of which id2label does not have `{nameless}`")
    if offset_mapping is not None and (len(rows) > 1 or len(offset_mapping) != numbers.shape[1]):
        raise ValueError(
            f"offset_mapping has `{len(offset_mapping)}` spans, expected one for each of `{numbers.shape[1]}` tokens "
            f"of a single row, not of `{len(rows)}`"
        )
    if len(rows) > 1 and aggregation_strategy == "none":
        raise ValueError("aggregation_strategy='none' tells of tokens, which windows share: take another one")
    reader = _Reader(text, words, delimiter, subwords)
    ignored = set(ignore_labels)
    found: list[Entity] = []
    for row, scores in zip(rows, softmax(numbers), strict=True):
        if len(row) != len(scores):
            raise ValueError(f"a row has `{len(row)}` tokens, but logits for `{len(scores)}`")
        tokens = list(reader.tokens(row, scores, offset_mapping))
        told = _aggregated(tokens, aggregation_strategy, id2label, words, reader)
        found += [e for e in told if e.get("entity") not in ignored and e.get("entity_group") not in ignored]
    return _without_overlap(found) if len(rows) > 1 else found


# ---------------------------------------------------------------------------------------------------------------------
# Tokens


class _Reader:
    """Reads the tokens of rows of a text."""

    def __init__(self, text: str | Sequence[str], words: Words, delimiter: str, subwords: str) -> None:
        self._starts: list[int] | None = None
        if not isinstance(text, str):
            self._starts, at = [], 0
            for word in text:
                self._starts.append(at)
                at += len(word) + len(delimiter)
            text = delimiter.join(text)
        self.text = text
        self._by_words = subwords == "word_ids"
        self._unknown = words.attribute("unk_token_id")
        self.is_marked = bool(words.prefix())
        """Whether tokens within a word are marked in the vocabulary."""

    def tokens(self, row: Any, scores: NDArray[Any], spans: Sequence[tuple[int, int]] | None) -> Iterator[_Token]:
        """The tokens of a row that are no special ones."""
        numbers, before = row.word_ids, None
        columns = zip(
            row.ids, row.tokens, row.offsets if spans is None else spans, row.special_tokens_mask, strict=True
        )
        for index, (token_id, token, (start, end), special) in enumerate(columns):
            if special:
                before = None
                continue
            if self._starts is not None and numbers[index] is not None:
                if numbers[index] >= len(self._starts):
                    raise ValueError(f"`text` has `{len(self._starts)}` words, but those of the encoding are more")
                shift = self._starts[numbers[index]]
                start, end = start + shift, end + shift  # noqa: PLW2901 - from the word to the text
            written = self.text[start:end]
            is_unknown = token_id == self._unknown
            if self._by_words:
                continues = before is not None and numbers[index] == before
            else:
                continues = not is_unknown and self._goes_on(token, written, start)
            before = numbers[index]
            yield _Token(written if is_unknown else token, scores[index], start, end, index, continues)

    def _goes_on(self, token: str, written: str, start: int) -> bool:
        """Whether a token seems to be within a word: it is longer than what it stands for, or follows no blank."""
        if self.is_marked:
            return len(token) != len(written)
        return start > 0 and " " not in self.text[start - 1 : start + 1]

    @property
    def guesses(self) -> bool:
        """Whether words are told by blanks, which is a guess."""
        return not (self._by_words or self.is_marked)


# ---------------------------------------------------------------------------------------------------------------------
# Words and groups


def _aggregated(
    tokens: list[_Token], strategy: str, labels: Mapping[int, str] | Sequence[str], words: Words, reader: _Reader
) -> list[Entity]:
    if strategy in ("none", "simple"):
        items = [_labelled(t.scores, labels, t.word, t.start, t.end, t.index) for t in tokens]
    else:
        if reader.guesses and tokens:
            warnings.warn(
                "words are told by blanks, since this tokenizer does not mark tokens within them; "
                "subwords='word_ids' takes those of the pre-tokenizer",
                UserWarning,
                stacklevel=3,
            )
        items = [_word(group, strategy, labels, words.to_text()) for group in _words(tokens)]
    if strategy == "none":
        return [
            {
                "entity": item.label,
                "score": item.score.item(),
                "index": item.index,
                "word": item.word,
                "start": item.start,
                "end": item.end,
            }
            for item in items
        ]
    return [_group(group, words.to_text()) for group in _groups(items)]


def _labelled(
    scores: NDArray[Any], labels: Mapping[int, str] | Sequence[str], word: str, start: int, end: int, index: int
) -> _Item:
    best = int(scores.argmax())
    return _Item(labels[best], scores[best], word, start, end, index)


def _words(tokens: list[_Token]) -> Iterator[list[_Token]]:
    """The tokens of each word."""
    number = 0

    def word_of(token: _Token) -> int:
        nonlocal number
        number += not token.continues
        return number

    for _, group in groupby(tokens, key=word_of):
        yield list(group)


def _word(
    tokens: list[_Token],
    strategy: str,
    labels: Mapping[int, str] | Sequence[str],
    to_text: Callable[[list[str]], str],
) -> _Item:
    if strategy == "first":
        scores = tokens[0].scores
    elif strategy == "max":
        scores = max(tokens, key=lambda token: token.scores.max()).scores
    else:
        scores = np.nanmean(np.stack([token.scores for token in tokens]), axis=0)
    text = to_text([token.word for token in tokens])
    return _labelled(scores, labels, text, tokens[0].start, tokens[-1].end, tokens[0].index)


def _tag(label: str) -> tuple[bool, str]:
    """Whether a label begins an entity, and its text without prefix."""
    return label.startswith("B-"), label[2:] if label.startswith(("B-", "I-")) else label


def _groups(items: list[_Item]) -> list[list[_Item]]:
    """Neighbours of one label; one that begins an entity begins a group."""
    groups: list[list[_Item]] = []
    for item in items:
        begins, tag = _tag(item.label)
        if groups and not begins and tag == _tag(groups[-1][-1].label)[1]:
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def _group(items: list[_Item], to_text: Callable[[list[str]], str]) -> Entity:
    return {
        "entity_group": items[0].label.split("-", 1)[-1],
        "score": np.nanmean([item.score for item in items]).item(),
        "word": to_text([item.word for item in items]),
        "start": items[0].start,
        "end": items[-1].end,
    }


def _without_overlap(found: list[Entity]) -> list[Entity]:
    """Of entities of several windows that overlap, the longest, and of equally long ones the surest."""
    ordered = sorted(found, key=lambda entity: entity["start"])
    kept: list[Entity] = ordered[:1]
    # As in the pipeline the first is compared with itself too, so an empty one comes twice.
    for entity in ordered:
        if not kept[-1]["start"] <= entity["start"] < kept[-1]["end"]:
            kept.append(entity)
            continue
        length, before = entity["end"] - entity["start"], kept[-1]["end"] - kept[-1]["start"]
        if length > before or (length == before and entity["score"] > kept[-1]["score"]):
            kept[-1] = entity
    return kept
