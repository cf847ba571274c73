"""The exceptions of piecework: ordinary ones, so that `except Exception` and `except ValueError` catch them.

The tree::

    PieceworkError
    ├── SpecError(ValueError)       a description that cannot be compiled: `.path`, `.reason`, `.file`
    ├── FormatError(ValueError)     a foreign file that cannot be read: `.file`, `.reason`
    ├── SettingError(ValueError)    truncation or padding that no text can satisfy
    ├── EncodeError(ValueError)     a text that the tokenizer cannot encode
    ├── DecodeError(ValueError)     ids or tokens that cannot be decoded
    ├── TemplateError(ValueError)   a chat template that fails: `.line`, `.reason`
    ├── TrainingError(ValueError)   nothing to learn from, or a size out of reach
    └── InternalError(RuntimeError) a fault of piecework itself

What Python has an exception for keeps it: `TypeError` for a wrong argument, `OSError` for a file, `UnicodeEncodeError`
for a text with lone surrogates.
"""

from __future__ import annotations

__all__ = [
    "DecodeError",
    "EncodeError",
    "FormatError",
    "InternalError",
    "PieceworkError",
    "SettingError",
    "SpecError",
    "TemplateError",
    "TrainingError",
]


class PieceworkError(Exception):
    """What all exceptions of piecework have in common.

    Example:
        >>> from piecework import PieceworkError, Tokenizer
        >>> try:
        ...     Tokenizer.from_str("{}")
        ... except PieceworkError as error:
        ...     print(type(error).__name__)
        SpecError
    """


class SpecError(PieceworkError, ValueError):
    """A description (a `tokenizer.json`, a component, its arguments) that cannot be compiled.

    Attributes:
        path: Where in the description, as `model.merges[17]`; empty for the whole of it.
        reason: What is wrong there, and what would be right.
        file: The file that was read, or empty.

    Example:
        >>> from piecework import SpecError, Tokenizer
        >>> try:
        ...     Tokenizer.from_str('{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "b"]]}}')
        ... except SpecError as error:
        ...     print(error.path)
        model.merges[0]
    """

    def __init__(self, reason: str, path: str = "", file: str = "") -> None:
        super().__init__(": ".join(part for part in (file, path, reason) if part))
        self.path = path
        self.reason = reason
        self.file = file

    def __reduce__(self) -> tuple[type[SpecError], tuple[str, str, str]]:
        return type(self), (self.reason, self.path, self.file)


class FormatError(PieceworkError, ValueError):
    """A foreign file that cannot be read.

    Attributes:
        file: The file.
        reason: What is wrong with it.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from piecework import AutoTokenizer, FormatError
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "tokenizer_config.json").write_text("{")
        ...     try:
        ...         AutoTokenizer.from_pretrained(folder)
        ...     except FormatError as error:
        ...         print(Path(error.file).name)
        tokenizer_config.json
    """

    def __init__(self, reason: str, file: str) -> None:
        super().__init__(f"{file}: {reason}")
        self.file = file
        self.reason = reason

    def __reduce__(self) -> tuple[type[FormatError], tuple[str, str]]:
        return type(self), (self.reason, self.file)


class SettingError(PieceworkError, ValueError):
    """Truncation or padding settings that no text can satisfy, or that this one cannot.

    Example:
        >>> from piecework import SettingError, Tokenizer, models
        >>> tokenizer = Tokenizer(models.BPE())
        >>> try:
        ...     tokenizer.enable_truncation(8, stride=8)
        ... except SettingError as error:
        ...     print(error)
        truncation stride `8` is not less than the `8` tokens that a text may keep ...
    """


class EncodeError(PieceworkError, ValueError):
    """A text that the tokenizer cannot encode, as one with a character unknown to a model without an unknown token.

    Example:
        >>> from piecework import EncodeError, Tokenizer, models
        >>> try:
        ...     Tokenizer(models.WordLevel({"hug": 0})).encode("pug")
        ... except EncodeError as error:
        ...     print(error)
        `pug` is not in the vocabulary, and neither is the unk_token `<unk>` that would stand for it
    """


class DecodeError(PieceworkError, ValueError):
    r"""Ids or tokens that cannot be decoded.

    Example:
        >>> from piecework import DecodeError, Regex, decoders
        >>> try:
        ...     decoders.Replace(Regex(r"(a|b|ab)*\1c"), "").decode(["ab" * 2000])
        ... except DecodeError as error:
        ...     print("too many ways to match")
        too many ways to match
    """


class TemplateError(PieceworkError, ValueError):
    """A chat template that is no Jinja, that fails, or that does what its sandbox forbids.

    Attributes:
        line: The line of the template, from 1; None if it is not known.
        reason: What went wrong there.

    Example:
        >>> from piecework import TemplateError
        >>> error = TemplateError("unknown role", line=3)
        >>> print(error)
        chat template, line 3: unknown role
    """

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(f"chat template: {reason}" if line is None else f"chat template, line {line}: {reason}")
        self.line = line
        self.reason = reason

    def __reduce__(self) -> tuple[type[TemplateError], tuple[str, int | None]]:
        return type(self), (self.reason, self.line)


class TrainingError(PieceworkError, ValueError):
    """Nothing to learn from, a size out of reach, or parameters that contradict each other.

    Example:
        >>> from piecework import Tokenizer, TrainingError, models, trainers
        >>> trainer = trainers.UnigramTrainer(vocab_size=2, show_progress=False)
        >>> try:
        ...     Tokenizer(models.Unigram()).train_from_iterator(["hug"], trainer)
        ... except TrainingError as error:
        ...     print(error)
        vocab_size is `2`, below `3`, the smallest size possible: ...
    """


class InternalError(PieceworkError, RuntimeError):
    """A fault of piecework itself. Please report it, with the input that led to it.

    Example:
        >>> from piecework import InternalError
        >>> issubclass(InternalError, ValueError)
        False
    """
