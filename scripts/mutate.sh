#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Mutation testing: plants errors in a room's sources, one build for all, and runs the room's tests once with each switched on.
#   scripts/mutate.sh ROOM [COUNT [SEED [TEST...]]]   ROOM: queue pool launch job; 60 errors of seed 1; TEST: further suites to run
# Prints each error as killed (a test failed, crashed or took too long), survived, or unreached (no test comes by it), and how
# many of each. build/mutate/ROOM/results.tsv keeps them. docs/results/mutation.md says what survived and why.
# BALLAST_MUTATE_JOBS: how many errors are tried at once, all processors unless given.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/toolchain.sh

case ${1:-} in
  queue | pool | launch | job) room=$1 ;;
  -h | --help) print_help; exit ;;
  *) echo "mutate.sh: no room '${1:-}'; there are queue pool launch job" >&2; exit 2 ;;
esac
count=${2:-60} seed=${3:-1}
for number in "$count" "$seed"; do
  [[ $number =~ ^[0-9]+$ ]] || { echo "mutate.sh: '$number' is no number" >&2; exit 2; }
done
((count >= 1 && count < 10000)) || { echo "mutate.sh: the count is $count; legal is 1 to 9999" >&2; exit 2; }
command -v python3 >/dev/null || { echo "mutate.sh: there is no python3 (package python3)" >&2; exit 1; }
suites=("ballast_test_$room" "${@:4}")
jobs=${BALLAST_MUTATE_JOBS:-$(nproc)}

folder=$PWD/build/mutate/$room
table=$folder/mutants.tsv
plant=$PWD/tests/mutation/plant.py
rm -rf "$folder/source" "$folder"/*.tsv "$folder/logs"
mkdir -p "$folder/source" "$folder/logs"
tar -c --exclude=./build --exclude='./.*' . | tar -x -C "$folder/source"

# Shared code of the room, and what of it runs on devices, which the tests run on CPU cores.
(cd "$folder/source" && find "src/$room" "include/ballast/$room" -name '*.?pp' -o -path "include/ballast/$room/*.cuh" | sort |
  xargs python3 "$plant" "$count" "$seed" >"$table")

# An error that does not compile is no error: it goes, and the rest is built again.
build() {
  cmake --preset host-release -S "$folder/source" -B "$folder/build" -D BALLAST_MESICC=OFF -D BALLAST_WERROR=OFF \
    -D BALLAST_PRECOMPILE=OFF -D CMAKE_CXX_FLAGS="-w -std=c++20 -include $folder/source/tests/mutation/mutant.hpp" >"$folder/logs/configure"
  local round bad
  for round in 1 2 3 4 5 6; do
    cmake --build "$folder/build" --target "${suites[@]}" -- -k 0 -j "$jobs" >"$folder/logs/build" 2>&1 && return
    bad=$(numbers_of_refused)
    [[ -n $bad ]] || break
    (cd "$folder/source" && python3 "$plant" --remove "$table" $bad)
  done
  tail -n 30 "$folder/logs/build" >&2
  echo "mutate.sh: the room does not build with its errors" >&2
  return 1
}

# Those in whose lines the compiler found something.
numbers_of_refused() {
  grep -oE "[^ ]*source/[^ :]+:[0-9]+" "$folder/logs/build" | sed "s|.*source/||" | sort -u |
    awk -F'[:\t]' 'NR == FNR { at[$1 ":" $2] = 1; next } ($2 ":" $3) in at || ($2 ":" ($3 + 1)) in at { print $1 }' - "$table" |
    sort -un
}

# run_suites NUMBER SECONDS: their status, 124 if they took longer.
run_suites() {
  local suite
  for suite in "${suites[@]}"; do
    BALLAST_MUTANT=$1 timeout -k 5 "$2" "$(find "$folder/build" -name "$suite" -type f)" --gtest_fail_fast --gtest_brief=1 \
      >"$folder/logs/$1" 2>&1 </dev/null || return
  done
}

# try_one NUMBER: writes what became of this error.
try_one() {
  local status=0 word
  run_suites "$1" "$limit" || status=$?
  case $status in
    0) word=survived ;;
    124 | 137) word="killed (time)" ;;
    1) word="killed ($(sed -n 's/^\[  FAILED  \] \([^ ,]*\).*/\1/p' "$folder/logs/$1" | head -1))" ;;
    *) word="killed (status $status)" ;;
  esac
  printf '%s\t%s\n' "$1" "$word"
}

build
echo "mutate.sh: $room with $(wc -l <"$table") errors is built"
start=$SECONDS
BALLAST_MUTANTS_REACHED=$folder/reached run_suites 0 3600 || { tail "$folder/logs/0"; echo "mutate.sh: the tests fail without an error" >&2; exit 1; }
limit=$((60 + 8 * (SECONDS - start)))

export -f try_one run_suites
export folder limit
export suites_text="${suites[*]}"
cut -f1 "$table" | grep -vxFf "$folder/reached" | sed 's/$/\tunreached/' >"$folder/found.tsv" || true
cut -f1 "$table" | grep -xFf "$folder/reached" |
  xargs -P "$jobs" -I{} bash -c 'suites=($suites_text); try_one {}' >>"$folder/found.tsv"

awk -F'\t' -v OFS='\t' 'NR == FNR { found[$1] = $2; next } { print found[$1], $2, $4, $5, $6 }' "$folder/found.tsv" "$table" |
  sort >"$folder/results.tsv"
cut -f1-4 "$folder/results.tsv"
awk -F'\t' -v room="$room" '{ sub(/ .*/, "", $1); ++n[$1] }
  END { printf "%s: %d errors, %d killed, %d survived, %d unreached\n", room, NR, n["killed"], n["survived"], n["unreached"] }' \
  "$folder/results.tsv"
