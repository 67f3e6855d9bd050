"""The commands of Quoridor."""
