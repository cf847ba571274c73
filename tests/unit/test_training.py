"""Feeding a training: items, files, counts, progress, and what happens when it fails."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from piecework import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, trainers
from piecework.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

TEXTS = ["low lower lowest", "new newer newest", "low low new"]


def new(**options: Any) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(**options))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


def silent(**settings: Any) -> trainers.BpeTrainer:
    return trainers.BpeTrainer(show_progress=False, **{"vocab_size": 60, **settings})


def trained(items: Iterable[Any], **settings: Any) -> str:
    tokenizer = new()
    tokenizer.train_from_iterator(items, silent(**settings))
    return tokenizer.to_str()


# ---------------------------------------------------------------------------------------------------------------------
# Items


@pytest.mark.parametrize(
    "items",
    [tuple(TEXTS), iter(TEXTS), [TEXTS[:2], TEXTS[2:]], [iter(TEXTS)], [TEXTS[0], tuple(TEXTS[1:])]],
    ids=["tuple", "iterator", "batches", "iterator in a list", "text and batch"],
)
def test_shapes_of_input(items: Iterable[Any]) -> None:
    assert trained(items) == trained(TEXTS)


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (["a", "b", None], "item[2] must be str or an iterable of str, not NoneType"),
        (["a", b"b"], "item[1] must be str or an iterable of str, not bytes"),
        ([["a"], ("b", 2)], "item[1][1] must be str, not int"),
        ([["a", ["b"]]], "item[0][1] must be str, not list"),
        (7, "'int' object is not iterable"),
    ],
)
def test_what_is_no_text(items: Any, message: str) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        new().train_from_iterator(items, silent())


def test_a_lone_surrogate_is_found() -> None:
    with pytest.raises(UnicodeEncodeError, match=r"in item\[1\]"):
        new().train_from_iterator(["fine", "a\ud800b"], silent())


def test_an_iterator_is_read_once() -> None:
    read = []

    def items() -> Iterator[str]:
        for text in TEXTS:
            read.append(text)
            yield text

    assert trained(items()) == trained(TEXTS)
    assert read == TEXTS


@pytest.mark.parametrize("batches", [False, True])
def test_an_error_of_the_iterator_comes_out_and_nothing_changes(batches: bool) -> None:
    tokenizer = new()
    tokenizer.train_from_iterator(TEXTS, silent())
    before = tokenizer.to_str()
    error = KeyError("mine")

    def items() -> Iterator[Any]:
        yield ["some text"] if batches else "some text"
        raise error

    with pytest.raises(KeyError) as caught:
        tokenizer.train_from_iterator(items(), silent(special_tokens=["<x>"]))
    assert caught.value is error
    assert tokenizer.to_str() == before
    assert tokenizer.encode("low").tokens == ["low"]


def test_an_error_of_a_component_comes_out() -> None:
    class Fails:
        def normalize(self, normalized: Any) -> None:
            raise ZeroDivisionError(str(normalized))

    tokenizer = new()
    tokenizer.normalizer = normalizers.Normalizer.custom(Fails())
    with pytest.raises(ZeroDivisionError, match="low"):
        tokenizer.train_from_iterator(TEXTS, silent())


def test_added_tokens_are_pieces_of_their_own() -> None:
    tokenizer = new()
    tokenizer.add_tokens([AddedToken("low new", normalized=False)])
    tokenizer.train_from_iterator(["xlow newx"] * 3, silent())
    assert tokenizer.token_to_id("low new") is not None
    assert tokenizer.model.token_to_id("low new") is not None
    assert tokenizer.model.token_to_id("xlow") is None


# ---------------------------------------------------------------------------------------------------------------------
# Files


def test_files_are_read_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_bytes("".join(text + "\r\n" for text in TEXTS).encode())
    tokenizer = Tokenizer(models.BPE())
    tokenizer.train([file, str(file)], silent())
    other = Tokenizer(models.BPE())
    other.train_from_iterator([text + "\r\n" for text in TEXTS] * 2, silent())
    assert tokenizer.to_str() == other.to_str()


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    tokenizer = new()
    with pytest.raises(FileNotFoundError, match=r"^\[Errno 2\] No such file or directory: '.*none'$"):
        tokenizer.train([str(tmp_path / "none")], silent())
    with pytest.raises(OSError, match=r"[Dd]irectory.*") as caught:
        tokenizer.train([str(tmp_path)], silent())
    assert caught.value.errno == errno.EISDIR or sys.platform == "win32"
    wrong = tmp_path / "wrong"
    wrong.write_bytes(b"abc\n\xff\n")
    with pytest.raises(OSError, match=r"wrong.*byte 4 is not UTF-8"):
        tokenizer.train([str(wrong)], silent())
    with pytest.raises(TypeError, match="a list of paths"):
        tokenizer.train(str(wrong), silent())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_is_opened_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    thread = threading.Thread(target=pipe.write_text, args=("\n".join(TEXTS) + "\n",))
    thread.start()
    tokenizer = new()
    tokenizer.train([pipe], silent())
    thread.join()
    assert tokenizer.to_str() == trained(TEXTS)


# ---------------------------------------------------------------------------------------------------------------------
# Counts


def test_counts_give_what_the_text_gives() -> None:
    counts = {"low": 3, "lower": 1, "lowest": 1, "new": 2, "newer": 1, "newest": 1}
    tokenizer = new()
    trainer = silent()
    tokenizer.train_from_counts(counts, trainer)
    assert tokenizer.to_str() == trained(TEXTS)
    assert trainer.get_word_count() == len(counts)


@pytest.mark.parametrize(
    ("counts", "error"),
    [
        ({"a": -1}, TrainingError),
        ({"ab": 2**62}, TrainingError),
        ({"a": 2**64}, TrainingError),
        ({"a": 1.5}, TypeError),
        ({3: 1}, TypeError),
        (["a"], TypeError),
    ],
)
def test_wrong_counts(counts: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        new().train_from_counts(counts, silent())


# ---------------------------------------------------------------------------------------------------------------------
# Models and trainers


def test_a_vocabulary_below_the_alphabet_is_told() -> None:
    with pytest.warns(UserWarning, match=r"^vocab_size is 3, but special tokens and alphabet have 8 entries"):
        new().train_from_iterator(TEXTS, silent(vocab_size=3))


def test_bytes_may_have_tokens() -> None:
    tokenizer = new()
    trainer = silent(vocab_size=300, special_tokens=["<s>"], enforce_byte_fallback=True)
    tokenizer.train_from_iterator(TEXTS, trainer)
    assert tokenizer.encode("low☃").tokens == ["low", "<0xE2>", "<0x98>", "<0x83>"]
    assert [tokenizer.token_to_id(token) for token in ("<s>", "<0x00>", "<0xFF>", "e")] == [0, 1, 256, 257]
    state = json.loads(trainer.__getstate__())["BpeTrainer"]
    assert state["enforce_byte_fallback"] is True
    assert "enforce_byte_fallback" not in json.loads(silent().__getstate__())["BpeTrainer"]


def test_texts_of_special_tokens_may_be_left_out() -> None:
    texts = ["<mark>low<mark>", "new<mark>"] * 5
    whole, without = new(), new()
    whole.train_from_iterator(texts, silent(special_tokens=["<mark>"]))
    without.train_from_iterator(texts, silent(special_tokens=["<mark>"], split_special_tokens=False))
    assert "mark" in whole.get_vocab()
    assert sorted(without.get_vocab(), key=without.get_vocab().__getitem__) == [
        *("<mark>", "e", "l", "n", "o", "w", "ew", "lo", "new", "low")
    ]


def test_settings_of_the_model_stay_but_for_the_affixes() -> None:
    tokenizer = new(dropout=0.5, unk_token="?", byte_fallback=True, end_of_word_suffix="</w>")
    tokenizer.train_from_iterator(TEXTS, silent(continuing_subword_prefix="##"))
    model = json.loads(tokenizer.to_str())["model"]
    assert (model["dropout"], model["unk_token"], model["byte_fallback"]) == (0.5, "?", True)
    assert (model["continuing_subword_prefix"], model["end_of_word_suffix"]) == ("##", None)


def test_a_model_that_the_user_holds_is_the_one_that_is_trained() -> None:
    model = models.BPE()
    tokenizer = Tokenizer(model)
    tokenizer.train_from_iterator(TEXTS, silent())
    assert model.token_to_id("low") == tokenizer.token_to_id("low") is not None


@pytest.mark.parametrize("trainer", [trainers.WordPieceTrainer, trainers.WordLevelTrainer, trainers.UnigramTrainer])
def test_a_trainer_for_another_kind_of_model(trainer: type[trainers.Trainer]) -> None:
    with pytest.raises(TrainingError, match=rf"^{trainer.__name__} can only train a \w+, not a BPE$"):
        new().train_from_iterator(TEXTS, trainer())


def test_the_default_trainer_is_that_of_the_model() -> None:
    tokenizer = Tokenizer(models.WordLevel())
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(["b a b"])
    assert tokenizer.get_vocab() == {"b": 0, "a": 1}


def test_wordpiece_by_likelihood_prefers_parts_that_are_rare_elsewhere() -> None:
    # Expected values by hand: 20 / (36 * 20) for ##g + ##s, 5 / (36 * 15) for hu, and so on, as in the course.
    counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    results = {}
    for scoring in ("frequency", "likelihood"):
        tokenizer = Tokenizer(models.WordPiece())
        trainer = trainers.WordPieceTrainer(vocab_size=14, scoring=scoring, show_progress=False)
        tokenizer.train_from_counts(counts, trainer)
        results[scoring] = [tokenizer.id_to_token(i) for i in (11, 12, 13)]
    assert results == {"frequency": ["##ug", "##un", "hug"], "likelihood": ["##gs", "hu", "hugs"]}


# ---------------------------------------------------------------------------------------------------------------------
# Threads, progress, Ctrl-C

AFFIXES = """
from piecework import Tokenizer, models, pre_tokenizers, trainers
tokenizer = Tokenizer(models.BPE())
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
texts = (f"{i % 97} some{i % 13} words w{i * 7919 % 1009} äö{i % 31}" for i in range(60_000))
affixes = {"continuing_subword_prefix": "##", "end_of_word_suffix": "</w>"}
trainer = trainers.BpeTrainer(vocab_size=900, show_progress=False, **affixes)
tokenizer.train_from_iterator(texts, trainer)
print(tokenizer.to_str())
"""


def test_the_number_of_threads_does_not_matter() -> None:
    def run(threads: str) -> str:
        env = {**os.environ, "RAYON_NUM_THREADS": threads}
        return subprocess.run(
            [sys.executable, "-c", AFFIXES], env=env, check=True, capture_output=True, text=True
        ).stdout

    results = {run(threads) for threads in ("1", "2", "5")}
    assert len(results) == 1
    assert len(json.loads(results.pop())["model"]["vocab"]) == 900


WAYS = """
import sys
from piecework import Tokenizer, WordCounts, models, pre_tokenizers, trainers
kind, how, path = sys.argv[1:]
tokenizer = Tokenizer(getattr(models, kind)())
tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
trainer = getattr(trainers, f"{kind}Trainer")(vocab_size=300, show_progress=False)
if how == "iterator":
    tokenizer.train_from_iterator(open(path, newline="\\n"), trainer)
elif how == "bound":
    tokenizer.train([path], trainer, memory_limit=1)
else:
    tokenizer.train([path], trainer)
print(tokenizer.to_str())
"""


@pytest.mark.parametrize("kind", ["BPE", "WordPiece", "WordLevel", "Unigram"])
def test_the_same_bytes_on_every_way(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "text"
    code = WAYS.replace('f"{kind}Trainer"', 'f"{kind}Trainer".replace("BPE", "Bpe")')
    lines = (f"{i % 97} some{i % 13} words w{i * 7919 % 1009} äö{i % 31}\n" for i in range(4000))
    file.write_text("".join(lines))
    results = set()
    for threads, how in (("1", "file"), ("2", "file"), ("2", "iterator"), ("1", "bound"), ("2", "bound")):
        env = {**os.environ, "RAYON_NUM_THREADS": threads}
        command = [sys.executable, "-c", code, kind, how, str(file)]
        results.add(subprocess.run(command, env=env, check=True, capture_output=True).stdout)
    assert len(results) == 1


def test_a_callable_is_told_all_stages() -> None:
    seen: list[tuple[str, int, int]] = []
    new().train_from_iterator(TEXTS, silent(vocab_size=15), length=3, progress=lambda *state: seen.append(state))
    ends = {stage: (current, total) for stage, current, total in seen}
    assert ends == {"Read items": (3, 3), "Tokenize words": (6, 6), "Count pairs": (34, 34), "Compute merges": (15, 15)}


def test_a_callable_may_end_a_training() -> None:
    tokenizer = new()
    before = tokenizer.to_str()
    for wanted in ("Read items", "Tokenize words", "Count pairs", "Compute merges"):

        def stop(stage: str, _current: int, _total: int, wanted: str = wanted) -> None:
            if stage == wanted:
                raise ZeroDivisionError(stage)

        with pytest.raises(ZeroDivisionError, match=wanted):
            tokenizer.train_from_iterator(TEXTS, silent(), progress=stop)
        assert tokenizer.to_str() == before


def test_progress_as_lines_of_json(capfd: pytest.CaptureFixture[str]) -> None:
    new().train_from_iterator(TEXTS, trainers.BpeTrainer(vocab_size=15, progress_format="json"))
    out, err = capfd.readouterr()
    rows = [json.loads(line) for line in err.splitlines()]
    assert out == ""
    assert list(dict.fromkeys(row["stage"] for row in rows)) == ["Tokenize words", "Count pairs", "Compute merges"]
    assert rows[-1] == {"stage": "Compute merges", "current": 15, "total": 15}


@pytest.mark.parametrize("settings", [{"progress_format": "silent"}, {"show_progress": False}, {}])
def test_nothing_is_written_where_nobody_looks(settings: dict[str, Any], capfd: pytest.CaptureFixture[str]) -> None:
    new().train_from_iterator(TEXTS, trainers.BpeTrainer(vocab_size=20, **settings))
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no terminals")
def test_bars_on_a_terminal() -> None:
    code = AFFIXES.replace("show_progress=False", "show_progress=True")
    control, terminal = os.openpty()
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    seen = b""
    try:
        while part := os.read(control, 1 << 16):
            seen += part
    except OSError:  # the other end is closed
        pass
    finally:
        os.close(control)
    assert child.wait() == 0
    for stage in (b"Read items", b"Tokenize words", b"Count pairs", b"Compute merges"):
        assert stage in seen


def test_ctrl_c_ends_a_training_and_changes_nothing() -> None:
    tokenizer = new()
    tokenizer.train_from_iterator(TEXTS, silent())
    before = tokenizer.to_str()

    def interrupt() -> None:
        time.sleep(0.3)
        signal.raise_signal(signal.SIGINT)

    def endless() -> Iterator[list[str]]:
        batch = ["some text " * 20] * 100
        while True:
            yield batch

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        tokenizer.train_from_iterator(endless(), silent())
    thread.join()
    assert tokenizer.to_str() == before
