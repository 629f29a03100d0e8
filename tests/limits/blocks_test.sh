#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tests blocks.awk with what NVIDIA's guides say of these kernels: CUDA C++ Programming Guide, "Multiprocessor Level" and
# the tables of compute capabilities; and with what follows from rounding.
set -euo pipefail
folder=$(dirname "$0")
failed=0

# expect BLOCKS CHIP THREADS REGISTERS SHARED: of a kernel of this kind
expect() {
  local found
  found=$(awk -f "$folder/blocks.awk" -f <(echo '{ know_chip($0) } END { print blocks_of(chip, threads, registers, shared) }') \
    -v chip="$2" -v threads="$3" -v registers="$4" -v shared="$5" "$folder/chips.tsv")
  [[ $found == "$1" ]] && return
  echo "$2: $3 threads, $4 registers, $5 bytes of shared memory: $found blocks an SM; expected are $1"
  failed=1
}

for chip in 7.5 8.0 8.6 9.0 10.0 12.0; do
  expect 1 $chip 1024 64 0 # 65536 registers
  expect 0 $chip 1024 65 0 # which are rounded up to 72
  expect 1 $chip 256 255 0
  expect 0 $chip 1056 16 0
  expect 0 $chip 32 256 0
done
# The guide's example: 64 registers and 512 threads are two blocks of 16 warps; one register more, and one fits.
expect 2 8.0 512 64 0
expect 1 8.0 512 65 0
# An SM's threads.
expect 1 7.5 1024 16 0
expect 2 8.0 1024 16 0
expect 1 8.6 1024 16 0
expect 1 12.0 1024 16 0
# An SM's blocks.
expect 16 7.5 32 16 0
expect 32 8.0 32 16 0
expect 16 8.6 32 16 0
expect 24 12.0 32 16 0
# All the shared memory that a block may have, and a byte more.
expect 1 7.5 32 16 65536
expect 0 7.5 32 16 65537
expect 1 8.0 32 16 $((163 * 1024))
expect 0 8.0 32 16 $((163 * 1024 + 1))
expect 1 8.6 32 16 $((99 * 1024))
expect 0 8.6 32 16 $((99 * 1024 + 1))
expect 1 9.0 32 16 $((227 * 1024))
expect 0 9.0 32 16 $((227 * 1024 + 1))
# 1024 bytes are the system's.
expect 2 7.5 32 16 32768
expect 1 12.0 32 16 51200
expect 2 12.0 32 16 50176
exit $failed
