"""Run the notebooks in examples/notebooks and keep what they print and draw: ``python tools/notebooks.py [NAME …]``.

GitHub shows a notebook as it is kept, so each is kept with its outputs, and with a fingerprint of the cells that made
them. `flaws` tells what is wrong with a kept notebook. The dependency group ``notebooks`` brings what is needed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

FOLDER = Path(__file__).parents[1] / "examples" / "notebooks"
#: A file beyond this is slow to show and to clone.
MOST_BYTES = 300_000
_PATH = re.compile(
    r"(?:(?<![\w.:/])|(?<=file://))/(?:home|root|tmp|usr|var|opt|mnt|work|Users)/[^\s\"'<>]*|[A-Z]:\\Users\\"
)
_BOARD_PX = 300
_OF_THE_RUN = ("language_info", "widgets", "signature", "execution")  # of the kernel that ran it

Notebook = dict[str, Any]


def read(path: Path) -> Notebook:
    """A notebook as data."""
    notebook: Notebook = json.loads(path.read_text("utf-8"))
    return notebook


def code_cells(notebook: Notebook) -> list[dict[str, Any]]:
    """The cells that run."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def fingerprint(notebook: Notebook) -> str:
    """A hash of all code."""
    sources = ["".join(cell["source"]) for cell in code_cells(notebook)]
    return hashlib.sha256(json.dumps(sources).encode()).hexdigest()[:16]


def flaws(path: Path) -> Iterator[str]:
    """The faults of a kept notebook: outputs missing, old or failed, machine paths, size."""
    notebook = read(path)
    if path.stat().st_size > MOST_BYTES:
        yield f"is larger than {MOST_BYTES} bytes"
    if notebook["metadata"].get("joute", {}).get("ran") != fingerprint(notebook):
        yield f"has outputs of other code: python tools/notebooks.py {path.stem}"
    cells = code_cells(notebook)
    if [cell["execution_count"] for cell in cells] != list(range(1, len(cells) + 1)):
        yield "was not run once from top to bottom"
    for number, cell in enumerate(cells, 1):
        for output in cell["outputs"]:
            if output["output_type"] == "error":
                yield f"fails in cell {number}: {output['evalue']}"
            if output.get("name") == "stderr":
                yield f"prints an error or warning in cell {number}: {''.join(output['text'])[:100]}"
            for text in _texts(output):
                if found := _PATH.search(text):
                    yield f"shows a path of the machine in cell {number}: {found[0]}"


def _texts(value: Any) -> Iterator[str]:
    """All texts in data, lists of lines joined."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and all(isinstance(each, str) for each in value):
        yield "".join(value)
    elif isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def run(path: Path, out: Path, instead: Mapping[str, str] = MappingProxyType({})) -> None:
    """Run a notebook in its folder and write it with its outputs; `instead` has texts of its code and other ones."""
    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        for text, other in instead.items():
            cell.source = cell.source.replace(text, other)
    # Without colours and without the width of this terminal: outputs are the same wherever they are made.
    environment = os.environ | {"NO_COLOR": "1", "COLUMNS": "110"}
    client = nbclient.NotebookClient(
        notebook,
        timeout=3600,
        record_timing=False,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute(env=environment)
    for name in _OF_THE_RUN:
        notebook.metadata.pop(name, None)
    notebook.metadata["language_info"] = {"name": "python"}
    data = json.loads(nbformat.writes(notebook))
    for cell in code_cells(data):
        cell["outputs"] = [_kept(output) for output in _joined(cell["outputs"])]
    data["metadata"]["joute"] = {"ran": fingerprint(data)}
    out.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _joined(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The outputs, with neighbouring pieces of one stream as one: where they are cut depends on time."""
    joined: list[dict[str, Any]] = []
    for output in outputs:
        if output["output_type"] == "stream" and joined and joined[-1].get("name") == output["name"]:
            joined[-1]["text"] += output["text"]
        else:
            joined.append(output)
    return joined


def _kept(output: dict[str, Any]) -> dict[str, Any]:
    """An output as GitHub shows it: it runs no scripts, so of a board with a slider the last position stays."""
    page = "".join(output.get("data", {}).get("text/html", ""))
    if "<script" in page:
        del output["data"]["text/html"]
        if board := re.search(r"<svg.*?</svg>", page, re.DOTALL):
            output["data"]["image/svg+xml"] = board[0].replace('width="100%"', f'width="{_BOARD_PX}"', 1)
    return output


def main(names: list[str]) -> int:
    """Run the named notebooks, or all; 1 if one of them is not fit to be kept."""
    paths = [FOLDER / f"{name}.ipynb" for name in names] or sorted(FOLDER.glob("*.ipynb"))
    status = 0
    for path in paths:
        run(path, path)
        print(f"{path.name}: {path.stat().st_size} bytes", flush=True)
        for flaw in flaws(path):
            print(f"{path.name} {flaw}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
