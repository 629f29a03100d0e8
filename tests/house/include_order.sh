#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# include_order.sh compiler source include-folders(:) include-tree hidden-header...
# Passes if the source finds all that it includes, but not a single hidden header.
set -euo pipefail
compiler=$1 source=$2 folders=$3 tree=$4
shift 4

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags=(-std=c++20 -E -o /dev/null -DBALLAST_HAVE_CUDA=0 -iquote "$(dirname "$source")")
IFS=: read -ra folder_list <<<"$folders"
for folder in "${folder_list[@]}"; do flags+=(-I "$folder"); done

"$compiler" "${flags[@]}" "$source" || { echo "$source does not find what it includes"; exit 1; }

planted=0
for header in "$@"; do
  printf '#if __has_include("%s")\n#error %s may be included, which is of a room to the right\n#endif\n' "$header" "$header"
  planted=$((planted + 1))
done >"$scratch/planted.cpp"
"$compiler" "${flags[@]}" "$scratch/planted.cpp"

# The same question must find the headers where they are.
if LC_ALL=C "$compiler" "${flags[@]}" -I "$tree" "$scratch/planted.cpp" 2>"$scratch/said"; then found=0; else
  found=$(grep -c 'error: #error' "$scratch/said")
fi
((found == planted)) || { echo "$planted headers are hidden, and where they lie $found are found"; exit 1; }
echo "$source finds what it includes, and none of $planted headers to its right"
((planted > 0)) || { echo "no header of a hidden room can be planted"; exit 77; }
