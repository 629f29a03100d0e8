#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# gates.sh root: passes if the tests of the sources' form see what is wrong in files of any name, with git and without, and fail
# where their tools do.
set -euo pipefail
house=$1/tests/house
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
licence='// SPDX-License-Identifier: Apache-2.0'
names=(plain.cpp 'ärger.cpp' 'two words.hpp' $'two\nlines.cuh' '"quoted".cu' '-n.cpp' 'a=b.cpp')
wrong=0

complain() {
  echo "$*"
  wrong=1
}

# project LINE...: a project in $scratch/project whose files, of odd names, consist of these lines.
project() {
  local name
  rm -rf "$scratch/project"
  mkdir "$scratch/project"
  cp "$house"/../../{.clang-format,.codespellrc} "$scratch/project"
  for name in "${names[@]}"; do printf '%s\n' "$@" >"$scratch/project/$name"; done
}

# run GATE: sets `status` and `said`; fails where there is nothing to test with.
run() {
  status=0
  said=$(bash "$house/$1.sh" "$scratch/project" 2>&1) || status=$?
  ((status != 77))
}

passes() {
  run "$1" || return 0
  ((status == 0)) || complain "$1.sh fails: $said"
}

# fails GATE: and names each file.
fails() {
  local name
  run "$1" || return 0
  ((status != 0)) || complain "$1.sh passes: $said"
  for name in "${names[@]}"; do [[ $said == *"$name"* ]] || complain "$1.sh does not name $name: $said"; done
}

# with_git_and_without COMMAND...
with_git_and_without() {
  "$@"
  command -v git >/dev/null || return 0
  git -C "$scratch/project" init -q
  "$@"
}

project "$licence" '#include <a/x.hpp>  // not "../x.hpp"' '// `te''h` deques of Mattern in colour' "int i;"
for gate in format licence_lines climbing_includes spelling; do passes "$gate"; done
project "$licence" "int   i;"
with_git_and_without fails format
project "int i;"
with_git_and_without fails licence_lines
for word in "re""cieve" "col""or"; do
  project "$licence" "// $word"
  with_git_and_without fails spelling
done
for header in '"../x.hpp"' '<../x.hpp>' '<a/../x.hpp>'; do
  project "$licence" "  #  include $header"
  with_git_and_without fails climbing_includes
done

# A grep that cannot look has not found that nothing is there.
mkdir "$scratch/bin"
printf '#!/bin/sh\nexit 2\n' >"$scratch/bin/grep"
printf '#!/bin/sh\n' >"$scratch/bin/cmake"
chmod +x "$scratch/bin"/*
for gate in "climbing_includes $scratch/project" "installed_paths $scratch $scratch $scratch/bin/cmake"; do
  if PATH=$scratch/bin:$PATH bash "$house/${gate%% *}.sh" ${gate#* } >/dev/null; then complain "${gate%% *}.sh passes without grep"; fi
done
((wrong == 0)) && echo "the gates see files of any name"
