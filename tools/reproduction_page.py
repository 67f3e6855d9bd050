"""Make docs/reproduction.md, its figures and docs/verdicts.md from the results beside it.

The results are those of ``joute reproduce all --scale full``, copied there.
"""

from __future__ import annotations

from pathlib import Path

from verdicts_page import verdicts_page

from joute.reproduce.contents import contents
from joute.reproduce.experiments import find_paper, paper_names
from joute.reproduce.markdown import markdown_of
from joute.reproduce.report import drawings_of
from joute.reproduce.results import read_results

_DOCS = Path(__file__).parent.parent / "docs"
FOLDER = _DOCS / "reproduction"


def pages() -> dict[Path, str]:
    """Return the contents of each file."""
    papers = [find_paper(name) for name in paper_names()]
    made = contents(read_results(FOLDER / "results.json"), papers, discussed=True)
    drawings = {FOLDER / name: drawing for name, drawing in drawings_of(made).items()}
    return {
        _DOCS / "reproduction.md": markdown_of(made, FOLDER.name),
        _DOCS / "verdicts.md": verdicts_page(made, FOLDER / "verdicts_0_1.toml"),
        **drawings,
    }


if __name__ == "__main__":
    found = pages()
    for path in FOLDER.glob("*.svg"):
        if path not in found:
            path.unlink()
    for path, text in found.items():
        path.write_text(text, encoding="utf-8")
    print(f"{len(found)} files in {_DOCS}")
