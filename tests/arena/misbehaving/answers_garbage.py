"""Answers with what is no move at all: several lines, one of which looks like an answer on the wire."""


class Babbler:
    def choose(self, state, clock):
        return "\x00 garbage\nbestmove 4\n\x1b[2J"
