"""Check that the tree can be released: ``make release-check``, or ``python tools/release_check.py [CHECK …]``.

Each check is a function of the tree's folder that yields what is wrong; it prints one line, and its findings below.
"""

from __future__ import annotations

import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from datetime import date
from itertools import zip_longest
from pathlib import Path, PurePosixPath

import notebooks

from joute.fits.fitted import Freshness, fitted_data

#: What a wheel may weigh, so that a class can install it over a slow network.
MOST_WHEEL_BYTES = 20 * 2**20
#: What a clone may weigh without its history.
MOST_TREE_BYTES = 48 * 2**20
#: The sections of https://keepachangelog.com, in its order.
SECTIONS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
UNRELEASED = "Unreleased"

#: Where the folders of a wheel are in the tree, the longest first.
WHEEL_FOLDERS = {
    "joute/include/joute/": "core/",
    "joute/cmake/": "cmake/",
    "joute/experiments/": "experiments/",
    "joute/": "src/joute/",
    "": "",
}
#: What the build makes.
_BUILT = re.compile(
    r"joute/(_core\.[\w-]+\.so|_core\.pyi|cmake/joute-config\.cmake|include/joute/bind/build_version\.hpp)$"
)
#: So many files are named before the rest is left out.
_MOST_NAMES = 10

_VERSION = r"\d+\.\d+\.\d+"
# Data that were made by an earlier version stay so.
_NAMED_VERSION = re.compile(rf"(?<!made by )\bjoute(?: |-|==|:|@v?)({_VERSION})\b", re.IGNORECASE)
_HEADING = re.compile(rf"^## \[({UNRELEASED}|{_VERSION})\](?: - (\S+))?$")
_LINK = re.compile(r"^\[([^\]]+)\]: (\S+)$", re.MULTILINE)
#: How a data file says how it was made, in the comments at its beginning.
_MADE = re.compile(r"^# (?:(?:joute|python) \S+|.*\bfrom \d+ candidates\b|.*\bwritten by hand\b)", re.MULTILINE)
_CARD_LICENCE = re.compile(r"\blicence\W+(?P<licence>[\w.-]+\w)", re.IGNORECASE)

#: A check yields what is wrong, and tells a remark for its line.
Remark = Callable[[str], None]
Check = Callable[[Path, Remark], Iterator[str]]


def git_files(root: Path, *patterns: str) -> list[str]:
    """The tracked files of the tree."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--", *patterns]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    return [name for name in listed if name and (root / name).is_file()]


def version_of(root: Path) -> str:
    """The version that the build reads."""
    match = re.search(r'^__version__ = "(.*)"$', (root / "src/joute/version.py").read_text("utf-8"), re.MULTILINE)
    return match[1] if match else ""


def check_version(root: Path, remark: Remark) -> Iterator[str]:
    """One version everywhere: version.py, from which the build has it, CITATION.cff, and every page that names one."""
    version = version_of(root)
    if not re.fullmatch(_VERSION, version):
        yield f"src/joute/version.py has no version such as 1.2.3, but '{version}'"
        return
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    if "version" in project["project"] or "version" not in project["project"].get("dynamic", ()):
        yield "pyproject.toml has a version of its own: leave it to src/joute/version.py"
    if re.search(r"^\s*project\([^)]*\bVERSION\b", (root / "CMakeLists.txt").read_text("utf-8"), re.MULTILINE):
        yield "CMakeLists.txt has a version of its own: leave it to src/joute/version.py"
    cited = re.search(r"^version: *(\S+)$", (root / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    if cited is None or cited[1].strip("\"'") != version:
        yield f"CITATION.cff names version {cited[1] if cited else 'none'}, not {version}"
    pages = git_files(root, "*.md", "Containerfile", ".github")
    for name in pages:
        if name == "CHANGELOG.md" or name.startswith("tests/"):
            continue
        for found in _NAMED_VERSION.findall((root / name).read_text("utf-8")):
            if found != version:
                yield f"{name} names Joute {found}, not {version}"
    remark(f"{version} in version.py, CITATION.cff and {len(pages)} pages")


def check_changelog(root: Path, remark: Remark) -> Iterator[str]:
    """Keep a Changelog: dated versions, newest first, known sections, links that compare each with the one before."""
    version, text = version_of(root), (root / "CHANGELOG.md").read_text("utf-8")
    versions: list[str] = []
    dates: list[date] = []
    section = ""
    filled: dict[str, list[str]] = {}  # the sections with entries, by version
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            match = _HEADING.match(line)
            if match is None:
                yield f"line {number} is neither '## [{UNRELEASED}]' nor '## [1.2.3] - 2026-12-31': {line}"
                continue
            versions.append(match[1])
            filled[match[1]], section = [], ""
            if match[1] != UNRELEASED:
                try:
                    dates.append(date.fromisoformat(match[2] or ""))
                except ValueError:
                    yield f"line {number} has no date such as 2026-12-31: {line}"
        elif line.startswith("### "):
            section = line.removeprefix("### ")
            if section not in SECTIONS:
                yield f"line {number} is none of {', '.join(SECTIONS)}: {line}"
        elif line.startswith("- ") and versions:
            if not section:
                yield f"line {number} stands in no section such as '### Added': {line[:60]}"
            filled[versions[-1]].append(section)
    yield from _disorder(versions, dates, filled)
    released = [each for each in versions if each != UNRELEASED]
    if filled.get(UNRELEASED):
        yield f"'{UNRELEASED}' has {len(filled[UNRELEASED])} entries: give them a version and a date"
    if version not in released[:1]:
        yield f"the newest version is {released[0] if released else 'missing'}, not {version}"
    yield from _broken_links(versions, dict(_LINK.findall(text)))
    remark(f"{len(filled.get(version, ()))} entries for {version}")


def _disorder(versions: list[str], dates: list[date], filled: dict[str, list[str]]) -> Iterator[str]:
    """Versions, dates and sections in the wrong order."""
    released = [each for each in versions if each != UNRELEASED]
    if released != sorted(set(released), key=_as_numbers, reverse=True) or dates != sorted(dates, reverse=True):
        yield "the versions are not in order, newest first"
    if UNRELEASED in versions[1:]:
        yield f"'{UNRELEASED}' is not the first section"
    for each, sections in filled.items():
        places = [SECTIONS.index(name) for name in sections if name in SECTIONS]
        if places != sorted(places):
            yield f"the sections of {each} are not in the order {', '.join(SECTIONS)}"


def _as_numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _broken_links(versions: list[str], links: dict[str, str]) -> Iterator[str]:
    """The links of headings that are missing or compare the wrong versions."""
    for newer, older in zip_longest(versions, versions[1:], fillvalue=""):
        end = "HEAD" if newer == UNRELEASED else f"v{newer}"
        wanted = f"compare/v{older}...{end}" if older else f"releases/tag/{end}"
        if not links.get(newer, "").endswith(f"/{wanted}"):
            yield f"[{newer}] links to {links.get(newer, 'nothing')}, not to …/{wanted}"


def check_fitted(root: Path, remark: Remark) -> Iterator[str]:
    """No fitted data are stale: those of `joute refit`."""
    count = 0
    for each in fitted_data():
        count += 1
        if each.freshness is not Freshness.FRESH:
            yield f"{each.kind} of {each.game}: {each.freshness.value}; joute refit --run --game {each.game}"
    remark(f"{count} files fitted with the engines of today")


def check_data(root: Path, remark: Remark) -> Iterator[str]:
    """Every file of data has a licence in REUSE.toml and says how it was made: in its first lines, or in a card."""
    licences = licences_of(root)
    named = git_files(root, "src/joute/**/data/*", "src/joute/data/*")
    for name in named:
        licence = next((each for pattern, each in licences if PurePosixPath(name).match(pattern)), "")
        if not licence:
            yield f"{name} has no licence in REUSE.toml"
        path = root / name
        if path.suffix == ".md":
            continue
        if path.suffix in (".toml", ".txt"):
            if not _MADE.search(_head(path)):
                yield f"{name} does not say in its first lines how it was made"
            continue
        card = next(
            (page for page in sorted(path.parent.glob("*.md")) if f"`{path.name}`" in page.read_text("utf-8")), None
        )
        if card is None:
            yield f"{name} has no card: {name}.md, which names `{path.name}`, the command that made it and the licence"
            continue
        text = card.read_text("utf-8")
        stated = _CARD_LICENCE.search(text)
        if stated is None or stated["licence"] != licence:
            yield f"{card.relative_to(root)} does not say 'Licence: {licence}'"
        if not re.search(r"`(?:joute|python) [^`]+`", text):
            yield f"{card.relative_to(root)} does not name the command that made {path.name}"
    if not named:
        yield "there are no data"
    remark(f"{len(named)} files with origin and licence")


def licences_of(root: Path) -> list[tuple[str, str]]:
    """Patterns of files and their licences, as REUSE.toml has them (https://reuse.software)."""
    path = root / "REUSE.toml"
    if not path.is_file():
        return []
    found = []
    for each in tomllib.loads(path.read_text("utf-8")).get("annotations", []):
        patterns = [each["path"]] if isinstance(each["path"], str) else each["path"]
        found += [(pattern, each.get("SPDX-License-Identifier", "")) for pattern in patterns]
    return found


def _head(path: Path) -> str:
    """The comments at the beginning of a text file."""
    lines = path.read_text("utf-8").splitlines()
    end = next((number for number, line in enumerate(lines) if not line.startswith("#")), len(lines))
    return "\n".join(lines[:end])


def check_notebooks(root: Path, remark: Remark) -> Iterator[str]:
    """The notebooks are kept with the outputs of their code."""
    paths = sorted((root / "examples/notebooks").glob("*.ipynb"))
    for path in paths:
        yield from (f"{path.name} {flaw}" for flaw in notebooks.flaws(path))
    remark(f"{len(paths)} notebooks with outputs")


def check_wheels(root: Path, remark: Remark) -> Iterator[str]:
    """The wheels in dist/ are of this version, small, complete, free of other files, and can be imported."""
    version = version_of(root)
    wheels = sorted((root / "dist").glob("*.whl"))
    if not wheels:
        yield "dist/ has no wheel: make wheels"
        return
    tree = set(git_files(root))
    told = []
    for wheel in wheels:
        size = wheel.stat().st_size
        tags = wheel.stem.split("-")
        if tags[:2] != ["joute", version]:
            yield f"{wheel.name} is not of version {version}"
        if size > MOST_WHEEL_BYTES:
            yield f"{wheel.name} has {size / 2**20:.1f} MiB, more than {MOST_WHEEL_BYTES >> 20}"
        yield from _wrong_contents(wheel, tree)
        line = f"{size / 2**20:.1f} MiB"
        if tags[2] == f"cp{sys.version_info[0]}{sys.version_info[1]}" and tags[-1].endswith(platform.machine()):
            milliseconds = import_ms(wheel)
            if milliseconds is None:
                yield f"{wheel.name} cannot be imported"
            else:
                line += f", imported in {milliseconds:.0f} ms"
        told.append(f"{tags[2]} {line}")
    remark("; ".join(told))


def _wrong_contents(wheel: Path, tree: set[str]) -> Iterator[str]:
    """Files that a wheel holds or lacks against the tree."""
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if not name.endswith("/")}
    held = {origin(name) for name in inside if not re.match(r"joute-[^/]+\.dist-info/", name)} - {""}
    for name in sorted(held - tree)[:_MOST_NAMES]:
        yield f"{wheel.name} holds {name}, which is not in the tree"
    for name in sorted({name for name in tree if name.startswith("src/joute/")} - held)[:_MOST_NAMES]:
        yield f"{wheel.name} lacks {name}"
    if not any(name.startswith("joute/_core.") and name.endswith(".so") for name in inside):
        yield f"{wheel.name} has no compiled core"


def origin(name: str) -> str:
    """The file of the tree from which a file in a wheel comes; empty for what the build makes."""
    if _BUILT.match(name):
        return ""
    return next(theirs + name.removeprefix(ours) for ours, theirs in WHEEL_FOLDERS.items() if name.startswith(ours))


def import_ms(wheel: Path, times: int = 5) -> float | None:
    """The median time of `import joute` from a wheel in a new process; None if it fails."""
    program = "import sys, time; sys.path[:0] = [sys.argv[1]]; sys.path += sys.argv[2:]; began = time.perf_counter()\n"
    program += "import joute; print(time.perf_counter() - began, joute.__file__)"
    packages = [path for path in sys.path if path.endswith("site-packages")]
    measured = []
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        for _ in range(times):
            # -S: the .pth file of the editable installation would bring the package of the tree.
            command = [sys.executable, "-I", "-S", "-c", program, folder, *packages]
            done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
            seconds, _, file = done.stdout.strip().partition(" ")
            if done.returncode or not file.startswith(folder):
                return None
            measured.append(float(seconds))
    return 1000 * statistics.median(measured[1:])  # the first compiles the modules


def check_docs(root: Path, remark: Remark) -> Iterator[str]:
    """The documentation builds without a warning."""
    if shutil.which("zensical", path=str(Path(sys.executable).parent)) is None:
        yield "the site cannot be built: make .venv/.docs"
        return
    command = [sys.executable, str(root / "tools/site/build.py")]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        yield f"make docs fails: {(done.stdout + done.stderr).strip()[-500:]}"
    remark("the site builds without warnings")


def check_size(root: Path, remark: Remark) -> Iterator[str]:
    """The tree is small."""
    sizes = {name: (root / name).stat().st_size for name in git_files(root)}
    total = sum(sizes.values())
    if total > MOST_TREE_BYTES:
        largest = sorted(sizes, key=lambda name: -sizes[name])[:3]
        yield f"the tree has {total / 2**20:.1f} MiB, more than {MOST_TREE_BYTES >> 20}; largest: {', '.join(largest)}"
    remark(f"{total / 2**20:.1f} MiB in {len(sizes)} files")


#: The checks by name, the quick ones first.
CHECKS: dict[str, Check] = {
    "version": check_version,
    "changelog": check_changelog,
    "data": check_data,
    "notebooks": check_notebooks,
    "size": check_size,
    "fitted": check_fitted,
    "wheels": check_wheels,
    "docs": check_docs,
}


def findings_of(check: Check, root: Path, remark: Remark) -> list[str]:
    """All that a check finds. A file that is missing or damaged is a finding too, and ends the check."""
    found = []
    try:
        for each in check(root, remark):
            found.append(each)
    except Exception as error:  # of any damaged file; the other checks go on
        found.append(f"{type(error).__name__}: {error}")
    return found


def main(root: Path, names: list[str]) -> int:
    """Run the named checks, or all, print one line each, then every finding; 1 if there are any, 2 for a wrong name."""
    if unknown := [name for name in names if name not in CHECKS]:
        print(f"there is no check '{unknown[0]}': {', '.join(CHECKS)}", file=sys.stderr)
        return 2
    findings: list[tuple[str, str]] = []
    for name in names or CHECKS:
        remarks: list[str] = []
        found = findings_of(CHECKS[name], root, remarks.append)
        findings += [(name, each) for each in found]
        said = f"{len(found)} finding{'s' if len(found) > 1 else ''}" if found else "".join(remarks)
        print(f"{'FAIL' if found else 'ok':4}  {name:10} {said}", flush=True)
    if findings:
        print(f"\n{len(findings)} finding{'s' if len(findings) > 1 else ''}:")
    for name, found_text in findings:
        print(f"  {name}: {found_text}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).parents[1], sys.argv[1:]))
