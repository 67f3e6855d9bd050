#!/bin/sh
# Produces a network for the evaluation of Vampires vs Werewolves from scratch: games with a hand-written evaluation, a
# fit to their outcomes, games with that network and the moves of the engine, and a fit to their outcomes. The games do
# not depend on time or threads; the fits use PyTorch and depend on the machine. It writes weights.hpp to the folder
# given (default: build/fit_vampires); copy it to its place by hand. THREADS (default: all) changes only the duration:
# on 16 cores the games took two and a half minutes and five, a fit 16 s on a GPU. PYTHON is an interpreter with
# PyTorch, NumPy and Joute.
set -eu
cd "$(dirname "$0")/../../../.."
python=${PYTHON:-python3}
threads=${THREADS:-$(nproc)}
folder=${1:-build/fit_vampires}
# SHARE=n plays 1/n of the games, for a trial.
games() { echo $(($1 / ${SHARE:-1})); }
mkdir -p "$folder"
make -s "$folder/fit_vampires" FIT="$folder" FIT_FLAGS="-O3 -march=x86-64-v2"
fit="$PWD/core/games/vampires/fit/fit.py"
export PYTHONPATH="$PWD/tools"
cd "$folder"
shape=$(./fit_vampires shape)
$python "$fit" maps 20000 1 >maps.txt
./fit_vampires play maps.txt games.0.bin "$(games 40000)" "$threads" 500 1
$python "$fit" "$shape" 0 weights.0.bin games.0.bin
./fit_vampires play maps.txt games.1.bin "$(games 50000)" "$threads" 500 11 weights.0.bin
$python "$fit" "$shape" 0 weights.1.bin games.1.bin
./fit_vampires match maps.txt "$(games 1000)" "$threads" 3000 5 weights.1.bin weights.0.bin
$python "$fit" "$shape" print weights.1.bin >weights.hpp
