#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# licence_lines.sh root: passes if every source names its licence in its first two lines.
set -euo pipefail
source "$(dirname "$0")/sources.sh"

mapfile -t files < <(list_sources "$1" '*.hpp' '*.cpp' '*.cuh' '*.cu' '*.cmake' '*.cmake.in' '*.sh' \
  '*CMakeLists.txt' | sort -u)
((${#files[@]} > 0)) || { echo "no sources found in $1"; exit 1; }
cd "$1"
named() { awk 'FNR <= 2 && /SPDX-License-Identifier: Apache-2.0/ { print FILENAME; nextfile }' "${files[@]}"; }
if comm -23 <(printf '%s\n' "${files[@]}") <(named | sort) | sed 's/$/ does not name its licence/' | grep .; then exit 1; fi
echo "${#files[@]} files name their licence"
