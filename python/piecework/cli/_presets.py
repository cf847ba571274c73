"""Kinds of tokenizers that `piecework train` knows: all parts chosen, a vocabulary to be learnt."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from piecework import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

if TYPE_CHECKING:
    from collections.abc import Callable

# The split rule that Llama 3 publishes in its tokenizer.json; the same as that of cl100k_base.
_LLAMA3_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


class ModelKind(str, Enum):
    """A kind of model."""

    bpe = "bpe"
    wordpiece = "wordpiece"
    unigram = "unigram"
    wordlevel = "wordlevel"


class Preset(str, Enum):
    """A kind of tokenizer, named after the model that made it known."""

    gpt2 = "gpt2"
    llama3 = "llama3"
    llama = "llama"
    bert = "bert"
    t5 = "t5"
    words = "words"


@dataclass(frozen=True)
class Recipe:
    """How a tokenizer of a kind is made and trained."""

    model: ModelKind
    build: Callable[[], Tokenizer]
    trainer: type[trainers.Trainer]
    special_tokens: tuple[str, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()
    # What is put around a text, as in a template; filled in when the ids are known.
    template: tuple[str, str] | None = None

    def finish(self, tokenizer: Tokenizer) -> None:
        """Set the post-processor, which needs the ids of special tokens."""
        if self.template is None:
            return
        single, pair = self.template
        named = {token: tokenizer.token_to_id(token) for token in self.special_tokens if token in single + pair}
        special = [(token, token_id) for token, token_id in named.items() if token_id is not None]
        tokenizer.post_processor = processors.TemplateProcessing(single, pair, special)


def _over_bytes(*, llama3: bool) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(ignore_merges=llama3))
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not llama3)
    if llama3:
        split = pre_tokenizers.Split(Regex(_LLAMA3_PATTERN), behavior="isolated")
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    else:
        tokenizer.pre_tokenizer = byte_level
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _llama() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))  # noqa: S106
    # Llama itself cuts nowhere; without cuts a line would be learnt as one word.
    lines = pre_tokenizers.Split(Regex("\n+"), behavior="isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([lines, pre_tokenizers.Metaspace(prepend_scheme="first")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return tokenizer


def _bert() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece())
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def _t5() -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    return tokenizer


def _words() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))  # noqa: S106 - a token of a vocabulary
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


_BYTES = (("initial_alphabet", tuple(sorted(pre_tokenizers.ByteLevel.alphabet()))),)

RECIPES = {
    Preset.gpt2: Recipe(ModelKind.bpe, lambda: _over_bytes(llama3=False), trainers.BpeTrainer, options=_BYTES),
    Preset.llama3: Recipe(ModelKind.bpe, lambda: _over_bytes(llama3=True), trainers.BpeTrainer, options=_BYTES),
    Preset.llama: Recipe(
        ModelKind.bpe,
        _llama,
        trainers.BpeTrainer,
        ("<unk>", "<s>", "</s>"),
        (("enforce_byte_fallback", True),),
        ("<s> $A", "<s> $A <s>:1 $B:1"),
    ),
    Preset.bert: Recipe(
        ModelKind.wordpiece,
        _bert,
        trainers.WordPieceTrainer,
        ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
        template=("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1"),
    ),
    Preset.t5: Recipe(
        ModelKind.unigram,
        _t5,
        trainers.UnigramTrainer,
        ("<pad>", "</s>", "<unk>"),
        (("unk_token", "<unk>"),),
        ("$A </s>", "$A </s> $B </s>"),
    ),
    Preset.words: Recipe(ModelKind.wordlevel, _words, trainers.WordLevelTrainer, ("[UNK]",)),
}

DEFAULTS = {
    ModelKind.bpe: Preset.gpt2,
    ModelKind.wordpiece: Preset.bert,
    ModelKind.unigram: Preset.t5,
    ModelKind.wordlevel: Preset.words,
}
"""The kind of tokenizer for a kind of model."""
