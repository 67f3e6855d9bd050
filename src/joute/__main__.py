"""``python -m joute``."""

from joute.cli import main

main()
