"""C++ beside the benchmarks, compiled when it is needed."""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

CORE = Path(__file__).parent.parent / "core"

# As CMakeLists.txt has it for the core.
FLAGS = ("-std=c++20", "-O3", *(["-march=x86-64-v2"] if platform.machine() in ("x86_64", "AMD64") else []))


def compiled(name: str, *, core: Iterable[Path] = ()) -> ctypes.CDLL | None:
    """The C++ program beside this file, with some sources of the core; None, and a word, without a compiler."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if not compiler:
        print(f"\nno C++ compiler is found (CXX or c++), so {name} is left out")
        return None
    sources = [str(Path(__file__).with_name(name)), *map(str, core)]
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "library.so"
        command = [compiler, *FLAGS, f"-I{CORE}", "-shared", "-fPIC", *sources, "-o", str(library)]
        subprocess.run(command, check=True)
        return ctypes.CDLL(str(library))
