"""Write the versions that pip chooses today for everything that Joute is built, tested and measured with.

``make upgrade`` runs this. Nothing is installed: pip resolves the project's dependencies and its dependency groups as
it would in an empty environment, and its answer becomes constraints.txt. A constraint installs nothing by itself, so
a package that only one platform needs does no harm on another.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "constraints.txt"
HEADER = "# The versions that continuous integration installs. Made by `make upgrade`: do not edit.\n"
# Each is resolved by itself, because the two versions of seahorse cannot be installed together.
ENVIRONMENTS = (("build", "dev", "docs", "bench", "notebooks", "ray"), ("seahorse-1.1",), ("seahorse-1.2",))


def resolved(groups: tuple[str, ...], requirements: list[str]) -> dict[str, set[str]]:
    """The versions of all packages that pip would install into an empty environment."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-"]
    for group in groups:
        command += ["--group", group]
    output = subprocess.run([*command, *requirements], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    versions: dict[str, set[str]] = {}
    for package in json.loads(output)["install"]:
        name = re.sub(r"[-_.]+", "-", package["metadata"]["name"]).lower()
        # A build of PyTorch for one kind of hardware ends in a local label, as in 2.13.0+cpu.
        versions.setdefault(name, set()).add(package["metadata"]["version"].partition("+")[0])
    return versions


def main() -> None:
    """Resolve every environment and keep what they agree on."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    plain = [*project["project"]["dependencies"], "pip>=25.1", "hatchling"]
    versions: dict[str, set[str]] = {}
    for groups in ENVIRONMENTS:
        for name, found in resolved(groups, plain if "dev" in groups else []).items():
            versions.setdefault(name, set()).update(found)
    agreed = {name: found.pop() for name, found in versions.items() if len(found) == 1}
    TARGET.write_text(HEADER + "".join(f"{name}=={agreed[name]}\n" for name in sorted(agreed)))
    left_out = sorted(versions.keys() - agreed.keys())
    print(f"{TARGET.name}: {len(agreed)} versions; not the same everywhere: {', '.join(left_out) or 'none'}")


if __name__ == "__main__":
    main()
