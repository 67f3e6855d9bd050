"""Reviews of finished games, and the win probabilities that they rest on."""
