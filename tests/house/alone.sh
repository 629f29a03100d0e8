#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# alone.sh root build-folder cmake compiler [nvcc]: installs into a new folder and configures apps, bench and tools/mesicc against
# it, each alone, in a copy of the tree without the library. It compiles one source of each, as whole programs take minutes.
set -euo pipefail
root=$1 build=$2 cmake=$3 compiler=$4 nvcc=${5:-}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$cmake" --install "$build" --prefix "$scratch/prefix" >/dev/null
mkdir "$scratch/tree"
tar -c -C "$root" --exclude=bench/results apps bench cmake tools | tar -x -C "$scratch/tree"

# builds_alone FOLDER OBJECT: configures the folder and compiles the object; fails if a command of the build names the library's sources.
builds_alone() {
  local folder=$scratch/build/$1
  "$cmake" -G Ninja -S "$scratch/tree/$1" -B "$folder" -D CMAKE_BUILD_TYPE=Debug -D BALLAST_UNITY=OFF -D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
    -D CMAKE_PREFIX_PATH="$scratch/prefix" -D CMAKE_CXX_COMPILER="$compiler" ${nvcc:+-D CMAKE_CUDA_COMPILER="$nvcc"}
  if grep -nF -e "$root/" -e "$scratch/tree/src" -e "$scratch/tree/include" "$folder/build.ninja"; then
    echo "$1 alone reads sources of the library"
    return 1
  fi
  "$cmake" --build "$folder" --target "$2"
}

builds_alone apps ep/CMakeFiles/ballast_ep.dir/kernels.cu.o
builds_alone bench CMakeFiles/ballast_benchmarks.dir/launch/benchmarks.cpp.o
# The translator is left out where LLVM or isl is missing.
if [[ -x $scratch/prefix/bin/mesicc ]]; then
  builds_alone tools/mesicc program/CMakeFiles/mesicc.dir/ballast_package.cpp.o
fi
