"""What Othello brings along."""

from joute.plugins import Room

ROOM = Room(package="joute_othello", game="state:Othello")
