"""Files that a tokenizer writes: there as a whole or not at all."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from piecework import Tokenizer, models

OLD = Tokenizer(models.WordLevel({"old": 0}, "old"))

FULL = """
import resource, sys
from piecework import PreTrainedTokenizer, Tokenizer, models
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
tokenizer = Tokenizer(models.WordLevel({f"word{i}": i for i in range(20_000)}, "word0"))
how, target = sys.argv[1:]
try:
    if how == "tokenizer":
        tokenizer.save(target + "/tokenizer.json")
    elif how == "model":
        tokenizer.model.save(target)
    else:
        PreTrainedTokenizer(tokenizer_object=tokenizer).save_pretrained(target)
except OSError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no limit for files")
@pytest.mark.parametrize("how", ["tokenizer", "model", "folder"])
def test_a_full_disk_takes_nothing_away(how: str, tmp_path: Path) -> None:
    OLD.save(tmp_path / "tokenizer.json")
    OLD.model.save(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    done = subprocess.run([sys.executable, "-c", FULL, how, tmp_path], check=True, capture_output=True, text=True)
    assert re.search(rf"File too large: '{re.escape(str(tmp_path))}.*\.json'$", done.stdout)
    after = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.name != "tokenizer_config.json"}
    assert after == before


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no such modes")
def test_a_file_keeps_its_mode(tmp_path: Path) -> None:
    file, plain = tmp_path / "tokenizer.json", tmp_path / "plain"
    plain.touch()
    OLD.save(file)
    assert file.stat().st_mode == plain.stat().st_mode
    file.chmod(0o640)
    OLD.save(file)
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(tmp_path.iterdir()) == [plain, file]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_links_and_devices_are_written_through(tmp_path: Path) -> None:
    file, link = tmp_path / "real.json", tmp_path / "link.json"
    link.symlink_to(file)
    OLD.save(link)
    assert link.is_symlink()
    assert Tokenizer.from_file(file).get_vocab() == {"old": 0}
    OLD.save(os.devnull)
    assert Path(os.devnull).is_char_device()


@pytest.mark.parametrize("name", [".", "none/tokenizer.json"])
def test_places_that_take_no_file(name: str, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=re.escape(tmp_path.name)):
        OLD.save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_long_name_that_leaves_no_room_for_a_draft(tmp_path: Path) -> None:
    file = tmp_path / ("x" * 250)
    OLD.save(file)
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
