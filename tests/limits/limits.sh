#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# limits.sh table ptxas list architecture=PTX...: makes machine code of each PTX of a kernel list and writes into `table`
# what each kernel needs on each chip of chips.tsv and how many blocks of it an SM holds. Passes if that is one or more,
# except for kernels that exceptions.tsv names. A chip is asked with the newest code that is not newer than itself:
# registers differ little between generations, the limits of an SM much.
set -euo pipefail
table=$1 ptxas=$2 list=$3
shift 3
folder=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# choose CHIP ARCHITECTURE=PTX..., oldest first: sets `ptx` and `target`.
choose() {
  local chip=${1/./} pair
  shift
  for pair in "$@"; do
    if ((${pair%%=*} <= chip)); then target=${pair%%=*} ptx=${pair#*=}; fi
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
