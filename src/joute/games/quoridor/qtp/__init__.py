"""QTP, the Quoridor Text Protocol: its words, an engine that serves an agent, a player that controls a program."""
