#!/bin/sh
# Produces a network for the evaluation of Vampires vs Werewolves from scratch: games with a hand-written evaluation, a
# fit to them, and two more generations of games with the network of the last fit and the turns of the engine. The games
# do not depend on time or threads; the fits use PyTorch and depend on the machine. It writes weights.hpp to the folder
# given (default: build/fit_vampires); copy it to its place by hand. THREADS (default: all) changes only the duration:
# on 16 cores half an hour by estimate. PYTHON is an interpreter with PyTorch and NumPy.
#
# The network in use continues an older one, which this script made with 36 features: 4,960 games with it at 600 nodes,
# 1,984 games at 900 nodes with a first fit to those, and a fit to both (771,077 positions).
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
trust=0.3
# generation N COUNT PLAYER: games, their positions, and a fit to the positions of this generation and the last.
generation() {
    ./fit_vampires play "games.$1.bin" "$(games "$2")" "$threads" "$1" "$3"
    ./fit_vampires features "positions.$1.bin" "games.$1.bin"
    last="positions.$(($1 - 1)).bin"
    [ "$1" -gt 1 ] || last=
    $python "$fit" "$shape" "$trust" "weights.$1.bin" $last "positions.$1.bin"
}
generation 0 40000 hand,nodes=500
generation 1 30000 weights.0.bin,nodes=600
generation 2 30000 weights.1.bin,nodes=900
./fit_vampires match "$(games 1000)" "$threads" 5 weights.2.bin,nodes=3000 today,nodes=3000
$python "$fit" "$shape" print weights.2.bin >weights.hpp
