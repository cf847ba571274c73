"""Answers: what a model for extractive question answering found, as the pipeline of transformers 4 tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from piecework._checks import wrong_type
from piecework.tasks._logits import as_array, softmax
from piecework.tasks._rows import Words, encodings_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["answers"]

Answer = dict[str, Any]

_NEVER = -10000.0
"""The logit of tokens that cannot be in an answer."""


def answers(
    context: str,
    batch: Any,
    start_logits: Any,
    end_logits: Any,
    *,
    top_k: int = 1,
    max_answer_len: int = 15,
    handle_impossible_answer: bool = False,
    align_to_words: bool = True,
    context_index: int | None = None,
    tokenizer: Any = None,
) -> list[Answer]:
    """The best answers that a model found in a context.

    Args:
        context: The text that answers are parts of.
        batch: What the tokenizer gave for the question and the context: one row, or one for each window of the context
            (`truncation="only_second"`, `return_overflowing_tokens=True`).
        start_logits: How likely an answer begins at each token: (T,), or (R, T) for R rows; of any framework.
        end_logits: The same for its last token.
        top_k: Most answers to give.
        max_answer_len: Most tokens of an answer.
        handle_impossible_answer: Whether the empty answer is one too; its score is the least that a row has for it.
        align_to_words: Whether answers are whole words.
        context_index: Which text of the pairs the context is. By default the second; the first for a tokenizer that
            pads on the left, where the context goes in front.
        tokenizer: The tokenizer, if the batch does not know it, as after pickling. It tells the `[CLS]` token, which
            takes part in the probabilities.

    Returns:
        Dicts with `score`, `start`, `end` and `answer`, the best first. Equal answers of several windows are one, whose
        score is their sum.

    Raises:
        ValueError: Logits and rows do not fit, logits make no probabilities, or a number cannot be.

    Example:
        >>> import numpy as np
        >>> from piecework import PreTrainedTokenizer, Tokenizer, models, pre_tokenizers
        >>> from piecework.tasks.question_answering import answers
        >>> backend = Tokenizer(models.WordLevel({"who": 0, "Ada": 1, "wrote": 2, "it": 3}))
        >>> backend.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> tokenizer = PreTrainedTokenizer(tokenizer_object=backend)
        >>> logits = np.array([0.0, 9.0, 0.0, 0.0])
        >>> answers("Ada wrote it", tokenizer("who", "Ada wrote it"), logits, logits)[0]["answer"]
        'Ada'
    """
    for name, number in (("top_k", top_k), ("max_answer_len", max_answer_len)):
        if not hasattr(type(number), "__index__"):
            raise wrong_type(name, "int", number)
        if number < 1:
            raise ValueError(f"{name} is `{number}`, expected 1 or more")
    if context_index not in (None, 0, 1):
        raise ValueError(f"context_index is `{context_index}`, expected 0, 1 or None")
    rows, words = encodings_of(batch), Words.of(batch, tokenizer)
    starts, ends = _matrix("start_logits", start_logits, len(rows)), _matrix("end_logits", end_logits, len(rows))
    if starts.shape != ends.shape:
        raise ValueError(f"start_logits have shape `{starts.shape}` and end_logits `{ends.shape}`, expected the same")
    pads_left = words.attribute("padding_side") == "left"
    if context_index is None:
        context_index = 0 if pads_left else 1
    wanted = 2 * top_k + 10 if align_to_words else top_k
    found: dict[str, Answer] = {}
    null = 1e6
    for row, start, end in zip(rows, starts, ends, strict=True):
        shift = len(start) - len(row) if pads_left else 0
        eligible = _eligible(row, len(start), shift, context_index, words.attribute("cls_token_id"))
        begins, stops = (_probabilities(logits, eligible) for logits in (start, end))
        # The first token that is no padding stands for "no answer".
        none = shift + next((i for i, attended in enumerate(row.attention_mask) if attended), 0)
        null = min(null, (begins[none] * stops[none]).item())
        begins[none] = stops[none] = 0.0
        for first, last, score in _best(begins, stops, eligible, wanted, max_answer_len):
            span = _span(row, first - shift, last - shift, context_index, align_to_words=align_to_words)
            answer = context[slice(*span)]
            same = found.setdefault(answer.lower(), {"score": 0.0, "start": span[0], "end": span[1], "answer": answer})
            same["score"] += score
    best = [*found.values()]
    if handle_impossible_answer:
        best.append({"score": null, "start": 0, "end": 0, "answer": ""})
    return sorted(best, key=lambda answer: answer["score"], reverse=True)[:top_k]


def _matrix(name: str, logits: Any, rows: int) -> NDArray[Any]:
    array = as_array(logits)
    array = array[None] if array.ndim == 1 else array
    if array.ndim != 2 or len(array) != rows:
        raise ValueError(f"{name} have shape `{np.shape(logits)}`, expected a number a token for each of `{rows}` rows")
    return array


def _probabilities(logits: NDArray[Any], eligible: NDArray[np.bool_]) -> NDArray[Any]:
    """The probability of each token.

    Raises:
        ValueError: There are none, since logits are NaN or infinite.
    """
    taken = np.where(eligible, logits, _NEVER)
    if np.isnan(taken).any() or np.isinf(taken.max()):
        raise ValueError("logits of tokens of the context are NaN or infinite, which makes no probabilities")
    return softmax(taken)


def _eligible(row: Any, length: int, shift: int, context_index: int, cls: int | None) -> NDArray[np.bool_]:
    """Whether each token takes part: those of the context and `[CLS]`.

    Where the context goes in front the pipeline lets all tokens take part, the question and special ones too.
    """
    if not 0 <= length - shift - len(row) <= length:
        raise ValueError(f"a row has `{len(row)}` tokens, but logits for `{length}`")
    eligible = np.zeros(length, dtype=np.bool_)
    mine = slice(shift, shift + len(row))
    part = np.array([context_index == 0 or sequence == context_index for sequence in row.sequence_ids], dtype=np.bool_)
    if cls is not None:
        part |= np.array(row.ids) == cls
    eligible[mine] = part & (np.array(row.attention_mask) == 1)
    return eligible


def _best(
    begins: NDArray[Any], stops: NDArray[Any], eligible: NDArray[np.bool_], wanted: int, max_answer_len: int
) -> list[tuple[int, int, float]]:
    """The spans of tokens with the highest products: first token, last token, score.

    Those of them that are not eligible at both ends are dropped, so there may be fewer than wanted.
    """
    scores = np.tril(np.triu(np.outer(begins, stops)), max_answer_len - 1).ravel()
    if wanted == 1:
        order = np.array([scores.argmax()])
    elif len(scores) <= wanted:
        order = np.argsort(-scores)
    else:
        some = np.argpartition(-scores, wanted)[:wanted]
        order = some[np.argsort(-scores[some])]
    firsts, lasts = np.unravel_index(order, (len(begins), len(stops)))
    kept = eligible[firsts] & eligible[lasts]
    return list(zip(firsts[kept].tolist(), lasts[kept].tolist(), scores[order[kept]].tolist(), strict=True))


def _span(row: Any, first: int, last: int, context_index: int, *, align_to_words: bool) -> tuple[int, int]:
    """The code points of the context from one token to another, or from the word of the one to that of the other."""
    if align_to_words:
        words = row.token_to_word(first), row.token_to_word(last)
        spans = [None if word is None else row.word_to_chars(word, context_index) for word in words]
        if spans[0] is not None and spans[1] is not None:
            return spans[0][0], spans[1][1]
    return row.offsets[first][0], row.offsets[last][1]
