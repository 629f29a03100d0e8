#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# shared_library.sh root cmake compiler python: builds libballast.so for CPU cores and a program with kernel sets that is linked
# to it, compares what it shows with what headers declare, installs it, and builds and runs the program in outside/ against that.
set -euo pipefail
root=$1 cmake=$2 compiler=$3 python=$4

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
parts=()
for part in CLUSTER COMMAND APPS BENCHMARKS EXAMPLES MESICC; do parts+=(-D BALLAST_$part=OFF); done
"$cmake" -G Ninja -S "$root" -B "$scratch/build" -D CMAKE_BUILD_TYPE=Debug -D BUILD_SHARED_LIBS=ON -D BALLAST_CUDA=OFF \
  "${parts[@]}" -D CMAKE_CXX_COMPILER="$compiler"
"$cmake" --build "$scratch/build" --target ballast_shared ballast_static ballast_sums
"$python" "$root/tests/house/exported.py" "$scratch/build/libballast.so" "$root"
needed=$(readelf -d "$scratch/build/ballast_sums")
[[ $needed == *'[libballast.so.0]'* ]] || { echo "the program is not linked to libballast.so.0: $needed"; exit 1; }
"$scratch/build/ballast_sums" host:2
[[ -z $(find "$scratch/build" -name 'libballast_*.a' -print -quit) ]] || { echo "rooms are static too"; exit 1; }
bash "$root/tests/house/installed_package.sh" "$root" "$scratch/build" "$cmake" "$compiler"
