"""An agent with other values of its parameters: ``key=value,…`` set in the text that names it.

mcts:iterations=1000                  the parameters of a spec
my_agent.py:width=4                   those that a Python file declares (file_parameters.py)
my_agent.py:Careful:width=4           the same, of the class of that name
ugi:./engine --fast [Hash=16,Style=Wild]   the options of a program that speaks UGI
"""

from __future__ import annotations

from dataclasses import replace

from joute.agents.source import PYTHON_FILE, Source, program_options
from joute.errors import SpecError
from joute.spec import LEADING, parse_spec


def varied(source: Source, settings: str) -> Source:
    """Return the source with other values of parameters; unchanged for an empty text. Reads no file.

    >>> varied(Source("mcts:iterations=100,c=1", "built-in"), "c=0.5").text
    'mcts:iterations=100,c=0.5'
    """
    if not settings:
        return source
    _, values = parse_spec(f":{settings}")
    if source.kind == "program":
        command, options = program_options(source.text)
        return replace(source, text=f"{command} [{settings_text(options | values)}]")
    match = PYTHON_FILE.fullmatch(source.text) if source.kind == "python" else None
    if match:
        known = parse_spec(f":{match[3] or ''}")[1]
        return replace(source, text=":".join(filter(None, (match[1], match[2], settings_text(known | values)))))
    if source.kind == "remote" or source.language:
        raise SpecError(f"{source.text} has no parameters that can be set")
    name, known = parse_spec(source.text)
    return replace(source, text=f"{name}:{settings_text(known | values)}", resolved=None)


def settings_text(values: dict[str, str]) -> str:
    """Return values as ``key=value,…``."""
    return ",".join(value if key == LEADING else f"{key}={value}" for key, value in values.items())
