#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# installed_package.sh root build-folder cmake compiler [nvcc]: installs into a new folder, then builds and runs
# the program in outside/ and those that README.md and docs/tutorial show against it, and one by pkg-config. nvcc only where
# the package has the GPU backend.
set -euo pipefail
root=$1 build=$2 cmake=$3 compiler=$4 nvcc=${5:-}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$cmake" --install "$build" --prefix "$scratch/prefix" >/dev/null

# At length optimised as users do, else not: the programs take no time to speak of.
quick=() quick_run=()
if [[ -z ${BALLAST_TEST_DEEP:-} ]]; then
  quick=(-D CMAKE_CXX_FLAGS_RELEASE=-DNDEBUG -D CMAKE_CUDA_FLAGS_RELEASE=-DNDEBUG)
  quick_run=(--flag -O0)
fi

# build_outside FOLDER NAME: the project in FOLDER of root, in $scratch/NAME.
build_outside() {
  "$cmake" -G Ninja -S "$root/$1" -B "$scratch/$2" -D CMAKE_BUILD_TYPE=Release -D CMAKE_PREFIX_PATH="$scratch/prefix" \
    -D CMAKE_CXX_COMPILER="$compiler" ${nvcc:+-D CMAKE_CUDA_COMPILER="$nvcc"} "${quick[@]}"
  "$cmake" --build "$scratch/$2"
}

build_outside tests/house/outside outside
"$scratch/outside/outside"
build_outside examples/00_hello_tasks hello
printed=$("$scratch/hello/hello")
[[ -n $printed ]] || { echo "the program of README.md prints nothing"; exit 1; }
grep -qxF "$printed" "$root/README.md" || { echo "README.md does not say that the program prints: $printed"; exit 1; }
if [[ -n ${BALLAST_TEST_DEEP:-} ]]; then
  build_outside examples/03_adaptive_quadrature quadrature
  "$scratch/quadrature/quadrature"
fi
# The translator is left out where LLVM or isl is missing.
if [[ -x $scratch/prefix/bin/mesicc && -z $nvcc ]]; then
  "$scratch/prefix/bin/mesicc" run "$root/tests/mesicc/programs/matmul.mcu" --devices host:1 "${quick_run[@]}"
fi
[[ -z $nvcc ]] || exit 0
bash "$root/tests/house/pkg_config.sh" "$root" "$scratch/prefix" "$compiler"
