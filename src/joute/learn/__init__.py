"""Learning: the lesson of a game, its puzzles, and how puzzles are made and checked."""
