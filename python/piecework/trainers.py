"""Trainers: how a vocabulary is learnt. A trainer holds parameters; `Tokenizer.train` and its relatives do the work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._checks import boolean, natural, number, one_of, optional_natural, optional_text
from piecework._component import Field, Json
from piecework._parity import ParityBpeTrainer
from piecework._trainer import Trainer, checked_alphabet, checked_tokens, dump_tokens, load_tokens
from piecework.models import ignore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework.added_token import AddedToken

__all__ = ["BpeTrainer", "ParityBpeTrainer", "Trainer", "UnigramTrainer", "WordLevelTrainer", "WordPieceTrainer"]


_PROGRESS = {"indicatif": "Indicatif", "json": "JsonLines", "silent": "Silent"}
"""How progress is shown: names in Python and in JSON."""


class BpeTrainer(Trainer):
    """Learns a BPE vocabulary: the most frequent pair of neighbours becomes a token, again and again.

    Args:
        vocab_size: Tokens of the vocabulary, special ones and alphabet included.
        min_frequency: How often a pair must occur to be merged.
        show_progress: Whether to draw a progress bar.
        progress_format: `indicatif` (a bar), `json` (lines on the standard error) or `silent`.
        special_tokens: Tokens that come first.
        limit_alphabet: So many characters at most; the rarest are left out.
        initial_alphabet: Characters that are in the vocabulary in any case; of each text the first character.
        continuing_subword_prefix: In front of every symbol of a word but the first.
        end_of_word_suffix: Behind the last symbol of a word.
        max_token_length: A pair of tokens that are together this long or longer is not merged, unless both are
            characters, as in the reference.
        enforce_byte_fallback: Whether every byte gets a token, `<0x00>` to `<0xFF>`, behind the special tokens; the
            model then falls back to them (`byte_fallback`).
        split_special_tokens: Whether the texts of special tokens in the corpus are learnt from as any other text, as in
            the reference. If not, they are cut out.
        options: Others are named on the standard output and ignored.

    Example:
        >>> from piecework import Tokenizer, models, pre_tokenizers, trainers
        >>> tokenizer = Tokenizer(models.BPE())
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> tokenizer.train_from_iterator(["hug pug hug"], trainers.BpeTrainer(vocab_size=6, show_progress=False))
        >>> sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().get)
        ['g', 'h', 'p', 'u', 'ug', 'hug']
    """

    _trains = "BPE"

    min_frequency = Field(natural)
    vocab_size = Field(natural)
    show_progress = Field(boolean)
    progress_format = Field(
        one_of(*_PROGRESS), dump=_PROGRESS.__getitem__, load={v: k for k, v in _PROGRESS.items()}.__getitem__
    )
    special_tokens = Field(checked_tokens, dump=dump_tokens, load=load_tokens)
    limit_alphabet = Field(optional_natural)
    initial_alphabet = Field(checked_alphabet)
    continuing_subword_prefix = Field(optional_text)
    end_of_word_suffix = Field(optional_text)
    max_token_length = Field(optional_natural)
    enforce_byte_fallback = Field(boolean)
    split_special_tokens = Field(boolean)

    def __init__(
        self,
        *,
        vocab_size: int = 30_000,
        min_frequency: int = 0,
        show_progress: bool = True,
        progress_format: str = "indicatif",
        special_tokens: list[str | AddedToken] | list[str] | list[AddedToken] | tuple[()] = (),
        limit_alphabet: int | None = None,
        initial_alphabet: Sequence[str] = (),
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        max_token_length: int | None = None,
        enforce_byte_fallback: bool = False,
        split_special_tokens: bool = True,
        **options: object,
    ) -> None:
        ignore(options)
        self.vocab_size = vocab_size
        self.min_frequency = min_frequency
        self.show_progress = show_progress
        self.progress_format = progress_format
        self.special_tokens = checked_tokens("special_tokens", [] if special_tokens == () else special_tokens)
        self.limit_alphabet = limit_alphabet
        self.initial_alphabet = checked_alphabet("initial_alphabet", initial_alphabet)
        self.continuing_subword_prefix = continuing_subword_prefix
        self.end_of_word_suffix = end_of_word_suffix
        self.max_token_length = max_token_length
        self.enforce_byte_fallback = enforce_byte_fallback
        self.split_special_tokens = split_special_tokens

    def _description(self) -> dict[str, Json]:
        return {key: value for key, value in super()._description().items() if key != "split_special_tokens"}

    def _written(self) -> dict[str, Json]:
        # Defaults that the reference does not know are left out, so that the state is that of the reference.
        written = super()._written()
        if not self.enforce_byte_fallback:
            del written["enforce_byte_fallback"]
        if self.split_special_tokens:
            del written["split_special_tokens"]
        return written

    def _load_written(self, written: dict[str, Json]) -> None:
        self._load({"enforce_byte_fallback": False, "split_special_tokens": True, **written})

    def get_word_count(self) -> int:
        """Distinct words of the latest corpus."""
        return self._word_count


class WordPieceTrainer(Trainer):
    """Learns a WordPiece vocabulary.

    Args:
        vocab_size: Tokens of the vocabulary, special ones and alphabet included.
        min_frequency: How often a pair must occur to be merged.
        show_progress: Whether to draw a progress bar.
        special_tokens: Tokens that come first.
        limit_alphabet: So many characters at most; the rarest are left out.
        initial_alphabet: Characters that are in the vocabulary in any case; of each text the first character.
        continuing_subword_prefix: In front of every symbol of a word but the first.
        end_of_word_suffix: Behind the last symbol of a word.
        scoring: Which pair is merged: `frequency` takes the most frequent one, `likelihood` the one whose count is
            greatest relative to the product of the counts of its parts.
        options: Others are named on the standard output and ignored.

    Example:
        >>> from piecework import Tokenizer, models, pre_tokenizers, trainers
        >>> tokenizer = Tokenizer(models.WordPiece())
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> tokenizer.train_from_iterator(["hug hugs"], trainers.WordPieceTrainer(vocab_size=99, show_progress=False))
        >>> tokenizer.encode("hugs").tokens
        ['hugs']
    """

    _trains = "WordPiece"

    min_frequency = Field(natural)
    vocab_size = Field(natural)
    show_progress = Field(boolean)
    special_tokens = Field(checked_tokens, dump=dump_tokens, load=load_tokens)
    limit_alphabet = Field(optional_natural)
    initial_alphabet = Field(checked_alphabet)
    continuing_subword_prefix = Field(optional_text)
    end_of_word_suffix = Field(optional_text)
    scoring = Field(one_of("frequency", "likelihood"))

    def __init__(
        self,
        *,
        vocab_size: int = 30_000,
        min_frequency: int = 0,
        show_progress: bool = True,
        special_tokens: list[str | AddedToken] | list[str] | list[AddedToken] | tuple[()] = (),
        limit_alphabet: int | None = None,
        initial_alphabet: Sequence[str] = (),
        continuing_subword_prefix: str | None = "##",
        end_of_word_suffix: str | None = None,
        scoring: str = "frequency",
        **options: object,
    ) -> None:
        ignore(options)
        self.vocab_size = vocab_size
        self.min_frequency = min_frequency
        self.show_progress = show_progress
        self.special_tokens = checked_tokens("special_tokens", [] if special_tokens == () else special_tokens)
        self.limit_alphabet = limit_alphabet
        self.initial_alphabet = checked_alphabet("initial_alphabet", initial_alphabet)
        self.continuing_subword_prefix = continuing_subword_prefix
        self.end_of_word_suffix = end_of_word_suffix
        self.scoring = scoring

    def _written(self) -> dict[str, Json]:
        parameters = self._parameters()
        bpe = {
            "min_frequency": parameters["min_frequency"],
            "vocab_size": parameters["vocab_size"],
            "show_progress": parameters["show_progress"],
            "progress_format": "Indicatif",
            **{key: parameters[key] for key in ("special_tokens", "limit_alphabet", "initial_alphabet")},
            **{key: parameters[key] for key in ("continuing_subword_prefix", "end_of_word_suffix")},
            "max_token_length": None,
            "words": {},
        }
        # The default is left out, so that the state is that of the reference.
        return {"bpe_trainer": bpe, **({} if self.scoring == "frequency" else {"scoring": self.scoring})}

    def _load_written(self, written: dict[str, Json]) -> None:
        self._load({"scoring": "frequency", **written, **written["bpe_trainer"]})


class WordLevelTrainer(Trainer):
    """Takes the most frequent words as the vocabulary.

    Args:
        vocab_size: Tokens of the vocabulary, special ones included.
        min_frequency: How often a word must occur.
        show_progress: Whether to draw a progress bar.
        special_tokens: Tokens that come first.
        options: Others are named on the standard output and ignored.

    Example:
        >>> from piecework import Tokenizer, models, pre_tokenizers, trainers
        >>> tokenizer = Tokenizer(models.WordLevel())
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> tokenizer.train_from_iterator(["a b a"], trainers.WordLevelTrainer(vocab_size=1, show_progress=False))
        >>> tokenizer.get_vocab()
        {'a': 0}
    """

    _trains = "WordLevel"

    min_frequency = Field(natural)
    vocab_size = Field(natural)
    show_progress = Field(boolean)
    special_tokens = Field(checked_tokens, dump=dump_tokens, load=load_tokens)

    def __init__(
        self,
        *,
        vocab_size: int = 30_000,
        min_frequency: int = 0,
        show_progress: bool = True,
        special_tokens: list[str | AddedToken] | list[str] | list[AddedToken] | tuple[()] = (),
        **options: object,
    ) -> None:
        ignore(options)
        self.vocab_size = vocab_size
        self.min_frequency = min_frequency
        self.show_progress = show_progress
        self.special_tokens = checked_tokens("special_tokens", [] if special_tokens == () else special_tokens)


class UnigramTrainer(Trainer):
    """Learns a Unigram vocabulary: starts from many substrings and drops those that the corpus misses least.

    Args:
        vocab_size: Tokens of the vocabulary, special ones and all characters included; fewer if the corpus has no more.
        show_progress: Whether to draw a progress bar.
        special_tokens: Tokens that come first.
        initial_alphabet: Characters that are in the vocabulary in any case; of each text the first character.
        shrinking_factor: Part of the pieces that a round of pruning keeps; at least 0, below 1.
        unk_token: The token for unknown characters; it comes first if it is not among the special tokens.
        max_piece_length: Most characters of a piece.
        n_sub_iterations: Rounds of expectation maximization before each pruning.
        seed_size: Pieces to start from.
        options: Others are named on the standard output and ignored.

    Example:
        >>> from piecework import Tokenizer, models, pre_tokenizers, trainers
        >>> tokenizer = Tokenizer(models.Unigram())
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> trainer = trainers.UnigramTrainer(vocab_size=8, unk_token="<unk>", show_progress=False)
        >>> tokenizer.train_from_iterator(["hug hugs pug pugs bug"], trainer)
        >>> tokenizer.encode("hugs").tokens
        ['h', 'ug', 's']
    """

    _trains = "Unigram"

    show_progress = Field(boolean)
    vocab_size = Field(natural)
    n_sub_iterations = Field(natural)
    shrinking_factor = Field(number)
    special_tokens = Field(checked_tokens, dump=dump_tokens, load=load_tokens)
    initial_alphabet = Field(checked_alphabet)
    unk_token = Field(optional_text)
    max_piece_length = Field(natural)
    seed_size = Field(natural)

    def __init__(
        self,
        *,
        vocab_size: int = 8000,
        show_progress: bool = True,
        special_tokens: list[str | AddedToken] | list[str] | list[AddedToken] | tuple[()] = (),
        initial_alphabet: Sequence[str] = (),
        shrinking_factor: float = 0.75,
        unk_token: str | None = None,
        max_piece_length: int = 16,
        n_sub_iterations: int = 2,
        seed_size: int = 1_000_000,
        **options: object,
    ) -> None:
        ignore(options)
        self.vocab_size = vocab_size
        self.show_progress = show_progress
        self.special_tokens = checked_tokens("special_tokens", [] if special_tokens == () else special_tokens)
        self.initial_alphabet = checked_alphabet("initial_alphabet", initial_alphabet)
        self.shrinking_factor = shrinking_factor
        self.unk_token = unk_token
        self.max_piece_length = max_piece_length
        self.n_sub_iterations = n_sub_iterations
        self.seed_size = seed_size
