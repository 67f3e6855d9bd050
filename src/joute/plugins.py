"""Things found by name through entry points: games, agents.

The built-in ones are found the same way as a stranger's plug-in, so both are proven to work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from joute.spec import SpecError, look_up

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class Registry(Generic[T]):
    """What an entry point group offers, loaded on first use, and what this process registered."""

    def __init__(self, kind: str, group: str) -> None:
        self._kind = kind
        self._group = group
        self._loaded: dict[str, T] = {}

    def register(self, name: str, entry: T) -> None:
        """Make an entry known to this process."""
        self._loaded[name] = entry

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted({*self._loaded, *self._entry_points()})

    def find(self, name: str) -> T:
        """The entry of that name, or a SpecError with the nearest name there is."""
        if name not in self._loaded:
            entry_points = self._entry_points()
            entry_point = look_up(self._kind, name, entry_points | dict.fromkeys(self._loaded, None))
            assert entry_point is not None
            try:
                self._loaded[name] = entry_point.load()
            except Exception as error:  # a plug-in's own mistake, whatever it is
                raise SpecError(
                    f"{self._kind} '{name}' could not be loaded from {entry_point.value}: "
                    f"{type(error).__name__}: {error}"
                ) from error
        return self._loaded[name]

    def _entry_points(self) -> dict[str, EntryPoint | None]:
        from importlib.metadata import entry_points  # a third of the time of `import joute`

        return {entry_point.name: entry_point for entry_point in entry_points(group=self._group)}
