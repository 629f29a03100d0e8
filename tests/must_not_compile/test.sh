#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# test.sh compiler include-tree: passes if the compiler refuses each source of this folder with what its first comments say,
# and takes all of them with -D CORRECTED. A comment "Says TEXT" wants an error that holds TEXT, "Says 4 times: TEXT" four of
# them; where compilers have words of their own, " | " stands between these. "Shows TEXT" wants TEXT in any line.
set -euo pipefail
here=$(dirname "$(realpath "$0")") tree=$(realpath "$2")
export compiler=$1 LC_ALL=C
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CPATH=$tree:$here:$scratch
flags="-std=c++20 -w -DBALLAST_HAVE_CUDA=0"
if "$compiler" --version | grep -q clang; then
  flags+=" -ferror-limit=0"
else # what headers include of the standard library is read once
  grep -rhoE '^#include <[a-z_]+>' "$tree/ballast" --include='*.hpp' --include='*.cuh' | sort -u >"$scratch/standard.hpp"
  "$compiler" $flags -x c++-header "$scratch/standard.hpp" -o "$scratch/standard.hpp.gch"
  flags+=" -include standard.hpp"
fi

# compile OPTION SOURCE...: what the compiler says of these together.
compile() {
  printf '#include "%s"\n' "${@:2}" |
    "$compiler" $flags -fsyntax-only "$1" -x c++ - 2>&1
}

# comments KIND SOURCE: the texts of its first comments of a kind, each on one line.
comments() {
  awk -v kind="$1 " '!/^\/\/ / { exit }
    { text = substr($0, 4) }
    index(text, "Says ") == 1 || index(text, "Shows ") == 1 {
      if (line != "") print line
      wanted = index(text, kind) == 1
      line = wanted ? substr(text, length(kind) + 1) : ""
      next
    }
    wanted { line = line " " text }
    END { if (line != "") print line }' "$2"
}

# count TEXTS: how many errors of $said hold one of the texts.
count() {
  awk -v texts="$1" 'BEGIN { n = split(texts, text, / \| /) }
    / error: / { for (i = 1; i <= n; ++i) if (index($0, text[i])) { ++count; break } }
    END { print count + 0 }' <<<"$said"
}

# is_refused SOURCE: by what is in $said.
is_refused() {
  local name wanted times texts found
  name=$(basename "$1" .cpp)
  mapfile -t wanted < <(comments Says "$1")
  ((${#wanted[@]} > 0)) || { echo "$name names nothing that the compiler must say"; return 1; }
  while IFS= read -r texts; do
    [[ $said == *"$texts"* ]] && continue
    echo "of $name the compiler does not show '$texts'"
    return 1
  done < <(comments Shows "$1")
  for texts in "${wanted[@]}"; do
    times=1
    if [[ $texts =~ ^([0-9]+)' times: '(.*)$ ]]; then times=${BASH_REMATCH[1]} texts=${BASH_REMATCH[2]}; fi
    found=$(count "$texts")
    ((found >= times)) && continue
    echo "of $name the compiler says $found times, not $times: '$texts'"
    return 1
  done
}

# check_mistakes SOURCE...
check_mistakes() {
  local said source refused=1
  if said=$(compile -UCORRECTED "$@"); then echo "these compile: ${*##*/}"; return 1; fi
  for source in "$@"; do is_refused "$source" || refused=0; done
  ((refused == 1)) || { echo "but: $said"; return 1; }
}

check_corrected() {
  local said
  said=$(compile -DCORRECTED "$@") || { echo "with -D CORRECTED: $said"; return 1; }
}

# Most of the time goes into headers. So sources of equal includes are compiled together if they name sentences of the
# library's own, which no other mistake can bring about: "no matching function" might come from anywhere.
batch_of() {
  if comments Says "$1" | grep -qE ' \| |no matching|use of deleted'; then echo "$1"; else grep '^#include' "$1"; fi
}

sources=("$here"/*.cpp)
((${#sources[@]} >= 30)) || { echo "only ${#sources[@]} sources in $here"; exit 1; }
twice=$(for source in "${sources[@]}"; do comments Says "$source"; done | grep -vE ' \| |no matching' | sort | uniq -d)
[[ -z $twice ]] || { echo "several sources name these: $twice"; exit 1; }
declare -A batches=()
for source in "${sources[@]}"; do batches[$(batch_of "$source")]+=" ${source@Q}"; done

export flags
export -f compile comments count is_refused check_mistakes check_corrected
printf '%s\n' "check_corrected ${sources[*]@Q}" "${batches[@]/#/check_mistakes}" | xargs -P 2 -d '\n' -n 1 bash -c || exit 1
echo "the compiler refuses ${#sources[@]} mistakes and says why"
