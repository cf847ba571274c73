"""`piecework train`: files in, tokenizer.json out."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from piecework import Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from piecework.cli._source import InputError, read_texts

# The split rule that Llama 3 publishes in its tokenizer.json; the same as that of cl100k_base.
_LLAMA3_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


class Preset(str, Enum):
    """A kind of byte-level BPE tokenizer, named after the model that made it known."""

    gpt2 = "gpt2"
    llama3 = "llama3"


def _untrained(preset: Preset) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(ignore_merges=preset is Preset.llama3))
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=preset is Preset.gpt2)
    if preset is Preset.llama3:
        split = pre_tokenizers.Split(Regex(_LLAMA3_PATTERN), behavior="isolated")
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    else:
        tokenizer.pre_tokenizer = byte_level
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def train(
    files: Annotated[list[Path], typer.Argument(help="Text files; `-` is standard input.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the tokenizer goes.")] = Path("tokenizer.json"),
    vocab_size: Annotated[int, typer.Option(help="Entries, special tokens included.", min=1)] = 30_000,
    min_frequency: Annotated[int, typer.Option(help="A pair must occur this often to be merged.", min=0)] = 0,
    special_token: Annotated[
        list[str] | None, typer.Option(help="A special token; may be given again.", show_default=False)
    ] = None,
    preset: Annotated[Preset, typer.Option(help="The kind of tokenizer.")] = Preset.gpt2,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Train a byte-level BPE tokenizer on text files."""
    tokenizer = _untrained(preset)
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        special_tokens=list(special_token or []),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=not quiet and sys.stderr.isatty(),
    )
    if files == [Path("-")]:
        tokenizer.train_from_iterator(read_texts([], [], whole=False), trainer)
    elif Path("-") in files:
        raise InputError("`-` stands for standard input and cannot be mixed with files")
    else:
        for file in files:
            file.open("rb").close()  # a missing file is named before a long training, not after
        tokenizer.train([str(file) for file in files], trainer)
    tokenizer.save(str(output))
    if not quiet:
        print(f"{tokenizer.get_vocab_size():,} entries in {output}", file=sys.stderr)
