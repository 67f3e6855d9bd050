#!/bin/sh
# Produces a network for Quoridor's evaluation from scratch: generations of self-play, each with the network fitted to
# the ones before. Games do not depend on time or threads; the fit uses PyTorch and depends on the machine. It writes
# weights.hpp to the folder given (default: build/fit_quoridor); copy it to its place by hand. THREADS (default: all)
# changes only the duration. PYTHON is an interpreter with PyTorch and NumPy.
#
# The shipped network was made the same way, with these numbers of games, nodes and trusts: about 20 minutes on 16 cores
# and a GPU. The differences: generations 0 to 4 had a larger network (64 and 32 units), 0 to 2 had no detour features,
# a time limit set the number of games, and positions were mirrored at random instead of normalized.
set -eu
cd "$(dirname "$0")/../../../.."
python=${PYTHON:-python3}
threads=${THREADS:-$(nproc)}
folder=${1:-build/fit_quoridor}
# SHARE=n plays 1/n of the games, for a trial.
games() { echo $(($1 / ${SHARE:-1})); }
mkdir -p "$folder"
make -s "$folder/fit_quoridor" FIT="$folder" FIT_FLAGS="-O3 -march=x86-64-v2"
fit="$PWD/core/games/quoridor/fit/fit.py"
export PYTHONPATH="$PWD/tools"
cd "$folder"
shape=$(./fit_quoridor shape)
./fit_quoridor play g0.bin "$(games 17328)" "$threads" 800 1
$python "$fit" "$shape" 0.2 w0.bin g0.bin
./fit_quoridor play g1.bin "$(games 12320)" "$threads" 1000 2 w0.bin
$python "$fit" "$shape" 0.4 w1.bin g0.bin g1.bin
./fit_quoridor play g2.bin "$(games 14944)" "$threads" 1200 3 w1.bin
$python "$fit" "$shape" 0.6 w2.bin g1.bin g2.bin
./fit_quoridor play g3.bin "$(games 18505)" "$threads" 1000 4 w2.bin
$python "$fit" "$shape" 0.6 w3.bin g3.bin
./fit_quoridor play g4.bin "$(games 18723)" "$threads" 1200 5 w3.bin
$python "$fit" "$shape" 0.7 w4.bin g3.bin g4.bin
./fit_quoridor play g5.bin "$(games 59516)" "$threads" 500 6 w4.bin
$python "$fit" "$shape" 0.7 w5.bin g4.bin g5.bin
./fit_quoridor play g6.bin "$(games 65283)" "$threads" 700 7 w5.bin
$python "$fit" "$shape" 0.75 w6.bin g5.bin g6.bin
for generation in 1 2 3 4 5 6; do
    ./fit_quoridor match "$(games 400)" "$threads" 5000 $generation w$generation.bin w$((generation - 1)).bin
done
$python "$fit" "$shape" print w6.bin >weights.hpp
