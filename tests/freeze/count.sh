#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# count.sh PROGRAM WAY...: for each way prints it and the instructions that one more submission of it costs the host, as
# callgrind counts them inside the function of that name: neither other threads nor start-up.
set -euo pipefail
program=$1
shift
command -v valgrind >/dev/null || { echo "valgrind was not found (Debian package valgrind)" >&2; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

instructions() {
  if ! valgrind --tool=callgrind --fair-sched=try --toggle-collect="$1" --callgrind-out-file="$scratch/out" \
    "$program" "$1" "$2" >"$scratch/log" 2>&1; then
    cat "$scratch/log" >&2
    return 1
  fi
  sed -n 's/^summary: //p' "$scratch/out"
}

for way in "$@"; do
  once=$(instructions "$way" 1024)
  twice=$(instructions "$way" 2048)
  awk -v way="$way" -v more="$((twice - once))" 'BEGIN {
    if (more < 1024) { print way ": nothing was counted" >"/dev/stderr"; exit 1 }
    printf "%s %.1f\n", way, more / 1024
  }'
done
