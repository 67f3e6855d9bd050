"""The mistakes a user can make; each message is a sentence to act on."""

from joute._core import IllegalMoveError, JouteError, NotationError
from joute.spec import SpecError

__all__ = ["IllegalMoveError", "JouteError", "NotationError", "SpecError"]
