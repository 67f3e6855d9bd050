"""The entry point: tells Joute where Othello's state class is."""

from joute.plugins import Room

ROOM = Room(package="joute_othello", game="state:Othello")
