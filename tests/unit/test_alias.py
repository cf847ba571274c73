"""`import tokenizers` gives piecework where that was asked for. In processes of their own, since it is for good."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, check=False, text=True)


def test_names_and_version() -> None:
    done = run(
        "import piecework; piecework.as_tokenizers(); piecework.as_tokenizers()\n"
        "import tokenizers, tokenizers.models\n"
        "from tokenizers import Tokenizer, AddedToken, EncodeInput, ByteLevelBPETokenizer\n"
        "from tokenizers.pre_tokenizers import Split\n"
        "from tokenizers.implementations import BaseTokenizer\n"
        "assert Tokenizer is piecework.Tokenizer and Split is piecework.pre_tokenizers.Split\n"
        "assert tokenizers.models.BPE is piecework.models.BPE\n"
        "print(tokenizers.__version__)"
    )
    assert done.stdout.strip() == importlib.metadata.version("tokenizers"), done.stderr


def test_it_is_too_late_once_the_package_was_imported() -> None:
    done = run("import tokenizers, piecework; piecework.as_tokenizers()")
    assert "ImportError: tokenizers was imported already" in done.stderr


def test_every_name_of_the_reference_is_there() -> None:
    done = run(
        "import importlib, subprocess, sys, json\n"
        "real = json.loads(subprocess.run([sys.executable, '-c', '''\n"
        "import importlib, json\n"
        "names = {}\n"
        "modules = 'models normalizers pre_tokenizers processors decoders implementations tools'.split()\n"
        "for m in ('', *['.' + m for m in modules]):\n"
        "    module = importlib.import_module('tokenizers' + m)\n"
        "    names[m] = [n for n in dir(module) if n[0].isupper() and n not in ('List', 'Tuple', 'Union', 'Enum')]\n"
        "print(json.dumps(names))'''], capture_output=True, text=True).stdout)\n"
        "import piecework; piecework.as_tokenizers()\n"
        "for m, names in real.items():\n"
        "    module = importlib.import_module('tokenizers' + m)\n"
        "    print(*[m + '.' + n for n in names if not hasattr(module, n)])\n"
    )
    assert done.stderr == ""
    assert done.stdout.split() == []
