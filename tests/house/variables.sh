#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# variables.sh root: passes if src/base/environment.cpp and docs/reference/environment.md list each variable BALLAST_... of the environment that the
# library and its programs read, if they read those through environment() alone, and if nothing is listed that nobody reads.
set -euo pipefail
cd "$1"
source tests/house/sources.sh
read_sources . '*.hpp' '*.cpp' '*.cuh'
kept=()
for file in "${files[@]}"; do
  [[ $file == tests/* || $file == */tests/* || $file == src/base/environment.cpp ]] || kept+=("$file")
done

status=0
if grep -nE 'getenv\("BALLAST_' "${kept[@]}"; then
  echo "read these by environment() (ballast/arguments.hpp)"
  status=1
fi
names() { grep -oE "$1" | grep -oE 'BALLAST_[A-Z_]+' | sort -u || true; }
reads='(environment|number_of[<>a-z0-9_:]*)\( *"BALLAST_[A-Z_]+"|caller_variable = "BALLAST_[A-Z_]+"'
read_names=$(cat "${kept[@]}" | tr -d '\n' | names "$reads")
listed=$(names 'environment_variable\{"BALLAST_[A-Z_]+' <src/base/environment.cpp)
told=$(sed '/^## What tests read/,$d' docs/reference/environment.md | names '^\| `BALLAST_[A-Z_]+` \|')
compare() { diff <(echo "$1") <(echo "$2") || { echo "< $3, > $4"; status=1; }; }
compare "$read_names" "$listed" "read" "listed in src/base/environment.cpp"
compare "$listed" "$told" "listed in src/base/environment.cpp" "told in docs/reference/environment.md"
((status == 0)) && echo "$(wc -l <<<"$listed") variables"
exit $status
