#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# installed_package.sh root build-folder cmake compiler [nvcc]: installs into a new folder, then builds and runs
# the program in outside/ against it. nvcc only where the package has the GPU backend.
set -euo pipefail
root=$1 build=$2 cmake=$3 compiler=$4 nvcc=${5:-}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$cmake" --install "$build" --prefix "$scratch/prefix" >/dev/null
"$cmake" -G Ninja -S "$root/tests/house/outside" -B "$scratch/outside" -D CMAKE_BUILD_TYPE=Release \
  -D CMAKE_PREFIX_PATH="$scratch/prefix" -D CMAKE_CXX_COMPILER="$compiler" \
  ${nvcc:+-D CMAKE_CUDA_COMPILER="$nvcc"}
"$cmake" --build "$scratch/outside"
"$scratch/outside/outside"
# The translator is left out where LLVM or isl is missing.
if [[ -x $scratch/prefix/bin/mesicc && -z $nvcc ]]; then
  "$scratch/prefix/bin/mesicc" run "$root/tests/mesicc/programs/matmul.mcu" --devices host:1
fi
