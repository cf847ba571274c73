"""Counts of pretokens: how they are built, kept in files, and used."""

from __future__ import annotations

import json
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from piecework import AddedToken, Tokenizer, TrainingError, WordCounts, models, pre_tokenizers, trainers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEXTS = ["low lower lowest", "new newer newest", "low low new"]
EXPECTED = {"low": 3, "lower": 1, "lowest": 1, "new": 2, "newer": 1, "newest": 1}


def words() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel())
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


# ---------------------------------------------------------------------------------------------------------------------
# Sources


def test_iterators_and_files(tmp_path: Path) -> None:
    counts = WordCounts.from_iterator([TEXTS[:2], TEXTS[2]], words())
    assert list(counts.items()) == list(EXPECTED.items())
    file = tmp_path / "text"
    file.write_text("\n".join(TEXTS))
    assert WordCounts.from_files([file], words()) == counts
    assert (len(counts), counts.total(), repr(counts)) == (6, 9, "WordCounts(6 words, 9 in all)")


def test_lines_of_json(tmp_path: Path) -> None:
    file = tmp_path / "texts.jsonl"
    file.write_text("".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate(TEXTS)) + "\n")
    assert WordCounts.from_files([file], words(), field="text").to_dict() == EXPECTED
    tokenizer = words()
    tokenizer.train([file], trainers.WordLevelTrainer(vocab_size=1, show_progress=False), field="text")
    assert tokenizer.get_vocab() == {"low": 0}
    with pytest.raises(OSError, match=r"texts\.jsonl: the line at byte 0 has no field `body`"):
        WordCounts.from_files([file], words(), field="body")
    file.write_text('{"text": "a"}\n{"text": 3}\n')
    with pytest.raises(OSError, match="the line at byte 14 is no JSON object with a text in `text`"):
        WordCounts.from_files([file], words(), field="text")


def test_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "texts.parquet"
    parquet.write_table(pyarrow.table({"n": [1, 2, 3], "text": TEXTS}), file)
    assert WordCounts.from_files([file], words(), column="text").to_dict() == EXPECTED
    with pytest.raises(ValueError, match="has no column `body`, only `n`, `text`"):
        WordCounts.from_files([file], words(), column="body")


def test_parquet_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=re.escape("pip install 'piecework[arrow]'")):
        WordCounts.from_files(["x.parquet"], words(), column="text")


def test_one_place_of_the_text() -> None:
    with pytest.raises(ValueError, match="only one of them"):
        WordCounts.from_files([], words(), field="a", column="b")


def test_datasets() -> None:
    class Rows(list[dict[str, str]]):
        """A stand-in for a dataset without `iter`."""

    class Batched:
        def iter(self, batch_size: int) -> Iterator[dict[str, list[str]]]:
            assert batch_size > 1
            yield {"body": TEXTS[:1]}
            yield {"body": TEXTS[1:]}

        def __len__(self) -> int:
            return len(TEXTS)

    seen: list[tuple[str, int, int]] = []
    report = lambda *state: seen.append(state)  # noqa: E731
    assert WordCounts.from_dataset(Batched(), words(), "body", progress=report).to_dict() == EXPECTED
    assert seen[-1] == ("Read items", 3, 3)
    assert WordCounts.from_dataset(Rows({"text": text} for text in TEXTS), words()).to_dict() == EXPECTED


def test_texts_of_special_tokens() -> None:
    tokenizer = words()
    tokenizer.add_special_tokens(["<s>"])
    tokenizer.add_tokens([AddedToken("tok", single_word=True)])
    texts = ["<s>low tok"]
    assert WordCounts.from_iterator(texts, tokenizer).to_dict() == {"<s>": 1, "low": 1, "tok": 1}
    counts = WordCounts.from_iterator(texts, tokenizer, learn_special_tokens=False)
    assert counts.to_dict() == {"low": 1, "tok": 1}


# ---------------------------------------------------------------------------------------------------------------------
# Memory


@pytest.mark.parametrize("how", ["iterator", "file"])
def test_a_bound_of_memory_changes_nothing_and_leaves_nothing(how: str, tmp_path: Path) -> None:
    lines = [f"w{i * 7919 % 30_011} x{i % 7} {'long' * (i % 30)}\n" for i in range(60_000)]
    file, folder = tmp_path / "text", tmp_path / "spill"
    file.write_text("".join(lines))
    folder.mkdir()
    seen: set[str] = set()

    def count(**options: Any) -> WordCounts:
        if how == "file":
            return WordCounts.from_files([file], words(), **options)
        return WordCounts.from_iterator(lines, words(), **options)

    free = count()
    bound = count(memory_limit=1, spill_folder=folder, progress=lambda stage, *_: seen.add(stage))
    assert list(bound.items()) == list(free.items())
    assert "Merge counts" in seen
    assert list(folder.iterdir()) == []


def test_a_disk_that_cannot_be_written(tmp_path: Path) -> None:
    lines = [f"word{i}" for i in range(20_000)]
    with pytest.raises(FileNotFoundError, match="nowhere"):
        WordCounts.from_iterator(lines, words(), memory_limit=1, spill_folder=tmp_path / "nowhere")


FULL = """
import resource, sys
from piecework import Tokenizer, WordCounts, models
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
lines = (f"word{i}" for i in range(200_000))
try:
    if sys.argv[2] == "spill":
        WordCounts.from_iterator(lines, Tokenizer(models.WordLevel()), memory_limit=1, spill_folder=sys.argv[1])
    else:
        WordCounts(dict.fromkeys(lines, 1)).save(sys.argv[1] + "/x.counts")
except OSError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no limit for files")
@pytest.mark.parametrize("what", ["spill", "save"])
def test_a_disk_that_is_full(what: str, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL, tmp_path, what], check=True, capture_output=True, text=True)
    assert "File too large" in done.stdout
    assert str(tmp_path) in done.stdout
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------------------------------------------------------------
# Files


def test_saved_counts_come_back(tmp_path: Path) -> None:
    counts = WordCounts({"low": 3, "": 1, "é" * 300: 2**62 // 1024})
    file = tmp_path / "corpus.counts"
    counts.save(file)
    assert WordCounts.load(file) == counts
    assert [path.name for path in tmp_path.iterdir()] == ["corpus.counts"]
    assert pickle.loads(pickle.dumps(counts)) == counts


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: b"x" + data[1:], "is no file of counts"),
        (lambda data: data[:5], "is no file of counts"),
        (lambda data: data[:8] + b"\x02" + data[9:], "has version 2 of the format, expected 1"),
        (lambda data: data[:-1], "is damaged"),
        (lambda data: data + b"\0", "is damaged"),
        (lambda data: data[:12] + bytes([data[12] ^ 1]) + data[13:], "is damaged"),
    ],
)
def test_damaged_files_are_refused(change: Any, message: str, tmp_path: Path) -> None:
    file = tmp_path / "corpus.counts"
    WordCounts(EXPECTED).save(file)
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(OSError, match=rf"corpus\.counts: .*{message}"):
        WordCounts.load(file)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_links_and_pipes_are_written_through(tmp_path: Path) -> None:
    file, link, pipe = (tmp_path / name for name in ("x.counts", "link", "pipe"))
    link.symlink_to(file)
    WordCounts(EXPECTED).save(link)
    assert link.is_symlink()
    os.mkfifo(pipe)
    thread = threading.Thread(target=WordCounts(EXPECTED).save, args=(pipe,))
    thread.start()
    assert pipe.read_bytes() == file.read_bytes()
    thread.join()
    assert pipe.is_fifo()
    assert WordCounts.load(link).to_dict() == EXPECTED


def test_an_interrupted_save_leaves_nothing(tmp_path: Path) -> None:
    def stop(_stage: str, _current: int, _total: int) -> None:
        raise KeyboardInterrupt

    file = tmp_path / "corpus.counts"
    with pytest.raises(KeyboardInterrupt):
        WordCounts(EXPECTED).save(file, progress=stop)
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------------------------------------------------------------
# Using them


def test_merging_and_pruning() -> None:
    both = WordCounts({"b": 2, "a": 1}).merge(WordCounts({"c": 1, "a": 4}), WordCounts())
    assert list(both.items()) == [("b", 2), ("a", 5), ("c", 1)]
    assert both.prune(2).to_dict() == {"b": 2, "a": 5}
    with pytest.raises(TypeError, match="must be WordCounts, not dict"):
        both.merge({"a": 1})  # type: ignore[arg-type]


@pytest.mark.parametrize("words", [{"a": -1}, {"ab": 2**62}])
def test_counts_that_do_not_fit(words: dict[str, int]) -> None:
    with pytest.raises(TrainingError):
        WordCounts(words)


MODELS: list[tuple[Any, Any]] = [
    (models.BPE, lambda: trainers.BpeTrainer(vocab_size=25, show_progress=False)),
    (models.WordPiece, lambda: trainers.WordPieceTrainer(vocab_size=25, show_progress=False)),
    (models.WordPiece, lambda: trainers.WordPieceTrainer(vocab_size=25, scoring="likelihood", show_progress=False)),
    (models.WordLevel, lambda: trainers.WordLevelTrainer(vocab_size=4, show_progress=False)),
    (models.Unigram, lambda: trainers.UnigramTrainer(vocab_size=15, show_progress=False)),
]


@pytest.mark.parametrize(("model", "trainer"), MODELS)
def test_every_trainer_learns_from_them(model: Any, trainer: Any, tmp_path: Path) -> None:
    results = set()
    file = tmp_path / "text"
    file.write_text("\n".join(TEXTS))
    for how in ("iterator", "file", "bound", "counts", "mapping"):
        tokenizer = Tokenizer(model())
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        if how == "iterator":
            tokenizer.train_from_iterator(TEXTS, trainer())
        elif how == "file":
            tokenizer.train([file], trainer())
        elif how == "bound":
            tokenizer.train([file], trainer(), memory_limit=1)
        elif how == "counts":
            tokenizer.train_from_counts(WordCounts.from_iterator(TEXTS, tokenizer), trainer())
        else:
            tokenizer.train_from_counts(EXPECTED, trainer())
        results.add(tokenizer.to_str())
    assert len(results) == 1


@pytest.mark.parametrize(
    ("count", "error", "message"),
    [
        ("x", TypeError, "the count of `low` must be int, not str"),
        (2.0, TypeError, "the count of `low` must be int, not float"),
        (-1, TrainingError, "the count of `low` is `-1`, below 0"),
        (2**63, TrainingError, "the count of `low` is `9223372036854775808`, which does not fit 63 bits"),
    ],
)
def test_a_count_that_is_none_says_of_which_word(count: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        WordCounts({"new": 1, "low": count})  # type: ignore[dict-item]


def test_ctrl_c_while_tables_go_to_disk(tmp_path: Path) -> None:
    def interrupt() -> None:
        time.sleep(0.5)
        signal.raise_signal(signal.SIGINT)

    def endless() -> Iterator[list[str]]:
        number = 0
        while True:
            yield [f"word{number + i} " * 3 for i in range(1000)]
            number += 1000

    thread = threading.Thread(target=interrupt)
    thread.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        WordCounts.from_iterator(endless(), words(), memory_limit=1 << 20, spill_folder=tmp_path)
    assert time.monotonic() - start < 3
    thread.join()
    assert list(tmp_path.iterdir()) == []
