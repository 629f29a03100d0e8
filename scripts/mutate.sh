#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Mutation testing: plants errors in a room's sources, one build for all, and runs the room's tests once with each switched on.
#   scripts/mutate.sh ROOM [COUNT [SEED [TEST...]]]   ROOM: base queue pool launch job cluster, or all: these in turn; 60 errors of
#                                                     seed 1 in each; TEST: further suites to run
# Prints each error as killed (a test failed, crashed or took too long), survived, unreached (no test comes by it) or not tried
# (the time was over), and a table of how many of each. build/mutate/ROOM/results.tsv keeps them. docs/results/mutation.md says
# what the runs found.
# BALLAST_MUTATE_JOBS: how many errors are tried at once, all processors unless given.
# BALLAST_MUTATE_MINUTES: when so many are over no further error is tried, and those being tried are given up. Errors are tried
# in an order drawn by the seed, so that the time leaves a sample. With `all` each room gets an equal share of what is left. A
# build and the first run of the tests, without an error, are not cut off.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/toolchain.sh

case ${1:-} in
  base | queue | pool | launch | job | cluster) rooms=("$1") ;;
  all) rooms=(base queue pool launch job cluster) ;;
  -h | --help) print_help; exit ;;
  *) echo "mutate.sh: no room '${1:-}'; there are base queue pool launch job cluster, and all of them: all" >&2; exit 2 ;;
esac
count=${2:-60} seed=${3:-1} minutes=${BALLAST_MUTATE_MINUTES:-}
for number in "$count" "$seed" "${minutes:-1}"; do
  [[ $number =~ ^[0-9]+$ ]] || { echo "mutate.sh: '$number' is no number" >&2; exit 2; }
done
((count >= 1 && count < 10000)) || { echo "mutate.sh: the count is $count; legal is 1 to 9999" >&2; exit 2; }
[[ -z $minutes ]] || ((minutes >= 1 && minutes <= 10000)) ||
  { echo "mutate.sh: BALLAST_MUTATE_MINUTES is $minutes; legal is 1 to 10000" >&2; exit 2; }
command -v python3 >/dev/null || { echo "mutate.sh: there is no python3 (package python3)" >&2; exit 1; }
further_suites=("${@:4}")
jobs=${BALLAST_MUTATE_JOBS:-$(nproc)}
plant=$PWD/tests/mutation/plant.py
summary=$PWD/tests/mutation/summary.py
now() { date +%s; }
time_up=99999999999
[[ -z $minutes ]] || time_up=$(($(now) + 60 * minutes))

# An error that does not compile is no error: it goes, and the rest is built again. Where one leaves a container, the program ends.
build() {
  cmake --preset host-release -S "$folder/source" -B "$folder/build" -D BALLAST_WERROR=OFF -D BALLAST_PRECOMPILE=OFF \
    -D BALLAST_COMMAND=OFF -D BALLAST_APPS=OFF -D BALLAST_BENCHMARKS=OFF -D BALLAST_EXAMPLES=OFF -D BALLAST_MESICC=OFF \
    -D CMAKE_CXX_FLAGS_RELEASE=-O1 -D CMAKE_CXX_FLAGS="-w -std=c++20 -D_GLIBCXX_ASSERTIONS -include $folder/source/tests/mutation/mutant.hpp" >"$folder/logs/configure" || return
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
  # Headers are seen through build/rooms/ROOM, a folder of links.
  grep -oE "[^ ]*/(source|build/rooms/[^/]+)/[^ :]+:[0-9]+" "$folder/logs/build" |
    sed -E 's|.*/build/rooms/[^/]+/|include/|; s|.*/source/||' | sort -u |
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

# try_one NUMBER: writes what became of this error; nothing if the time is over before that is known.
try_one() {
  local status=0 word left=$((time_up - $(now)))
  ((left > 0)) || return 0
  run_suites "$1" $((left < limit ? left : limit)) || status=$?
  case $status in
    0) word=survived ;;
    124 | 137)
      ((left >= limit)) || return 0
      word="killed (time)"
      ;;
    1) word="killed ($(sed -n 's/^\[  FAILED  \] \([^ ,]*\).*/\1/p' "$folder/logs/$1" | head -1))" ;;
    *) word="killed (status $status)" ;;
  esac
  printf '%s\t%s\n' "$1" "$word"
}
export -f now try_one run_suites

# The lines that it reads, in an order drawn by the seed.
in_drawn_order() {
  python3 -c 'import random, sys
lines = sys.stdin.readlines()
random.Random(int(sys.argv[1])).shuffle(lines)
sys.stdout.writelines(lines)' "$seed"
}

# mutate ROOM: writes what became of its errors.
mutate() {
  suites=("ballast_test_$1" "${further_suites[@]}")
  folder=$PWD/build/mutate/$1
  table=$folder/mutants.tsv
  rm -rf "$folder/source" "$folder"/*.tsv "$folder/logs" "$folder/reached"
  mkdir -p "$folder/source" "$folder/logs"
  tar -c --exclude=./build --exclude='./.*' . | tar -x -C "$folder/source" || return

  # Shared code of the room, and what of it runs on devices, which the tests run on CPU cores.
  # In an order that no locale changes, so that a seed chooses the same errors everywhere.
  local folders=("src/$1")
  [[ ! -d include/ballast/detail/$1 ]] || folders+=("include/ballast/detail/$1")
  (cd "$folder/source" && find "${folders[@]}" -name '*.?pp' -o -path "include/ballast/detail/$1/*.cuh" | LC_ALL=C sort |
    xargs python3 "$plant" "$count" "$seed" >"$table") || return
  build || return
  echo "mutate.sh: $1 with $(wc -l <"$table") errors is built"
  try_all || return
  awk -F'\t' -v OFS='\t' 'FILENAME == ARGV[1] { found[$1] = $2; next }
    { print ($1 in found ? found[$1] : "not tried"), $2, $3, $4, $5, $6 }' "$folder/found.tsv" "$table" | sort >"$folder/results.tsv"
  cut -f1-5 "$folder/results.tsv"
}

try_all() {
  local start=$SECONDS
  BALLAST_MUTANTS_REACHED=$folder/reached run_suites 0 3600 ||
    { tail "$folder/logs/0"; echo "mutate.sh: the tests fail without an error" >&2; return 1; }
  limit=$((30 + 3 * (SECONDS - start)))
  export folder limit time_up suites_text="${suites[*]}"
  cut -f1 "$table" | { grep -vxFf "$folder/reached" || true; } | sed 's/$/\tunreached/' >"$folder/found.tsv"
  cut -f1 "$table" | { grep -xFf "$folder/reached" || true; } | in_drawn_order |
    xargs -r -P "$jobs" -I{} bash -c 'suites=($suites_text); try_one {}' >>"$folder/found.tsv"
}

status=0 last_time_up=$time_up done_folders=()
for index in "${!rooms[@]}"; do
  [[ -z $minutes ]] || time_up=$(($(now) + (last_time_up - $(now)) / (${#rooms[@]} - index)))
  if ((time_up <= $(now))); then
    echo "mutate.sh: no time is left for room ${rooms[index]}" >&2
    status=1
  elif mutate "${rooms[index]}"; then
    done_folders+=("build/mutate/${rooms[index]}")
  else
    echo "mutate.sh: no result of room ${rooms[index]}" >&2
    status=1
  fi
done
if ((${#done_folders[@]} > 0)); then
  echo
  python3 "$summary" "${done_folders[@]}"
fi
exit $status
