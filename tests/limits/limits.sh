#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# limits.sh table ptxas list architecture=PTX...: compiles the PTX of a kernel list for each chip of chips.tsv and writes
# into `table` what each kernel needs there and how many blocks of it an SM holds. Passes if that is one or more, except
# for kernels that exceptions.tsv names. A chip gets the PTX of the latest architecture that is not newer. Where that is of
# the chip's generation, its machine code runs there; else the driver compiles the PTX, as ptxas does here.
set -euo pipefail
table=$1 ptxas=$2 list=$3
shift 3
folder=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# choose CHIP ARCHITECTURE=PTX...: sets `ptx` and `target`.
choose() {
  local chip=${1/./} pair best=0
  shift
  for pair in "$@"; do
    if ((${pair%%=*} <= chip && ${pair%%=*} > best)); then best=${pair%%=*} ptx=${pair#*=}; fi
  done
  target=$best
  ((best / 10 == chip / 10)) || target=$chip
  ((best > 0)) || { echo "$list: no PTX for $chip" >&2; exit 1; }
}

# row_of_each_kernel CHIP
row_of_each_kernel() {
  "$ptxas" -v -arch="sm_$target" "$ptx" -o /dev/null >"$scratch/$target" 2>&1 || { cat "$scratch/$target" >&2; return 1; }
  awk -v list="$list" -v chip="$1" -v chips="$folder/chips.tsv" -f "$folder/blocks.awk" -f "$folder/kernels.awk" \
    "$ptx" "$scratch/$target"
}

failed=0
while IFS=$'\t' read -r chip _; do
  choose "$chip" "$@"
  row_of_each_kernel "$chip" || failed=1
done < <(grep -v '^#' "$folder/chips.tsv") >"$scratch/rows"

mkdir -p "$(dirname "$table")"
{
  printf 'list\tkernel\tchip\tthreads\tregisters\tspill_stores\tspill_loads\tstack\tshared\tdynamic_shared\tblocks\n'
  c++filt <"$scratch/rows" | awk -f "$folder/short_names.awk"
} >"$table"
awk -f "$folder/exceptions.awk" "$folder/exceptions.tsv" "$table" || failed=1
exit $failed
