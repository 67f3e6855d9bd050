"""The UGI options of an agent, and the creation of the agent from them."""

from __future__ import annotations

import contextlib
import math

from joute.agents import Agent, AgentType, find_agent, is_built_in
from joute.agents.file_parameters import file_parameters
from joute.agents.languages import FileLanguage
from joute.agents.loading import find_source, is_spec, load_agent, not_loadable, seed_generators
from joute.agents.source import PYTHON_FILE, find_language, language_prefix
from joute.agents.variation import settings_text, varied
from joute.errors import SpecError
from joute.spec import Parameter, Value, look_up, parse_spec, read_settings, value_text

_EMPTY = "<empty>"  # UCI's notation for an empty text
_SEED = Parameter("Seed", 0, help="the seed of the agent's random numbers", low=0, high=2**64 - 1)


class AgentOptions:
    """The settings of an agent, which can be changed until it is created.

    The options are `Seed` and the agent's parameters: those of its spec, or those that its file declares.
    `game` is a spec.
    """

    def __init__(self, text: str, game: str, seed: int = 0) -> None:
        self.text = text
        self.seed = seed
        self._spec, (self._game, _) = game, parse_spec(game)
        self._type: AgentType | None = None
        self._described: tuple[Parameter, ...] = ()
        self._settings: dict[str, str] = {}
        seed_generators(seed)  # finding an agent may import a user's evaluation
        if is_spec(text):
            self._type, self._parameters = find_agent(text, game)
            self._described = self._type.described_parameters
            _, self._settings = parse_spec(text)
            return
        self._source = find_source(text, game)
        if self._source.kind in ("program", "remote"):
            raise not_loadable(text)
        if self._source.file and PYTHON_FILE.fullmatch(self._source.text):
            with contextlib.suppress(SpecError):  # the file may mean something else by the names
                self._described = file_parameters(self._source.file, self._source.name_in_file)
            _, self._settings = parse_spec(f":{self._source.settings}")

    @property
    def is_ours(self) -> bool:
        """Whether the agent runs only Joute's code."""
        return self._type is not None and is_built_in(self.text) and ":" not in self._settings.get("eval", "")

    def lines(self) -> list[str]:
        """An `option` line for each option, with the current value as its default."""
        given = read_settings(self.text, self._settings, self._described)
        values: list[tuple[Parameter, Value]] = [(each, given.get(each.name, each.default)) for each in self._described]
        return [_option_line(known, value) for known, value in [*values, (_SEED, self.seed)]]

    def set(self, name: str, text: str) -> None:
        """Change an option; SpecError, without any change, if the value is invalid."""
        known = {option.name.lower(): option for option in (*self._described, _SEED)}
        option = look_up("option", name.lower(), known)
        text = "" if text == _EMPTY else text
        if option is _SEED:
            seed = _SEED.read(text, "UGI")
            assert isinstance(seed, int)
            self.seed = seed
            return
        settings = self._settings | {option.name: text}
        values = read_settings(self._type.name if self._type else self.text, settings, self._described)
        if self._type:
            parameters = self._type.parameters(**values)
            self._type.check_for(parameters, self._spec)
            self._parameters = parameters
        self._settings = settings

    @property
    def caveat(self) -> str:
        """A warning to send before the agent plays, e.g. a missing network; empty if there is none."""
        return self._type.caveat_for(self._parameters, self._spec) if self._type else ""

    def make(self) -> Agent:
        """A new agent. If it runs code that is not Joute's, Python's global random generators are seeded first."""
        if not self.is_ours:
            seed_generators(self.seed)
        if self._type is None and language_prefix(self.text):
            source = find_source(self.text, self._game)
            language = find_language(source.language)
            assert isinstance(language, FileLanguage)  # agents of other protocols are not loadable
            return language.load_agent(source, self._game, seed=self.seed)
        if self._type is None:
            try:
                return load_agent(varied(self._source, settings_text(self._settings)).text, self._game, self.seed)
            except ModuleNotFoundError as error:
                self._explain_course(error)
                raise
        return self._type.create(self._parameters, self.seed)

    def _explain_course(self, error: ModuleNotFoundError) -> None:
        """SpecError if a file imports a module that only the program of the game's course provides."""
        from joute.protocol.course import FileCourse, course_names, find_course

        course = find_course(self._game) if self._game in course_names() else None
        if isinstance(course, FileCourse) and str(error.name).partition(".")[0] in course.modules:
            raise SpecError(f"it is a file of the {self._game} course: write course: before its name") from error


def _option_line(option: Parameter, value: Value) -> str:
    head = f"option name {option.name} type"
    if option.choices:
        choices = "".join(f" var {choice}" for choice in option.choices)
        return f"{head} combo default {value}{choices}"
    if isinstance(value, bool):
        return f"{head} check default {'true' if value else 'false'}"
    if isinstance(value, int):
        low = -(2**63) if math.isinf(option.low) else int(option.low)
        high = 2**63 - 1 if math.isinf(option.high) else int(option.high)
        return f"{head} spin default {value} min {low} max {high}"
    return f"{head} string default {value_text(value) or _EMPTY}"
