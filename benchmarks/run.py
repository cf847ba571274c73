"""Speed of piecework beside the reference, `tokenizers`, on text that every machine has.

`make bench` runs this; `make bench ARGS='--threads 2 --json results.json'` passes options. The text is the source of
the Python standard library; the tokenizer is trained on it by piecework. Before anything is timed the ids of both
libraries are compared. Each library runs in a process of its own, with the number of threads asked for; the runs of
both alternate.

    ids    ids alone: piecework by `encode_ids`, the reference by `encode_batch_fast`
    full   ids, spans and words: piecework by `encode_columns`, whose masks are made when they are read, the reference
           by `encode_batch`
    batch  `encode_batch`, with ids and spans of every row read as lists
    train  byte-level BPE from an iterator of texts
    wordpiece, likelihood, unigram  the same with other trainers; `likelihood` is WordPiece, which piecework scores by
           likelihood and the reference, which cannot, by frequency
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import importlib
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

LIBRARIES = ("piecework", "tokenizers")
MODES = ("ids", "full", "batch", "train")
TRAININGS = ("wordpiece", "likelihood", "unigram")
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
PRESETS = ("gpt2", "llama3")


def library_texts(megabytes: float) -> list[str]:
    """Source files of the standard library, up to so many megabytes."""
    texts: list[str] = []
    left = int(megabytes * 1e6)
    for file in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        if left <= 0:
            break
        if "site-packages" in file.parts or "dist-packages" in file.parts:
            continue
        try:
            texts.append(file.read_bytes().decode("utf-8"))
        except UnicodeDecodeError:
            continue
        left -= len(texts[-1])
    return texts


def untrained(package: Any, preset: str) -> Any:
    """A byte-level BPE tokenizer of a kind, without vocabulary."""
    tokenizer = package.Tokenizer(package.models.BPE())
    stages = package.pre_tokenizers
    if preset == "gpt2":
        tokenizer.pre_tokenizer = stages.ByteLevel(add_prefix_space=False)
    else:
        split = stages.Split(package.Regex(LLAMA3), behavior="isolated")
        tokenizer.pre_tokenizer = stages.Sequence([split, stages.ByteLevel(add_prefix_space=False, use_regex=False)])
    return tokenizer


def train(package: Any, preset: str, texts: list[str], vocab_size: int) -> Any:
    """The tokenizer trained on the texts."""
    tokenizer = untrained(package, preset)
    trainer = package.trainers.BpeTrainer(
        vocab_size=vocab_size, initial_alphabet=package.pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def train_other(package: Any, mode: str, texts: list[str], vocab_size: int) -> None:
    """Train a model of another kind."""
    options: dict[str, Any] = {"vocab_size": vocab_size, "show_progress": False}
    if mode == "unigram":
        tokenizer = package.Tokenizer(package.models.Unigram())
        tokenizer.pre_tokenizer = package.pre_tokenizers.Metaspace()
        trainer = package.trainers.UnigramTrainer(unk_token="<unk>", **options)
    else:
        tokenizer = package.Tokenizer(package.models.WordPiece())
        tokenizer.normalizer = package.normalizers.BertNormalizer()
        tokenizer.pre_tokenizer = package.pre_tokenizers.BertPreTokenizer()
        if mode == "likelihood" and package.__name__ == "piecework":
            options["scoring"] = "likelihood"
        trainer = package.trainers.WordPieceTrainer(special_tokens=["[UNK]"], **options)
    tokenizer.train_from_iterator(texts, trainer)


def work(package: Any, mode: str, tokenizer: Any, texts: list[str], options: argparse.Namespace) -> Callable[[], Any]:
    """What is timed."""
    ours = package.__name__ == "piecework"
    if mode == "train":
        return lambda: train(package, options.preset, texts, options.vocab_size)
    if mode in TRAININGS:
        return lambda: train_other(package, mode, texts, options.vocab_size)
    if mode == "ids":
        return lambda: tokenizer.encode_ids(texts) if ours else tokenizer.encode_batch_fast(texts)
    if mode == "full" and ours:
        return lambda: tokenizer.encode_columns(texts)
    if mode == "full":
        return lambda: tokenizer.encode_batch(texts)
    return lambda: [(encoding.ids, encoding.offsets) for encoding in tokenizer.encode_batch(texts)]


def child(options: argparse.Namespace) -> None:
    """Time one library in one mode; print seconds, the first run apart, and a digest of the ids."""
    package = importlib.import_module(options.child)
    texts = library_texts(options.mb)
    tokenizer = package.Tokenizer.from_file(options.tokenizer)
    call = work(package, options.mode, tokenizer, texts, options)
    seconds = []
    for _ in range(options.runs + 1):
        gc.collect()
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    digest = hashlib.sha256()
    for encoding in tokenizer.encode_batch(texts):
        digest.update(json.dumps(encoding.ids).encode())
    size = sum(len(text.encode()) for text in texts)
    print(json.dumps({"first": seconds[0], "runs": seconds[1:], "bytes": size, "digest": digest.hexdigest()}))


def measure(library: str, mode: str, file: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Run `child` in a process of its own."""
    command = [sys.executable, __file__, "--child", library, "--mode", mode, "--tokenizer", str(file)]
    for name in ("mb", "runs", "vocab_size", "preset"):
        command += [f"--{name.replace('_', '-')}", str(getattr(options, name))]
    environment = {**os.environ, "RAYON_NUM_THREADS": str(options.threads), "TOKENIZERS_PARALLELISM": "true"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{library} {mode} failed:\n{done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def processor() -> str:
    """The name of the processor, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def row(name: str, results: list[dict[str, Any]]) -> dict[str, Any]:
    """Speed over all rounds, in MB of UTF-8 a second."""
    size = results[0]["bytes"] / 1e6
    speeds = [size / seconds for result in results for seconds in result["runs"]]
    return {
        "name": name,
        "first": max(size / result["first"] for result in results),
        "min": min(speeds),
        "median": statistics.median(speeds),
        "max": max(speeds),
    }


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description="Speed of piecework beside the reference.")
    parser.add_argument("--mb", type=float, default=8, help="megabytes of text")
    parser.add_argument("--vocab-size", type=int, default=16_000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5, help="timed runs a process, after a first one")
    parser.add_argument("--rounds", type=int, default=2, help="processes for each library and mode")
    parser.add_argument("--modes", default=",".join(MODES), help=f"of {', '.join((*MODES, *TRAININGS))}")
    parser.add_argument("--preset", choices=PRESETS, default="gpt2")
    parser.add_argument("--json", type=Path, help="write the results there, too")
    for hidden in ("--child", "--mode", "--tokenizer"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options)
        return

    versions = {name: importlib.metadata.version(name) for name in LIBRARIES}
    print(f"{processor()}, {options.threads} thread(s), Python {platform.python_version()}, {versions}")
    print(f"{options.mb} MB of Python source, {options.preset}, vocabulary {options.vocab_size}; MB/s\n")
    print(f"{'':<23}{'first':>9}{'min':>9}{'median':>9}{'max':>9}")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tokenizer.json"
        texts = library_texts(options.mb)
        train(importlib.import_module("piecework"), options.preset, texts, options.vocab_size).save(str(file))
        for mode in options.modes.split(","):
            results: dict[str, list[dict[str, Any]]] = {library: [] for library in LIBRARIES}
            for _ in range(options.rounds):
                for library in LIBRARIES:
                    results[library].append(measure(library, mode, file, options))
            digests = {result["digest"] for measured in results.values() for result in measured}
            if len(digests) != 1:
                raise SystemExit(f"{mode}: the libraries do not give the same ids")
            pair = [row(f"{mode:<11}{library}", results[library]) for library in LIBRARIES]
            for line in pair:
                figures = "".join(f"{line[key]:>9.1f}" for key in ("first", "min", "median", "max"))
                print(f"{line['name']:<23}{figures}")
            print(f"{'':<11}{'ratio':<30}{pair[0]['median'] / pair[1]['median']:>9.1f}\n")
            rows += pair
    if options.json:
        report = {"processor": processor(), "versions": versions, "options": vars(options), "rows": rows}
        options.json.write_text(json.dumps(report, indent=2, default=str) + "\n")


if __name__ == "__main__":
    main()
