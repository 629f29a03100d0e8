#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# licence_lines.sh root: passes if every source names its licence in its first two lines.
set -euo pipefail
source "$(dirname "$0")/sources.sh"

mapfile -t files < <(list_sources "$1" '*.hpp' '*.cpp' '*.cuh' '*.cu' '*.cmake' '*.cmake.in' '*.sh' \
  '*CMakeLists.txt' | sort -u)
((${#files[@]} > 0)) || { echo "no sources found in $1"; exit 1; }
cd "$1"
wrong=0
for file in "${files[@]}"; do
  head -2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' && continue
  echo "$file does not name its licence"
  wrong=1
done
((wrong == 0)) && echo "${#files[@]} files name their licence"
