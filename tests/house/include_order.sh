#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# include_order.sh compiler source include-folders(:) include-tree hidden-room...
# Passes if the source compiles as it is and does not find a single header of a hidden room.
set -euo pipefail
compiler=$1 source=$2 folders=$3 tree=$4
shift 4

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags=(-std=c++20 -fsyntax-only -DBALLAST_HAVE_CUDA=0 -iquote "$(dirname "$source")")
IFS=: read -ra folder_list <<<"$folders"
for folder in "${folder_list[@]}"; do flags+=(-I "$folder"); done

cp "$source" "$scratch/as_it_is.cpp"
"$compiler" "${flags[@]}" "$scratch/as_it_is.cpp" || { echo "$source does not compile as it is"; exit 1; }

planted=0
for room in "$@"; do
  while IFS= read -r header; do
    { echo "#include \"$header\""; cat "$source"; } >"$scratch/planted.cpp"
    if "$compiler" "${flags[@]}" "$scratch/planted.cpp" 2>"$scratch/said"; then
      echo "$source may include $header, a room to its right"
      exit 1
    fi
    grep -q "fatal error: $header: No such file" "$scratch/said" || { cat "$scratch/said"; exit 1; }
    planted=$((planted + 1))
  done < <(cd "$tree" && find "ballast/$room" -name '*.hpp' -o -name '*.cuh' 2>/dev/null)
done
echo "$source compiles, and none of $planted planted includes was found"
((planted > 0)) || exit 77
