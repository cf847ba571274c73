"""Speed of the tokenizers that people call: `tokenizer(texts, padding=True, truncation=True, return_tensors="np")`.

Beside piecework: transformers with its own backend and with that of piecework (`accelerate`), and, where it is
installed, `as_hf()` of nanotoken. Each has a process of its own; their ids are compared; runs alternate.

    python benchmarks/pretrained.py                                  # a WordPiece, lines of the standard library
    python benchmarks/pretrained.py --folder bert/ --text english.txt --lines 10000
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import importlib.util
import json
import os
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

LIBRARIES = ("piecework", "accelerated", "transformers", "nanotoken")
SPECIAL = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}
MOST = 512


def texts_of(options: argparse.Namespace) -> list[str]:
    """Lines of a file, or of the standard library."""
    if options.text:
        lines = Path(options.text).read_text(encoding="utf-8").split("\n")
    else:
        files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
        lines = [
            line for file in files for line in file.read_text(encoding="utf-8", errors="ignore").split("\n") if line
        ]
    return lines[: options.lines]


def trained(folder: Path, texts: list[str]) -> None:
    """Write the `tokenizer.json` of a small tokenizer like that of BERT."""
    from piecework import BertWordPieceTokenizer  # noqa: PLC0415 - trains, which takes a while

    tokenizer: Any = BertWordPieceTokenizer()
    tokenizer.train_from_iterator(texts, vocab_size=8000, show_progress=False)
    tokenizer.post_processor = None
    backend = BertWordPieceTokenizer(tokenizer.get_vocab())
    backend.save(str(folder / "tokenizer.json"))


def loaded(library: str, folder: Path) -> Callable[[list[str]], Any]:
    """The call of a library."""
    file = str(folder / "tokenizer.json")
    options: dict[str, Any] = {"padding": True, "truncation": True, "return_tensors": "np"}
    if library == "nanotoken":
        import nanotoken  # noqa: PLC0415

        theirs = nanotoken.Tokenizer.from_json(Path(file).read_text(encoding="utf-8")).as_hf()
        return lambda texts: theirs(texts, max_length=MOST, **options)
    settings: dict[str, Any] = {
        **SPECIAL,
        "model_max_length": MOST,
        "model_input_names": ["input_ids", "token_type_ids", "attention_mask"],
    }
    if library == "piecework":
        from piecework import PreTrainedTokenizer  # noqa: PLC0415

        tokenizer: Any = PreTrainedTokenizer(tokenizer_file=file, **settings)
    else:
        from transformers import PreTrainedTokenizerFast  # noqa: PLC0415

        tokenizer = PreTrainedTokenizerFast(tokenizer_file=file, **settings)
        if library == "accelerated":
            from piecework.integrations.transformers import accelerate  # noqa: PLC0415

            accelerate(tokenizer)
    return lambda texts: tokenizer(texts, **options)


def child(options: argparse.Namespace) -> None:
    """Time one library; print seconds, the first run apart, and a digest of the ids."""
    texts = texts_of(options)
    call = loaded(options.child, Path(options.folder))
    seconds = []
    for _ in range(options.runs + 1):
        gc.collect()
        start = time.perf_counter()
        batch = call(texts)
        seconds.append(time.perf_counter() - start)
    digest = hashlib.sha256(batch["input_ids"].tobytes() + batch["attention_mask"].tobytes()).hexdigest()
    json.dump({"first": seconds[0], "runs": seconds[1:], "digest": digest}, sys.stdout)


def measure(library: str, options: argparse.Namespace) -> dict[str, Any]:
    """Run `child` in a process of its own."""
    command = [sys.executable, __file__, "--child", library, "--folder", options.folder, "--runs", str(options.runs)]
    command += ["--lines", str(options.lines), *(["--text", options.text] if options.text else [])]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "true"}
    done = subprocess.run(command, capture_output=True, check=True, text=True, env=environment)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def arguments() -> argparse.Namespace:
    """Options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", help="a folder with a tokenizer.json like that of BERT")
    parser.add_argument("--text", help="a file of UTF-8 text, one text a line")
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--rounds", type=int, default=2, help="processes of each library")
    parser.add_argument("--json", help="write the figures there")
    parser.add_argument("--child", choices=LIBRARIES, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    """Measure all libraries, and print what each takes."""
    options = arguments()
    if options.child:
        child(options)
        return
    with tempfile.TemporaryDirectory() as folder:
        if not options.folder:
            trained(Path(folder), texts_of(options))
            options.folder = folder
        there = [name for name in LIBRARIES if name == "accelerated" or importlib.util.find_spec(name)]
        results: dict[str, list[dict[str, Any]]] = {name: [] for name in there}
        for _ in range(options.rounds):
            for name in there:
                results[name].append(measure(name, options))
    digests = {result["digest"] for found in results.values() for result in found}
    print(f"{options.lines:,} lines; ids and masks are {'the same' if len(digests) == 1 else 'DIFFERENT'}")
    figures = {}
    for name, found in results.items():
        runs = [second for result in found for second in result["runs"]]
        figures[name] = {"first": min(r["first"] for r in found), "best": min(runs), "median": statistics.median(runs)}
    ours = figures["piecework"]["median"]
    for name, figure in figures.items():
        times = f"first {figure['first']:.3f} s  best {figure['best']:.3f} s  median {figure['median']:.3f} s"
        print(f"{name:14}{times}  {figure['median'] / ours:6.1f} times piecework")
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    if len(digests) > 1:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
