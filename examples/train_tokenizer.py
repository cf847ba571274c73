"""Train a byte-level BPE tokenizer on real text, save it, and show what it does and how fast.

`make run` runs this. Without `--corpus` the text is the source of the Python standard library, which every machine has.
"""

from __future__ import annotations

import argparse
import glob
import sys
import sysconfig
import time
from pathlib import Path

from piecework import Tokenizer, decoders, models, pre_tokenizers, trainers

SAMPLE = "def greet(name):\n    print(f'Hello, {name}! Ünïcödé, 日本語 and 🙂 too.')\n"
MEGABYTE = 1_000_000


def corpus_files(corpus: str | None) -> list[Path]:
    """The files that `corpus` (a file, a folder or a glob) stands for; those of the standard library for None."""
    if corpus is None:
        library = Path(sysconfig.get_path("stdlib"))
        paths = (p for p in library.rglob("*.py") if "site-packages" not in p.parts and "dist-packages" not in p.parts)
    elif Path(corpus).is_dir():
        paths = (p for p in Path(corpus).rglob("*") if not any(part.startswith(".") for part in p.parts))
    else:
        paths = (Path(p) for p in glob.glob(corpus, recursive=True))  # noqa: PTH207 - the pattern may be absolute
    return sorted(p for p in paths if p.is_file())


def readable_texts(files: list[Path]) -> dict[Path, str]:
    """The contents of the files that hold UTF-8; the standard library has some that hold other things to test with."""
    texts = {}
    for file in files:
        try:
            texts[file] = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
    return texts


def train(files: list[Path], vocab_size: int) -> Tokenizer:
    """A byte-level BPE tokenizer with the split rule of GPT-2."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|endoftext|>"],
        show_progress=True,
    )
    tokenizer.train([str(file) for file in files], trainer)
    return tokenizer


def show_sample(tokenizer: Tokenizer, text: str) -> None:
    """Print the tokens of a text with their ids and spans, and the text that they decode to."""
    encoding = tokenizer.encode(text)
    print(f"\nsample    {text!r}")
    print(f"{'id':>9}  {'span':<9} {'token':<14} text")
    for token_id, token, (start, end) in zip(encoding.ids, encoding.tokens, encoding.offsets, strict=True):
        print(f"{token_id:>9}  {f'{start}-{end}':<9} {token:<14} {text[start:end]!r}")
    decoded = tokenizer.decode(encoding.ids)
    print(f"decoded   {decoded!r}")
    if decoded != text:
        raise SystemExit("the sample does not decode to itself")


def show_speed(tokenizer: Tokenizer, texts: list[str], size: int) -> None:
    """Time the encoding of all texts, the first time and again."""
    for label in ("encode", "again"):
        start = time.perf_counter()
        rows = tokenizer.encode_ids(texts)
        seconds = time.perf_counter() - start
        speed = f"{seconds:.2f} s, {size / seconds / MEGABYTE:.0f} MB/s"
        print(f"{label:<9} {speed}, {len(rows.ids):,} tokens, {size / len(rows.ids):.2f} bytes a token")


def main() -> int:
    """Train, save, show."""
    parser = argparse.ArgumentParser(description="Train a byte-level BPE tokenizer and show it.")
    parser.add_argument(
        "--corpus", help="a file, a folder or a glob; default: the source of the Python standard library"
    )
    parser.add_argument("--vocab-size", type=int, default=16_000)
    parser.add_argument("--output", type=Path, default=Path("build/tokenizer.json"))
    options = parser.parse_args()

    texts = readable_texts(corpus_files(options.corpus))
    if not texts:
        print(f"no readable text in `{options.corpus}`; a file, a folder or a glob is expected", file=sys.stderr)
        return 2
    size = sum(file.stat().st_size for file in texts)
    print(
        f"corpus    {len(texts):,} files, {size / MEGABYTE:.1f} MB, {options.corpus or 'the Python standard library'}"
    )

    start = time.perf_counter()
    tokenizer = train(list(texts), options.vocab_size)
    seconds = time.perf_counter() - start
    print(f"train     {seconds:.2f} s, {size / seconds / MEGABYTE:.1f} MB/s, {tokenizer.get_vocab_size():,} entries")

    options.output.parent.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(options.output))
    print(f"saved     {options.output}, {options.output.stat().st_size / MEGABYTE:.2f} MB")

    show_sample(tokenizer, SAMPLE)
    print()
    show_speed(tokenizer, list(texts.values()), size)
    return 0


if __name__ == "__main__":
    sys.exit(main())
