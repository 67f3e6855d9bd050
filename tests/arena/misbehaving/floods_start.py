"""Makes noise from the start and never reads a word."""

import os

while True:
    os.write(1, (b"noise " * 20 + b"\n") * 500)
