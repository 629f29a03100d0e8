#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# filter_test.sh root: passes if left_out.tsv names tests that there are, each with a reason, and filter.sh makes filters of it.
set -euo pipefail
root=$1
folder=$root/tests/compute_sanitizer
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
wrong=0

complain() {
  echo "$*"
  wrong=1
}

# is_there ROOM TEST: whether a source of the room's suite has it, or a suite that rooms share. TEST may be suite.* and suite/type.*
is_there() {
  local folder=$root/tests/$1 suite=${2%%.*} test=${2#*.}
  [[ -d $folder ]] || folder=$root/apps/$1/tests
  if [[ $suite == */* ]]; then grep -rqF "\"${suite#*/}\"" "$folder" || return; fi
  if [[ $test == '*' ]]; then test='[A-Za-z0-9_]+'; fi
  grep -qE "^(TYPED_)?TEST(_[FP])?\(${suite%%/*}, $test\)" "$folder"/*.cpp "$root"/tests/support/*.hpp
}

rows=0
while IFS=$'\t' read -r tool room test reason; do
  [[ $tool == '#'* ]] && continue
  rows=$((rows + 1))
  [[ $tool =~ ^(both|memcheck|racecheck|only)$ ]] || complain "$test: no tool '$tool'; there are both memcheck racecheck only"
  [[ -n $reason ]] || complain "$test: no reason"
  is_there "$room" "$test" || complain "$room has no test $test"
done <"$folder/left_out.tsv"
((rows > 0)) || complain "left_out.tsv is empty"

# expect FILTER ROOM TOOL: of a list that is made up.
printf '%s\t%s\t%s\tas a test\n' both a b.c racecheck a 's/t.*' only d e.f both d e.g >"$scratch/list"
expect() {
  local got
  got=$(bash "$folder/filter.sh" "$scratch/list" "$2" "$3")
  [[ $got == "$1" ]] || complain "of $2 under $3 the filter is $got, not $1"
}
expect '*-b.c:b.c/*:*/b.c/*:b/*.c' a memcheck
expect '*-b.c:b.c/*:*/b.c/*:b/*.c:s/t.*' a racecheck
expect 'e.f:e.f/*:*/e.f/*:e/*.f-e.g:e.g/*:*/e.g/*:e/*.g' d memcheck
expect '*' other memcheck
((wrong == 0)) && echo "$rows rows name tests"
