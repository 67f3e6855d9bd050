"""The agents of Vampires vs Werewolves alone."""
