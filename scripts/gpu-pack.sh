#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the cuda preset and puts what scripts/gpu-test.sh needs, stripped, into build/gpu: a folder that can be carried to
# a machine with GPUs and no compiler.
#   scripts/gpu-pack.sh [--architectures LIST] [options of cmake --build, as --target NAME...]
# LIST: what CMAKE_CUDA_ARCHITECTURES is to be, default 90-real, as the machine is known. With 75-virtual, PTX that each
# GPU's driver compiles for itself, the folder is build/gpu-ptx; scripts/gpu-test.sh runs its tests too. With --target
# programs of other targets are packed as an earlier build left them.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/toolchain.sh

architectures=90-real
options=()
while (($# > 0)); do
  case $1 in
    --architectures)
      (($# > 1)) || { echo "gpu-pack.sh: --architectures wants a list, as 90-real or 75-virtual" >&2; exit 2; }
      architectures=$2
      shift
      ;;
    -h | --help) print_help; exit ;;
    *) options+=("$1") ;;
  esac
  shift
done
suffix=
if [[ $architectures =~ ^[0-9]+-virtual$ ]]; then suffix=-ptx; fi
build=build/cuda$suffix folder=build/gpu$suffix

nvcc=$(find_nvcc) || { echo "gpu-pack.sh: no nvcc of CUDA 13 in PATH or /usr/local/cuda/bin" >&2; exit 1; }
cmake --preset cuda -B "$build" -D BALLAST_NVCC="$nvcc" -D CMAKE_CUDA_ARCHITECTURES="$architectures"
cmake --build "$build" -j "$(nproc)" ${options[@]+"${options[@]}"}

rm -rf "$folder"
mkdir -p "$folder"
while IFS= read -r program; do
  strip -o "$folder/$(basename "$program")" "$program"
done < <(find "$build" -type f -executable \( -name 'ballast_test_*' -o -name ballast -o -name 'ballast-*' \
  -o -name 'ballast_mesi_*' -o -name 'example_*' \))
if [[ -x $build/ballast-bench ]]; then
  cp -L "$(ldd "$build/ballast-bench" | awk '$1 ~ /^libtbb/ { print $3 }')" "$folder"
fi
[[ -n $(ls "$folder") ]] || { echo "gpu-pack.sh: no program was built" >&2; exit 1; }
du -sh "$folder"
