"""How agents talk with programs that are not Joute."""
