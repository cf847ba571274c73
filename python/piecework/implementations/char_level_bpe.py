"""The first GPT's tokenizer: BPE over characters, with a suffix that ends words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework import decoders, models, trainers
from piecework.implementations.base_tokenizer import BaseTokenizer, Tokens, as_files, unicode_and_case
from piecework.normalizers import BertNormalizer
from piecework.pre_tokenizers import BertPreTokenizer, WhitespaceSplit
from piecework.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from piecework._parts import PathLike
    from piecework.added_token import AddedToken

_SPECIAL: Tokens = ["<unk>"]


class CharBPETokenizer(BaseTokenizer):
    """A BPE model over characters, whose words end in a suffix.

    Args:
        vocab: Token to id, or a `vocab.json`; without it and `merges` it is to be trained.
        merges: Pairs of tokens, or a `merges.txt`.
        unk_token: Stands for unknown characters.
        suffix: Ends every word.
        dropout: Probability of passing over a merge.
        lowercase: Whether to lower.
        unicode_normalizer: A normal form of Unicode: `nfc`, `nfd`, `nfkc` or `nfkd`.
        bert_normalizer: Whether to clean the text as BERT does, without lowering.
        split_on_whitespace_only: Whether punctuation stays with the words.

    Raises:
        ValueError: Only one of `vocab` and `merges` is given, or one is a file and the other is not.

    Example:
        >>> from piecework import CharBPETokenizer
        >>> tokenizer = CharBPETokenizer()
        >>> tokenizer.train_from_iterator(["hug hugs hug"], vocab_size=20, show_progress=False)
        >>> tokenizer.encode("hug").tokens
        ['hug</w>']
    """

    def __init__(
        self,
        vocab: str | dict[str, int] | None = None,
        merges: str | list[tuple[str, str]] | None = None,
        unk_token: str | AddedToken = "<unk>",  # noqa: S107 - a token of a vocabulary
        suffix: str = "</w>",
        dropout: float | None = None,
        lowercase: bool = False,
        unicode_normalizer: str | None = None,
        bert_normalizer: bool = True,
        split_on_whitespace_only: bool = False,
    ) -> None:
        model = models.BPE(
            vocab,
            merges,
            dropout=dropout,
            unk_token=str(unk_token),
            end_of_word_suffix=suffix,
        )
        tokenizer = Tokenizer(model)
        if tokenizer.token_to_id(str(unk_token)) is not None:
            tokenizer.add_special_tokens([unk_token])
        cleaning = BertNormalizer(lowercase=False) if bert_normalizer else None
        tokenizer.normalizer = unicode_and_case(unicode_normalizer, cleaning, lowercase=lowercase)
        tokenizer.pre_tokenizer = WhitespaceSplit() if split_on_whitespace_only else BertPreTokenizer()
        tokenizer.decoder = decoders.BPEDecoder(suffix=suffix)
        parameters = {
            "model": "BPE",
            "unk_token": unk_token,
            "suffix": suffix,
            "dropout": dropout,
            "lowercase": lowercase,
            "unicode_normalizer": unicode_normalizer,
            "bert_normalizer": bert_normalizer,
            "split_on_whitespace_only": split_on_whitespace_only,
        }
        super().__init__(tokenizer, parameters)

    @staticmethod
    def from_file(vocab_filename: str, merges_filename: str, **options: Any) -> CharBPETokenizer:
        """A tokenizer with the vocabulary of two files; the options are those of the class."""
        return CharBPETokenizer(*models.BPE.read_file(vocab_filename, merges_filename), **options)

    def train(
        self,
        files: PathLike | list[PathLike],
        vocab_size: int = 30_000,
        min_frequency: int = 2,
        special_tokens: Tokens = _SPECIAL,
        limit_alphabet: int = 1000,
        initial_alphabet: Sequence[str] = (),
        suffix: str | None = "</w>",
        show_progress: bool = True,
    ) -> None:
        """Train on files; the arguments are those of `BpeTrainer`."""
        trainer = _trainer(
            vocab_size, min_frequency, special_tokens, limit_alphabet, initial_alphabet, suffix, show_progress
        )
        self._tokenizer.train(as_files(files), trainer=trainer)

    def train_from_iterator(
        self,
        iterator: Iterable[Any],
        vocab_size: int = 30_000,
        min_frequency: int = 2,
        special_tokens: Tokens = _SPECIAL,
        limit_alphabet: int = 1000,
        initial_alphabet: Sequence[str] = (),
        suffix: str | None = "</w>",
        show_progress: bool = True,
        length: int | None = None,
    ) -> None:
        """Train on texts, or batches of texts; the arguments are those of `BpeTrainer`."""
        trainer = _trainer(
            vocab_size, min_frequency, special_tokens, limit_alphabet, initial_alphabet, suffix, show_progress
        )
        self._tokenizer.train_from_iterator(iterator, trainer=trainer, length=length)


def _trainer(
    vocab_size: int,
    min_frequency: int,
    special_tokens: Tokens,
    limit_alphabet: int,
    initial_alphabet: Sequence[str],
    suffix: str | None,
    show_progress: bool,
) -> trainers.BpeTrainer:
    return trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        special_tokens=special_tokens,
        limit_alphabet=limit_alphabet,
        initial_alphabet=initial_alphabet,
        end_of_word_suffix=suffix,
        show_progress=show_progress,
    )
