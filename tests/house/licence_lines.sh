#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# licence_lines.sh root: passes if every source names its licence in its first two lines.
set -euo pipefail
source "$(dirname "$0")/sources.sh"

read_sources "$1" '*.hpp' '*.cpp' '*.cuh' '*.cu' '*.cmake' '*.cmake.in' '*.sh' '*CMakeLists.txt'
cd "$1"
names_its_licence() {
  local first="" second=""
  { IFS= read -r first && IFS= read -r second; } <"$1" || true
  [[ $first$second == *"SPDX-License-Identifier: Apache-2.0"* ]]
}
failed=0
for file in "${files[@]}"; do
  names_its_licence "$file" || { echo "$file does not name its licence"; failed=1; }
done
((failed == 0)) || exit 1
echo "${#files[@]} files name their licence"
