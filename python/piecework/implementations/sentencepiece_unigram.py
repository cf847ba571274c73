"""Unigram over words with marks, as SentencePiece has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework import decoders, models, normalizers, pre_tokenizers, trainers
from piecework.formats.sentencepiece import UNIGRAM, read_model
from piecework.implementations.base_tokenizer import BaseTokenizer, Tokens, as_files
from piecework.regex import Regex
from piecework.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from piecework._parts import PathLike


class SentencePieceUnigramTokenizer(BaseTokenizer):
    """A Unigram model over words that begin with a mark.

    Args:
        vocab: Tokens with their scores; without them it is to be trained.
        replacement: The mark.
        add_prefix_space: Whether the first word has a mark too.

    Example:
        >>> from piecework import SentencePieceUnigramTokenizer
        >>> letters = [(letter, -5.0) for letter in "▁hugs"]
        >>> tokenizer = SentencePieceUnigramTokenizer([("▁hug", -1.0), *letters])
        >>> tokenizer.encode("hugs").tokens
        ['▁hug', 's']
    """

    def __init__(
        self,
        vocab: list[tuple[str, float]] | None = None,
        replacement: str = "▁",
        add_prefix_space: bool = True,
    ) -> None:
        model = models.Unigram(vocab) if vocab is not None else models.Unigram()
        cleaning = normalizers.Sequence(
            [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
        )
        parameters = {
            "model": "SentencePieceUnigram",
            "replacement": replacement,
            "add_prefix_space": add_prefix_space,
        }
        super().__init__(_assembled(model, cleaning, replacement, add_prefix_space), parameters)

    @staticmethod
    def from_spm(filename: PathLike) -> SentencePieceUnigramTokenizer:
        """A tokenizer from a SentencePiece file, which needs nothing but the file.

        Raises:
            FormatError: The file is none.
            ValueError: Its model is no Unigram model.
        """
        found = read_model(filename)
        if found.model_type != UNIGRAM:
            raise ValueError(
                "You're trying to run a `Unigram` model but you're file was trained with a different algorithm"
            )
        vocab = [(piece.text, piece.score) for piece in found.pieces]
        cleaning: list[normalizers.Normalizer] = [normalizers.Replace(Regex(" {2,}"), " ")]
        if found.precompiled_charsmap:
            cleaning.insert(0, normalizers.Precompiled(found.precompiled_charsmap))
        model = models.Unigram(vocab, found.unk_id, found.byte_fallback)
        tokenizer = SentencePieceUnigramTokenizer.__new__(SentencePieceUnigramTokenizer)
        inside = _assembled(model, normalizers.Sequence(cleaning), "▁", add_prefix_space=True)
        BaseTokenizer.__init__(tokenizer, inside, {"model": "SentencePieceUnigram"})
        return tokenizer

    def train(
        self,
        files: PathLike | list[PathLike],
        vocab_size: int = 8000,
        show_progress: bool = True,
        special_tokens: Tokens | None = None,
        initial_alphabet: Sequence[str] | None = None,
        unk_token: str | None = None,
    ) -> None:
        """Train on files; the arguments are those of `UnigramTrainer`."""
        trainer = _trainer(vocab_size, show_progress, special_tokens, initial_alphabet, unk_token)
        self._tokenizer.train(as_files(files), trainer=trainer)

    def train_from_iterator(
        self,
        iterator: Iterable[Any],
        vocab_size: int = 8000,
        show_progress: bool = True,
        special_tokens: Tokens | None = None,
        initial_alphabet: Sequence[str] | None = None,
        unk_token: str | None = None,
        length: int | None = None,
    ) -> None:
        """Train on texts, or batches of texts; the arguments are those of `UnigramTrainer`."""
        trainer = _trainer(vocab_size, show_progress, special_tokens, initial_alphabet, unk_token)
        self._tokenizer.train_from_iterator(iterator, trainer=trainer, length=length)


def _assembled(
    model: models.Model, cleaning: normalizers.Normalizer, replacement: str, add_prefix_space: bool
) -> Tokenizer:
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = cleaning
    scheme = "always" if add_prefix_space else "never"
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement, scheme)
    tokenizer.decoder = decoders.Metaspace(replacement, scheme)
    return tokenizer


def _trainer(
    vocab_size: int,
    show_progress: bool,
    special_tokens: Tokens | None,
    initial_alphabet: Sequence[str] | None,
    unk_token: str | None,
) -> trainers.UnigramTrainer:
    return trainers.UnigramTrainer(
        vocab_size=vocab_size,
        special_tokens=special_tokens or (),
        show_progress=show_progress,
        initial_alphabet=initial_alphabet or (),
        unk_token=unk_token,
    )
