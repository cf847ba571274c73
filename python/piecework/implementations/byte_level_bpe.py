"""GPT-2's tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework import decoders, models, pre_tokenizers, processors, trainers
from piecework.implementations.base_tokenizer import BaseTokenizer, Tokens, as_files, unicode_and_case
from piecework.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from piecework._parts import PathLike


class ByteLevelBPETokenizer(BaseTokenizer):
    """Cuts as GPT-2 does, with a BPE model over bytes: once trained it knows all characters.

    Args:
        vocab: Token to id, or a `vocab.json`; without it and `merges` it is to be trained.
        merges: Pairs of tokens, or a `merges.txt`.
        add_prefix_space: Whether to put a blank in front of texts.
        lowercase: Whether to lower.
        dropout: Probability of passing over a merge.
        unicode_normalizer: A normal form of Unicode: `nfc`, `nfd`, `nfkc` or `nfkd`.
        continuing_subword_prefix: In front of every symbol of a word but the first.
        end_of_word_suffix: Behind the last symbol of a word.
        trim_offsets: Whether spans leave out the blanks at the ends of tokens.

    Raises:
        ValueError: Only one of `vocab` and `merges` is given, or one is a file and the other is not.

    Example:
        >>> from piecework import ByteLevelBPETokenizer
        >>> tokenizer = ByteLevelBPETokenizer()
        >>> tokenizer.train_from_iterator(["hug hugs hug"], vocab_size=260, show_progress=False)
        >>> tokenizer.decode(tokenizer.encode("hugs ☃").ids)
        'hugs ☃'
    """

    def __init__(
        self,
        vocab: str | dict[str, int] | None = None,
        merges: str | list[tuple[str, str]] | None = None,
        add_prefix_space: bool = False,
        lowercase: bool = False,
        dropout: float | None = None,
        unicode_normalizer: str | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        trim_offsets: bool = False,
    ) -> None:
        given = vocab is not None
        model = models.BPE(
            vocab,
            merges,
            dropout=dropout,
            continuing_subword_prefix=continuing_subword_prefix or ("" if given else None),
            end_of_word_suffix=end_of_word_suffix or ("" if given else None),
        )
        tokenizer = Tokenizer(model)
        tokenizer.normalizer = unicode_and_case(unicode_normalizer, lowercase=lowercase)
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
        tokenizer.decoder = decoders.ByteLevel()
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=trim_offsets)
        parameters = {
            "model": "ByteLevelBPE",
            "add_prefix_space": add_prefix_space,
            "lowercase": lowercase,
            "dropout": dropout,
            "unicode_normalizer": unicode_normalizer,
            "continuing_subword_prefix": continuing_subword_prefix,
            "end_of_word_suffix": end_of_word_suffix,
            "trim_offsets": trim_offsets,
        }
        super().__init__(tokenizer, parameters)

    @staticmethod
    def from_file(vocab_filename: str, merges_filename: str, **options: Any) -> ByteLevelBPETokenizer:
        """A tokenizer with the vocabulary of two files; the options are those of the class."""
        return ByteLevelBPETokenizer(*models.BPE.read_file(vocab_filename, merges_filename), **options)

    def train(
        self,
        files: PathLike | list[PathLike],
        vocab_size: int = 30_000,
        min_frequency: int = 2,
        show_progress: bool = True,
        special_tokens: Tokens | tuple[()] = (),
    ) -> None:
        """Train on files; the arguments are those of `BpeTrainer`."""
        trainer = _trainer(vocab_size, min_frequency, show_progress, special_tokens)
        self._tokenizer.train(as_files(files), trainer=trainer)

    def train_from_iterator(
        self,
        iterator: Iterable[Any],
        vocab_size: int = 30_000,
        min_frequency: int = 2,
        show_progress: bool = True,
        special_tokens: Tokens | tuple[()] = (),
        length: int | None = None,
    ) -> None:
        """Train on texts, or batches of texts; the arguments are those of `BpeTrainer`."""
        trainer = _trainer(vocab_size, min_frequency, show_progress, special_tokens)
        self._tokenizer.train_from_iterator(iterator, trainer=trainer, length=length)


def _trainer(
    vocab_size: int, min_frequency: int, show_progress: bool, special_tokens: Tokens | tuple[()]
) -> trainers.BpeTrainer:
    return trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        show_progress=show_progress,
        special_tokens=special_tokens,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
