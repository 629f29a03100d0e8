#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# limits.sh table ptxas list architecture=PTX...: compiles the PTX of a kernel list for each chip of chips.tsv and writes
# into `table` what each kernel needs there and how many blocks of it an SM holds. Passes if that is one or more, except
# for kernels that exceptions.tsv names. A chip gets the PTX of its generation, else the first, which its driver would
# compile as ptxas does here.
set -euo pipefail
table=$1 ptxas=$2 list=$3
shift 3
folder=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# choose CHIP ARCHITECTURE=PTX...: sets `ptx` and `target`. Chips of a generation share the machine code of its first.
choose() {
  local chip=${1/./} pair
  local generation=$((chip / 10))
  shift
  ptx=${1#*=} target=${first_of[generation]:=$chip}
  for pair in "$@"; do
    if ((${pair%%=*} / 10 == generation)); then ptx=${pair#*=}; fi
  done
}

# row_of_each_kernel CHIP
row_of_each_kernel() {
  if [[ ! -f $scratch/$target ]]; then
    "$ptxas" -v -arch="sm_$target" "$ptx" -o /dev/null >"$scratch/said" 2>&1 || { cat "$scratch/said" >&2; return 1; }
    mv "$scratch/said" "$scratch/$target"
  fi
  awk -v list="$list" -v chip="$1" -v chips="$folder/chips.tsv" -f "$folder/blocks.awk" -f "$folder/kernels.awk" \
    "$ptx" "$scratch/$target"
}

first_of=()
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
