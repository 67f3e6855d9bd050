#!/bin/sh
# Tries an installed Joute, in an environment that has nothing else, from an empty folder.
# Usage: tools/smoke_test.sh ENVIRONMENT
set -eu
bin=$(cd "$1/bin" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$bin/joute" games
"$bin/joute" match connect4 alphabeta:depth=2 random --games 4 --seed 1
"$bin/joute" match connect4 alphazero:iterations=20 random --games 2 --seed 1 # the network that the wheel carries
"$bin/joute" tournament connect4 greedy random --games 2 --seed 1 --db games.db
"$bin/joute" report games.db
"$bin/joute" reproduce --list
"$bin/python" - <<'PROGRAM'
import importlib.util
import pathlib
import sys

import joute

assert pathlib.Path(joute.__file__).is_relative_to(sys.prefix), f"{joute.__file__} is not the installed package"
assert importlib.util.find_spec("joute_toys") is None, "the wheel carries the tests' games"
assert importlib.util.find_spec("torch") is None, "the base dependencies bring PyTorch"
state = joute.new("connect4", "4455")
include = pathlib.Path(joute.get_include())
assert (include / "joute" / "game.hpp").is_file(), f"no headers for plug-ins in {include}"
cmake = pathlib.Path(joute.get_cmake_dir())
assert (cmake / "joute-config.cmake").is_file(), f"no CMake package for plug-ins in {cmake}"
assert joute.agent("alphabeta:depth=4").choose(state, joute.Clock(1.0)) in state.legal_moves
PROGRAM
echo "smoke test: the installed wheel works"
