"""Plays well enough, for a while."""


class Fragile:
    def choose(self, state, clock):
        if state.ply >= 10:
            raise ValueError("nobody told me that games are this long")
        return state.legal_moves[state.ply % len(state.legal_moves)]
