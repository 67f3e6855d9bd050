"""The commands of Vampires vs Werewolves."""
