#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# test.sh compiler include-tree: passes if the compiler refuses each source of this folder with what its first comments say,
# and takes all of them with -D CORRECTED. A comment "Says TEXT" wants an error that holds TEXT, "Says 4 times: TEXT" four of
# them; where compilers have words of their own, " | " stands between these. "Shows TEXT" wants TEXT in any line.
set -euo pipefail
here=$(dirname "$(realpath "$0")") tree=$(realpath "$2")
export compiler=$1 LC_ALL=C

# compile SOURCE OPTION...: what the compiler says.
compile() { "$compiler" -std=c++20 -fsyntax-only -w -DBALLAST_HAVE_CUDA=0 -I "$tree" -I "$here" "${@:2}" "$1" 2>&1; }

# count TEXTS: how many errors of $said hold one of the texts.
count() {
  awk -v texts="$1" 'BEGIN { n = split(texts, text, / \| /) }
    / error: / { for (i = 1; i <= n; ++i) if (index($0, text[i])) { ++count; break } }
    END { print count + 0 }' <<<"$said"
}

# comments KIND SOURCE: the texts of its first comments of a kind, each on one line.
comments() {
  awk -v kind="$1 " '!/^\/\/ / { exit }
    { text = substr($0, 4) }
    index(text, "Says ") == 1 || index(text, "Shows ") == 1 { if (line != "") print line; line = ""; wanted = index(text, kind) == 1
      if (wanted) line = substr(text, length(kind) + 1); next }
    wanted { line = line " " text }
    END { if (line != "") print line }' "$2"
}

# check_mistake SOURCE
check_mistake() {
  local name said wanted times texts found
  name=$(basename "$1" .cpp)
  if said=$(compile "$1"); then echo "$name compiles"; return 1; fi
  mapfile -t wanted < <(comments Says "$1")
  ((${#wanted[@]} > 0)) || { echo "$name names nothing that the compiler must say"; return 1; }
  while IFS= read -r texts; do
    [[ $said == *"$texts"* ]] && continue
    printf "of %s the compiler does not show '%s'. It says:\n%s\n" "$name" "$texts" "$said"
    return 1
  done < <(comments Shows "$1")
  for texts in "${wanted[@]}"; do
    times=1
    if [[ $texts =~ ^([0-9]+)' times: '(.*)$ ]]; then times=${BASH_REMATCH[1]} texts=${BASH_REMATCH[2]}; fi
    found=$(count "$texts")
    ((found >= times)) && continue
    printf "of %s the compiler says %d times, not %d: '%s'. It says:\n%s\n" "$name" "$found" "$times" "$texts" "$said"
    return 1
  done
}

# All of them together, as headers take most of the time.
check_corrected() {
  local said
  said=$(printf '#include "%s"\n' "$@" | compile - -x c++ -D CORRECTED) || { echo "with -D CORRECTED:"; echo "$said"; return 1; }
}

export here tree
export -f compile count comments check_mistake check_corrected
sources=("$here"/*.cpp)
((${#sources[@]} >= 30)) || { echo "only ${#sources[@]} sources in $here"; exit 1; }
jobs=$(printf '%s\n' "check_corrected ${sources[*]@Q}" "${sources[@]/#/check_mistake }")
xargs -P 2 -d '\n' -n 1 bash -c <<<"$jobs" || exit 1
echo "the compiler refuses ${#sources[@]} mistakes and says why"
