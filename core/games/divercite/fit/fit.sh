#!/bin/sh
# Produces the weights of core/games/divercite/weights.hpp from scratch: five generations of self-play, each with the
# weights fitted to the one before. The result does not depend on time or threads. It writes weights.hpp to the folder
# given (default: build/fit_divercite); copy it to its place by hand. THREADS (default: all) changes only the duration:
# about ten minutes on 16.
set -eu
cd "$(dirname "$0")/../../../.."
threads=${THREADS:-$(nproc)}
folder=${1:-build/fit_divercite}
# SHARE=n plays 1/n of the games, for a trial.
games() { echo $(($1 / ${SHARE:-1})); }
mkdir -p "$folder"
make -s "$folder/fit_divercite" FIT="$folder" FIT_FLAGS="-O3 -march=x86-64-v2"
cd "$folder"
fit=./fit_divercite
$fit play g0.bin "$(games 40000)" "$threads" 1000 1
$fit fit w0.bin g0.bin
$fit play g1.bin "$(games 30000)" "$threads" 3000 2 w0.bin
$fit fit w1.bin g1.bin
$fit play g2.bin "$(games 40000)" "$threads" 5000 3 w1.bin
$fit fit w2.bin g1.bin g2.bin
$fit play g3.bin "$(games 40000)" "$threads" 5000 4 w2.bin
$fit fit w3.bin g3.bin
$fit play g4.bin "$(games 40000)" "$threads" 5000 5 w3.bin
$fit fit w4.bin g3.bin g4.bin
for generation in 1 2 3 4; do
    $fit match "$(games 400)" "$threads" 20000 $generation w$generation.bin w$((generation - 1)).bin
done
$fit print w4.bin >weights.hpp
