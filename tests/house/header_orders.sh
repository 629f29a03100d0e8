#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# header_orders.sh compiler include-tree: passes if all headers for users compile together, in their order, reversed, and in
# three orders that are the same in every run.
set -euo pipefail
compiler=$1 tree=$(realpath "$2")

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$tree"
mapfile -t headers < <(find ballast -name detail -prune -o \( -name '*.hpp' -o -name '*.cuh' \) -print | sort)
((${#headers[@]} >= 20)) || { echo "only ${#headers[@]} headers in $tree"; exit 1; }

# What headers include of the standard library is read once; that each includes what it needs, others test.
flags=(-std=c++20 -w -DBALLAST_HAVE_CUDA=0 -I "$tree")
grep -rhoE '^#include <[a-z_]+>' ballast --include='*.hpp' --include='*.cuh' | sort -u >"$scratch/standard.hpp"
"$compiler" "${flags[@]}" -x c++-header "$scratch/standard.hpp" -o "$scratch/standard.hpp.gch"

# compile name order...
compile() {
  printf '#include "%s"\n' "${@:2}" >"$scratch/$1.cpp"
  "$compiler" "${flags[@]}" -fsyntax-only -include "$scratch/standard.hpp" "$scratch/$1.cpp" || { echo "in order $1:"; cat "$scratch/$1.cpp"; exit 1; }
}

compile sorted "${headers[@]}"
mapfile -t reversed < <(printf '%s\n' "${headers[@]}" | tac)
compile reversed "${reversed[@]}"
for seed in 1 2 3; do
  mapfile -t shuffled < <(printf '%s\n' "${headers[@]}" | shuf --random-source=<(yes "$seed"))
  compile "shuffled_$seed" "${shuffled[@]}"
done
echo "${#headers[@]} headers compile in 5 orders"
