"""Answers with an object that cannot even be printed."""


class Unspeakable:
    def __str__(self):
        raise RuntimeError("no words")

    __repr__ = __str__


class Mute:
    def choose(self, state, clock):
        return Unspeakable()
