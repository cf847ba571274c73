"""`piecework train`: files in, tokenizer.json out."""

from __future__ import annotations

import glob
import itertools
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from piecework import Tokenizer, WordCounts
from piecework.cli._presets import DEFAULTS, RECIPES, ModelKind, Preset, Recipe
from piecework.cli._source import InputError, read_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Of the texts so much is encoded in the end to tell the compression.
_SAMPLE_BYTES = 1_000_000
_JSON_LINES = (".jsonl", ".ndjson")
_PARQUET = ".parquet"


def train(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files or globs: text, lines of JSON (.jsonl, .ndjson), Parquet (.parquet); `-` is standard input.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the tokenizer goes.")] = Path("tokenizer.json"),
    model: Annotated[
        ModelKind | None, typer.Option(help="The kind of model; bpe if the preset does not say.", show_default=False)
    ] = None,
    preset: Annotated[
        Preset | None,
        typer.Option(help="The kind of tokenizer; gpt2, bert, t5 or words by the model.", show_default=False),
    ] = None,
    vocab_size: Annotated[int, typer.Option(help="Entries, special tokens included.", min=1)] = 30_000,
    min_frequency: Annotated[int, typer.Option(help="A pair must occur this often to be merged.", min=0)] = 0,
    scoring: Annotated[
        str | None, typer.Option(help="For wordpiece: frequency or likelihood.", show_default=False)
    ] = None,
    special_token: Annotated[
        list[str] | None,
        typer.Option(help="A special token, behind those of the preset; may be given again.", show_default=False),
    ] = None,
    field: Annotated[
        str | None,
        typer.Option(help="The field of lines of JSON, or the column of Parquet; text by default.", show_default=False),
    ] = None,
    counts: Annotated[
        Path | None, typer.Option(help="Train from counts that --save-counts wrote.", show_default=False)
    ] = None,
    save_counts: Annotated[
        Path | None, typer.Option(help="Where the counts of the pretokens go.", show_default=False)
    ] = None,
    min_count: Annotated[int, typer.Option(help="Pretokens must occur this often.", min=1)] = 1,
    memory: Annotated[
        int | None,
        typer.Option(help="Megabytes for the tables while counting; more goes to disk.", min=1, show_default=False),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress and no summary.")] = False,
) -> None:
    """Train a tokenizer on files, or on counts."""
    started = time.monotonic()
    recipe = _recipe(model, preset)
    tokenizer = recipe.build()
    show = not quiet and sys.stderr.isatty()
    trainer = _trainer(recipe, vocab_size, min_frequency, scoring, special_token or [], show=show)
    if (counts is None) == (not files):
        raise InputError("files or --counts are expected, one of them")
    paths = _expand(files or [])
    if field is not None and all(_kind(path) == "text" for path in paths):
        raise InputError("--field is for lines of JSON (.jsonl, .ndjson) and Parquet (.parquet)")
    if memory is not None and counts is not None:
        raise InputError("--memory is for counting; --counts is counted already")
    for written in (output, save_counts):
        if written is not None:
            _check_target(written)
    field = field or "text"
    if counts is not None:
        words = WordCounts.load(counts)
    else:
        words = _count(paths, tokenizer, field, None if memory is None else memory << 20, show=show)
    if min_count > 1:
        words = words.prune(min_count)
    if not words:
        often = f" that occur {min_count} times" if min_count > 1 else ""
        raise InputError(f"there is nothing to learn from: the corpus has no pretokens{often}")
    if save_counts is not None:
        words.save(save_counts)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tokenizer.train_from_counts(words, trainer)
    for warning in caught:
        print(f"piecework: {warning.message}", file=sys.stderr)
    recipe.finish(tokenizer)
    tokenizer.save(str(output))
    if not quiet:
        _summarize(tokenizer, words, paths, field, output, time.monotonic() - started)


def _recipe(model: ModelKind | None, preset: Preset | None) -> Recipe:
    if preset is None:
        preset = DEFAULTS[model or ModelKind.bpe]
    recipe = RECIPES[preset]
    if model is not None and model is not recipe.model:
        raise InputError(f"the preset {preset.value} has a {recipe.model.value} model, not {model.value}")
    return recipe


def _trainer(
    recipe: Recipe, vocab_size: int, min_frequency: int, scoring: str | None, special: list[str], *, show: bool
) -> Any:
    options: dict[str, Any] = dict(recipe.options)
    if recipe.model is not ModelKind.unigram:
        options["min_frequency"] = min_frequency
    elif min_frequency:
        raise InputError("--min-frequency is not for unigram models")
    if scoring is not None:
        if recipe.model is not ModelKind.wordpiece:
            raise InputError("--scoring is for wordpiece models")
        options["scoring"] = scoring
    if "" in special:
        raise InputError("--special-token is empty")
    tokens = list(dict.fromkeys([*recipe.special_tokens, *special]))
    trainer: Any = recipe.trainer
    return trainer(vocab_size=vocab_size, special_tokens=tokens, show_progress=show, **options)


def _expand(files: list[str]) -> list[Path]:
    """The files that are meant; a missing one is named before a long training, not after."""
    if "-" in files:
        if len(files) > 1:
            raise InputError("`-` stands for standard input and cannot be mixed with files")
        return []
    paths = []
    for file in files:
        # A name with signs of a glob may be that of a file.
        found = [file] if Path(file).exists() or not glob.has_magic(file) else sorted(glob.glob(file, recursive=True))  # noqa: PTH207 - absolute patterns too
        if not found:
            raise InputError(f"no file fits `{file}`")
        paths += [Path(name) for name in found]
    for path in paths:
        # A pipe can be opened once, which is for reading it.
        if path.is_file() or not path.exists():
            path.open("rb").close()
    return paths


def _check_target(path: Path) -> None:
    """Where nothing can be written is told before a long training, not after."""
    if path.is_dir():
        raise InputError(f"`{path}`: is a directory")
    if not path.parent.is_dir():
        raise InputError(f"`{path.parent}`: no such folder to write `{path.name}` to")


def _count(paths: list[Path], tokenizer: Tokenizer, field: str, memory: int | None, *, show: bool) -> WordCounts:
    if not paths:
        lines = read_lines(sys.stdin.buffer, "standard input")
        return WordCounts.from_iterator(lines, tokenizer, memory_limit=memory, show_progress=show)
    parts = []
    for kind, group in itertools.groupby(paths, key=_kind):
        names: Sequence[Path] = list(group)
        parts.append(
            WordCounts.from_files(
                names,
                tokenizer,
                field=field if kind == "json" else None,
                column=field if kind == "parquet" else None,
                memory_limit=memory,
                show_progress=show,
            )
        )
    return parts[0] if len(parts) == 1 else parts[0].merge(*parts[1:])


def _kind(path: Path) -> str:
    suffix = path.suffix.lower()
    return "json" if suffix in _JSON_LINES else "parquet" if suffix == _PARQUET else "text"


# ---------------------------------------------------------------------------------------------------------------------
# The summary


def _summarize(
    tokenizer: Tokenizer, words: WordCounts, paths: list[Path], field: str, output: Path, seconds: float
) -> None:
    rows = {
        "vocabulary": f"{tokenizer.get_vocab_size():,} entries in {output}",
        "pretokens": f"{words.total():,}, {len(words):,} different ones",
    }
    sample = list(_sample(paths, field))
    if sample:
        tokens = int(tokenizer.count(sample, add_special_tokens=False).sum())
        size = sum(len(text.encode()) for text in sample)
        rows["compression"] = f"{size / max(tokens, 1):.2f} bytes a token, on {size / 1e6:.1f} MB of the text"
    rows["time"] = f"{seconds:.1f} s"
    peak = _peak_memory()
    if peak is not None:
        rows["peak memory"] = f"{peak / 1e6:,.0f} MB"
    for name, value in rows.items():
        print(f"{name:<12} {value}", file=sys.stderr)


def _sample(paths: list[Path], field: str) -> Iterator[str]:
    """The beginning of the texts."""
    import json

    left = _SAMPLE_BYTES
    for path in paths:
        kind = _kind(path)
        if kind == "parquet" or left <= 0 or not path.is_file():
            continue  # what came out of a pipe is gone
        with path.open(encoding="utf-8", newline="\n") as lines:
            while left > 0 and (line := lines.readline(-1 if kind == "json" else left)):
                if kind == "json" and not line.strip():
                    continue
                yield json.loads(line)[field] if kind == "json" else line
                left -= len(line.encode())


def _peak_memory() -> int | None:
    """Bytes, or None where the system does not tell."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
