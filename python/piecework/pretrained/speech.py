"""The tokenizer of Whisper: prefixes for language and task, and times in decoded texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from piecework.errors import SettingError
from piecework.pretrained._languages import WHISPER, WHISPER_CODES
from piecework.pretrained._tensors import to_python
from piecework.pretrained.tokenizer import PreTrainedTokenizer
from piecework.processors import TemplateProcessing

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["WhisperTokenizer"]

_TASKS = {"transcribe": "<|transcribe|>", "translate": "<|translate|>"}
_TIME = re.compile(r"<\|\d+\.\d+\|>")
_SEGMENT = 1500
"""Steps of time in 30 seconds of sound."""


class WhisperTokenizer(PreTrainedTokenizer, families=("WhisperTokenizer",)):
    """The tokenizer of Whisper; `AutoTokenizer.from_pretrained` makes it for its folders.

    Texts get a prefix that says their language, the task, and that there are no times in them.

    Example:
        >>> from piecework import Tokenizer, models
        >>> from piecework.pretrained import WhisperTokenizer
        >>> backend = Tokenizer(models.BPE({"h": 0, "i": 1}, []))
        >>> names = ("endoftext", "startoftranscript", "en", "transcribe", "notimestamps")
        >>> _ = backend.add_special_tokens([f"<|{name}|>" for name in names])
        >>> tokenizer = WhisperTokenizer(tokenizer_object=backend, eos_token="<|endoftext|>", language="english")
        >>> tokenizer.set_prefix_tokens(task="transcribe")
        >>> tokenizer("hi").tokens()
        ['<|startoftranscript|>', '<|en|>', '<|transcribe|>', '<|notimestamps|>', 'h', 'i', '<|endoftext|>']
    """

    language: str | None
    """The language of texts, by name or code; None puts in none."""
    task: str | None
    """`transcribe`, `translate`, or None."""
    predict_timestamps: bool
    """Whether texts have times in them, so that `<|notimestamps|>` is left out."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        settings = self.init_kwargs
        self.language = settings.get("language")
        self.task = settings.get("task")
        self.predict_timestamps = settings.get("predict_timestamps", False)
        self.set_prefix_tokens()

    # -----------------------------------------------------------------------------------------------------------------
    # Prefixes

    @property
    def prefix_tokens(self) -> list[int]:
        """The ids of the prefix.

        Raises:
            ValueError: The language or the task is unknown.
        """
        (start,) = ids = [self.convert_tokens_to_ids("<|startoftranscript|>")]
        if self.language is not None:
            self.language = self.language.lower()
            code = WHISPER_CODES.get(self.language, self.language)
            if code not in WHISPER:
                known = "`, `".join(WHISPER if len(code) == 2 else WHISPER_CODES)
                raise SettingError(f"unknown language `{self.language}`, expected one of `{known}`")
            ids.append(start + 1 + list(WHISPER).index(code))
        if self.task is not None:
            if self.task not in _TASKS:
                raise SettingError(f"unknown task `{self.task}`, expected `transcribe` or `translate`")
            ids.append(self.convert_tokens_to_ids(_TASKS[self.task]))
        if not self.predict_timestamps:
            ids.append(self.convert_tokens_to_ids("<|notimestamps|>"))
        return ids

    def set_prefix_tokens(
        self, language: str | None = None, task: str | None = None, predict_timestamps: bool | None = None
    ) -> None:
        """Change what is put in front of texts; None leaves a setting as it is.

        Args:
            language: The name of a language, or its code.
            task: `transcribe` or `translate`.
            predict_timestamps: Whether texts have times in them.

        Raises:
            ValueError: The language or the task is unknown, or a token of the prefix is not in the vocabulary; the
                settings stay what they were.
        """
        before = self.language, self.task, self.predict_timestamps
        self.language = self.language if language is None else language
        self.task = self.task if task is None else task
        self.predict_timestamps = self.predict_timestamps if predict_timestamps is None else predict_timestamps
        try:
            ids = self.prefix_tokens
            tokens = self._tokens_of(ids)
        except Exception:
            self.language, self.task, self.predict_timestamps = before
            raise
        (end,) = self._tokens_of([self.eos_token_id])
        prefix = [f"{token}:0" for token in tokens]
        self._tokenizer.post_processor = TemplateProcessing(
            single=[*prefix, "$A:0", f"{end}:0"],
            pair=[*prefix, "$A:0", "$B:1", f"{end}:1"],
            special_tokens=[*zip([end, *tokens], [int(self.eos_token_id or 0), *ids], strict=True)],
        )

    def _tokens_of(self, ids: list[Any]) -> list[str]:
        """The tokens of ids that must be there."""
        found = [None if token_id is None else self.convert_ids_to_tokens(token_id) for token_id in ids]
        tokens = [token for token in found if token is not None]
        if len(tokens) < len(found):
            raise SettingError(f"the vocabulary lacks tokens to put around texts: ids {ids} are the tokens {found}")
        return tokens

    def get_decoder_prompt_ids(
        self, task: str | None = None, language: str | None = None, no_timestamps: bool = True
    ) -> list[tuple[int, int]]:
        """Set the prefix, and give its ids after the first with their places, as the decoder is forced to begin."""
        self.set_prefix_tokens(task=task, language=language, predict_timestamps=not no_timestamps)
        return list(enumerate(self.prefix_tokens[1:], start=1))

    def get_prompt_ids(self, text: str, return_tensors: str | None = "np") -> Any:
        """The ids of a text that goes before what is to be transcribed.

        Raises:
            ValueError: It has special tokens in it.
        """
        batch = self("<|startofprev|>", f" {text.strip()}", add_special_tokens=False)
        first = self.all_special_ids[0]
        for token_id in batch["input_ids"][1:]:
            if token_id >= first:
                raise ValueError(f"the prompt has the special token `{self.convert_ids_to_tokens(token_id)}` in it")
        return batch.convert_to_tensors(return_tensors)["input_ids"]

    def get_special_tokens_mask(
        self, token_ids_0: list[int], token_ids_1: list[int] | None = None, already_has_special_tokens: bool = False
    ) -> list[int]:
        """1 for ids of special tokens, else 0: of a whole row, or of one that is still to get them."""
        if already_has_special_tokens:
            return super().get_special_tokens_mask(token_ids_0, token_ids_1, already_has_special_tokens=True)
        texts = len(token_ids_0) + len(token_ids_1 or ())
        return [1] * len(self.prefix_tokens) + [0] * texts + [1]

    # -----------------------------------------------------------------------------------------------------------------
    # Decoding

    def timestamp_ids(self, time_precision: float = 0.02) -> list[int]:
        """The ids of the tokens for times from 0 to 30 seconds.

        Args:
            time_precision: Seconds between two of them.
        """
        times = [f"<|{step * time_precision:.2f}|>" for step in range(_SEGMENT + 1)]
        ids: list[int] = self.convert_tokens_to_ids(times)
        return ids

    def decode(  # type: ignore[override]
        self,
        token_ids: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        output_offsets: bool = False,
        time_precision: float = 0.02,
        decode_with_timestamps: bool = False,
        **options: Any,
    ) -> Any:
        """The text of ids, or the texts of a list of lists of ids.

        Args:
            token_ids: An id, a list of ids or a list of lists; arrays too.
            skip_special_tokens: Whether to leave special tokens out, and a prompt in front.
            clean_up_tokenization_spaces: As in `PreTrainedTokenizer.decode`.
            output_offsets: Whether to give a dict with the text, and with the texts between times.
            time_precision: Seconds between two tokens of time.
            decode_with_timestamps: Whether to write times into the text.
            **options: Must not ask for `normalize` or `basic_normalize`, which are made for comparing transcripts.
        """
        if options.get("normalize") or options.get("basic_normalize"):
            raise ValueError("normalize and basic_normalize are not here: they belong to the scores of transcripts")
        ids = to_python(token_ids)
        kept = self._without_prompt(ids) if skip_special_tokens else ids
        if decode_with_timestamps:
            rows = kept if _is_batch(kept) else [kept]
            texts = [self._timed(row, time_precision, skip_special_tokens=skip_special_tokens) for row in rows]
            text: Any = texts if _is_batch(kept) else texts[0]
        else:
            text = super().decode(kept, skip_special_tokens, clean_up_tokenization_spaces)
            text = [_TIME.sub("", one) for one in text] if isinstance(text, list) else _TIME.sub("", text)
        if output_offsets:
            return {"text": text, "offsets": self._texts_between_times(ids, time_precision)}
        return text

    def batch_decode(
        self,
        sequences: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        **options: Any,
    ) -> list[Any]:
        """What `decode` gives for each of several lists of ids."""
        return [self.decode(row, skip_special_tokens, clean_up_tokenization_spaces, **options) for row in sequences]

    def _without_prompt(self, ids: Any) -> Any:
        """The ids from the start of the transcript on, where a prompt is in front of it."""
        if not ids or ids[0] != self.convert_tokens_to_ids("<|startofprev|>"):
            return ids
        start = self.convert_tokens_to_ids("<|startoftranscript|>")
        return ids[ids.index(start) :] if start in ids else []

    @property
    def _first_time(self) -> int:
        """The id of 0 seconds: that behind the special tokens."""
        return self.all_special_ids[-1] + 1

    def _timed(self, ids: list[int], precision: float, *, skip_special_tokens: bool) -> str:
        """The text of ids with times written out, which go on through several segments of 30 seconds."""
        first = self._first_time
        parts: list[str | list[int]] = [[]]
        latest = before = passed = 0.0
        for place, token_id in enumerate(ids):
            if token_id < first:
                parts[-1].append(token_id)  # type: ignore[union-attr]
                continue
            time = float((token_id - first) * precision)
            if time < latest:  # a new segment begins
                if place >= 2 and (ids[place - 1] < first or ids[place - 2] < first):
                    passed += precision * _SEGMENT
                else:  # the segment before was not full: its last two times are one
                    latest = before
                    passed += before
                    parts = parts[:-2]
            before, latest = latest, time
            parts += [f"<|{time + passed:.2f}|>", []]
        return "".join(
            part if isinstance(part, str) else super(WhisperTokenizer, self).decode(part, skip_special_tokens)
            for part in parts
            if part
        )

    def _texts_between_times(self, token_ids: Any, precision: float) -> list[dict[str, Any]]:
        """The texts between two times each, with the times in seconds."""
        ids: NDArray[Any] = np.array(token_ids)
        if ids.ndim > 1 and len(ids) > 1:
            raise ValueError("output_offsets takes one list of ids at a time")
        first = self._first_time
        is_time = ids >= first
        ends = np.flatnonzero(is_time[:-1] & is_time[1:]) + 1
        if not len(ends) and is_time.sum() <= 1:
            return []
        places = np.flatnonzero(is_time)
        if places[-1] + 1 not in ends:
            ends = np.append(ends, places[-1] + 1)
        found = []
        start, latest, passed = int(places[0]), 0, 0
        for end in ends.tolist():
            piece = ids[start:end]
            if len(piece) > 1:
                begin, stop = int(piece[0]) - first, int(piece[-1]) - first
                if begin < latest:  # a new segment begins
                    alone = start >= 2 and not (is_time[start - 2] and is_time[start - 1])
                    passed += _SEGMENT if alone else latest
                latest = stop
                text = _TIME.sub("", super().decode(piece))
                times = begin * precision + passed * precision, stop * precision + passed * precision
                found.append({"text": text, "timestamp": times})
            start = end
        return found


def _is_batch(ids: Any) -> bool:
    return isinstance(ids, list) and bool(ids) and isinstance(ids[0], list)
