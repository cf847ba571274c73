"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
import threading
from pathlib import Path

PathLike = str | os.PathLike[str]


def write_whole(path: PathLike, content: str) -> None:
    """Write a file in UTF-8; what was under its name stays there until the new content is complete.

    Links, pipes and devices are written through, and so is a file whose folder takes no second one.
    """
    path = Path(path)
    data = content.encode()
    if path.is_symlink() or (path.exists() and not path.is_file()):
        path.write_bytes(data)
        return
    draft = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        stream = draft.open("xb")
    except OSError:
        path.write_bytes(data)
        return
    try:
        with stream:
            stream.write(data)
        if path.exists():
            draft.chmod(path.stat().st_mode)
        _rename(draft, path, data)
    except OSError as error:
        # A full disk has no name.
        error.filename = os.fspath(path)
        raise
    finally:
        draft.unlink(missing_ok=True)


def _rename(draft: Path, path: Path, data: bytes) -> None:
    try:
        draft.replace(path)
    except OSError:
        # A file that something is mounted on, or that Windows holds open, can be written but not replaced.
        path.write_bytes(data)
