"""The colours of the page: those of reports (pages/colours.css), with a theme that the visitor may choose.

The style sheet of reports follows the system. The page's switch sets ``data-theme`` on the root, so every theme gets a
second selector.
"""

from __future__ import annotations

import functools
import re

from joute.pages.page_parts import colours

_DARK = re.compile(r"@media screen and \(prefers-color-scheme: dark\) \{\s*:root \{(.*?)\}\s*\}", re.DOTALL)


@functools.cache
def page_colours() -> str:
    """The style sheet with the colours of both themes."""
    sheet = colours()
    found = _DARK.search(sheet)
    assert found is not None, "colours.css has no dark theme"
    light, dark = sheet[: found.start()] + sheet[found.end() :], found[1].rstrip()
    return (
        f"{light.rstrip()}\n"
        f'@media screen and (prefers-color-scheme: dark) {{\n  :root:not([data-theme="light"]) {{{dark}\n  }}\n}}\n'
        f'@media screen {{\n  :root[data-theme="dark"] {{{dark}\n    color-scheme: dark;\n  }}\n'
        '  :root[data-theme="light"] { color-scheme: light; }\n}\n'
    )
