#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the cuda preset and puts what scripts/gpu-test.sh needs, stripped, into build/gpu: a folder that can be
# carried to a machine with GPUs and no compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/toolchain.sh

find_nvcc >/dev/null || { echo "gpu-pack.sh: no nvcc of CUDA 13 in PATH or /usr/local/cuda/bin" >&2; exit 1; }
configure cuda
cmake --build --preset cuda -j "$(nproc)" "$@"

rm -rf build/gpu
mkdir -p build/gpu
while IFS= read -r program; do
  strip -o "build/gpu/$(basename "$program")" "$program"
done < <(find build/cuda -type f -executable \( -name 'ballast_test_*' -o -name ballast \
  -o -name 'ballast_mesi_*' -o -name 'example_*' \))
cp -L "$(ldd build/cuda/ballast | awk '$1 ~ /^libtbb/ { print $3 }')" build/gpu # of the benchmarks
du -sh build/gpu
