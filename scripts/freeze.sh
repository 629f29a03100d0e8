#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Writes down what a change of structure must leave as it is, and compares it.
#   scripts/freeze.sh write FOLDER [PART...]    PART: tests kernels costs; all of them unless given
#   scripts/freeze.sh compare BEFORE AFTER      two such folders: says what differs, and fails if anything does
# tests    the names of all tests of preset host-release
# kernels  the bytes of machine code of each function of each kernel list for compute capability 9.0, and what a launch of it needs
# costs    instructions that a submission costs the host in room queue, launch and job, counted by callgrind; they may differ by 1 %
# It needs python3 for `kernels` and valgrind for `costs`.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/toolchain.sh

jobs=$(nproc)
log=$PWD/build/freeze.log

write_tests() {
  cmake --preset host-release >"$log" && cmake --build build/host-release -j "$jobs" >>"$log"
  find build/host-release -name 'ballast_test_*' -type f -executable | while read -r suite; do
    "$suite" --gtest_list_tests | awk -v suite="${suite##*/}" '/^[^ ]/ { group = $1 } /^ / { print suite "." group $1 }'
  done >"$1/tests.txt"
  ctest --preset host-release -N | sed -n 's/^ *Test *#[0-9]*: //p' | sed '/\.part_[0-9]_of_[0-9]$/d' >>"$1/tests.txt"
  sort -o "$1/tests.txt" "$1/tests.txt"
}

# Machine code does not depend on how the host's code around it is compiled.
write_kernels() {
  local nvcc
  nvcc=$(find_nvcc) || { echo "freeze.sh: there is no nvcc of CUDA 13 in PATH or /usr/local/cuda/bin" >&2; return 1; }
  cmake --preset cuda-check -B build/freeze-kernels -D BALLAST_NVCC="$nvcc" -D CMAKE_CUDA_ARCHITECTURES=90-real >"$log"
  ninja -C build/freeze-kernels -t targets all | sed -n 's/^\(.*\.cu\.o\): .*/\1/p' |
    xargs -r cmake --build build/freeze-kernels -j "$jobs" --target >>"$log"
  python3 tests/freeze/sections.py build/freeze-kernels/kernel-steps/* | c++filt | sort >"$1/kernels.tsv"
}

write_costs() {
  cmake --preset host-release -B build/freeze-costs -D BALLAST_NATIVE=OFF -D BALLAST_MESICC=OFF -D BALLAST_QUICK_PROGRAMS=OFF >"$log"
  cmake --build build/freeze-costs -j "$jobs" --target ballast_host_costs ballast_submit_cost >>"$log"
  bash tests/freeze/count.sh build/freeze-costs/tests/queue/submit_cost/ballast_submit_cost one_by_one batches_of_256 >"$1/costs.txt"
  bash tests/freeze/count.sh build/freeze-costs/ballast_host_costs launches jobs >>"$1/costs.txt"
}

write() {
  local folder=$1 part
  shift
  (($# > 0)) || set -- tests kernels costs
  mkdir -p "$folder" build
  for part in "$@"; do
    case $part in
      tests | kernels | costs) "write_$part" "$folder" || { tail -n 20 "$log" >&2; return 1; } ;;
      *) echo "freeze.sh: no part '$part'; there are tests kernels costs" >&2; return 2 ;;
    esac
  done
  wc -l "$folder"/*
}

compare() {
  local failed=0 part found=0
  for part in tests.txt kernels.tsv costs.txt; do
    [[ -f $1/$part || -f $2/$part ]] || continue
    found=1
    for folder in "$1" "$2"; do
      [[ -s $folder/$part ]] || { echo "freeze.sh: $folder/$part is missing or empty" >&2; return 1; }
    done
    awk -f "tests/freeze/compare_${part%.*}.awk" tests/gone.tsv "$1/$part" "$2/$part" || failed=1
  done
  ((found)) || { echo "freeze.sh: $1 and $2 hold nothing to compare" >&2; return 1; }
  return $failed
}

case ${1:-} in
  write) (($# >= 2)) || { echo "freeze.sh: write what where? scripts/freeze.sh --help" >&2; exit 2; }; write "${@:2}" ;;
  compare) (($# == 3)) || { echo "freeze.sh: compare takes two folders" >&2; exit 2; }; compare "$2" "$3" ;;
  -h | --help) print_help ;;
  *) echo "freeze.sh: '${1:-}' is neither write nor compare; see scripts/freeze.sh --help" >&2; exit 2 ;;
esac
