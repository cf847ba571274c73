"""Folders on the hub, with one that is pretended: no test goes to the network."""

from __future__ import annotations

import shutil
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from piecework import AutoTokenizer, PreTrainedTokenizer

if TYPE_CHECKING:
    from pathlib import Path


class Hub:
    """Repositories as folders of a folder; what `huggingface_hub` offers of them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.asked: list[tuple[str, Any]] = []

    def hf_hub_download(self, name: str, file: str, **options: Any) -> str:
        self.asked.append((file, options))
        return str(self.root / name / (options.get("subfolder") or "") / file)

    def snapshot_download(self, name: str, **options: Any) -> str:
        self.asked.append(("all", options))
        return str(self.root / name)

    def HfApi(self, token: Any = None) -> SimpleNamespace:  # noqa: N802 - its name there
        def names(name: str, **_options: Any) -> list[str]:
            root = self.root / name
            return [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]

        def create(name: str, **_options: Any) -> SimpleNamespace:
            (self.root / name).mkdir(parents=True, exist_ok=True)
            return SimpleNamespace(repo_id=name)

        def upload(repo_id: str, folder_path: str, **options: Any) -> str:
            self.asked.append((f"upload as {token}", options))
            shutil.copytree(folder_path, self.root / repo_id, dirs_exist_ok=True)
            return f"https://hub/{repo_id}/commit/1"

        return SimpleNamespace(list_repo_files=names, create_repo=create, upload_folder=upload)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    pretended = Hub(tmp_path / "hub")
    pretended.root.mkdir()
    monkeypatch.setitem(sys.modules, "huggingface_hub", pretended)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.chdir(tmp_path)
    return pretended


@pytest.mark.parametrize("offline", [False, True])
def test_loading(hub: Hub, model_folders: Path, offline: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(model_folders / "bert", hub.root / "who" / "bert")
    if offline:
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    local = AutoTokenizer.from_pretrained(model_folders / "bert")
    tokenizer = AutoTokenizer.from_pretrained("who/bert", revision="v1", token="secret")
    assert tokenizer("import os").data == local("import os").data
    assert tokenizer.name_or_path == "who/bert"
    files = {file: options for file, options in hub.asked if file != "all"}
    assert files["tokenizer.json"] == {"subfolder": None, "revision": "v1", "token": "secret"}
    assert any(file == "all" for file, _ in hub.asked) == offline


def test_a_folder_within_a_repository(hub: Hub, model_folders: Path) -> None:
    shutil.copytree(model_folders / "gpt2-vocab", hub.root / "who" / "many" / "gpt2")
    tokenizer = PreTrainedTokenizer.from_pretrained("who/many", subfolder="gpt2", model_type="gpt2")
    local = PreTrainedTokenizer.from_pretrained(model_folders, subfolder="gpt2-vocab", model_type="gpt2")
    assert tokenizer("import os").data == local("import os").data


def test_uploading(hub: Hub, model_folders: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(model_folders / "gpt2")
    address = tokenizer.push_to_hub("me/mine", commit_message="first", token="secret", private=True)
    assert address == "https://hub/me/mine/commit/1"
    assert hub.asked[-1][0] == "upload as secret"
    assert hub.asked[-1][1]["commit_message"] == "first"
    again = AutoTokenizer.from_pretrained("me/mine")
    assert again("import os").data == tokenizer("import os").data
    assert again.chat_template == tokenizer.chat_template
    tokenizer.save_pretrained(hub.root.parent / "other", push_to_hub=True, commit_message="second")
    assert (hub.root / "other" / "tokenizer.json").is_file()


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"`who/bert` is no folder.*piecework\[hub\]"):
        AutoTokenizer.from_pretrained("who/bert")
