#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# count.sh program expected compiler: counts the instructions per task that submitting costs the host. Fails where
# they exceed what the file `expected` says by more than 5%, and says so where they have fallen by as much. Exits 77
# where there is nothing to compare.
set -euo pipefail
program=$1 expected=$2 compiler=$3

if ! command -v valgrind >/dev/null; then
  echo "valgrind was not found (Debian package valgrind)"
  [[ ${CI:-} == true ]] && exit 1
  exit 77
fi
recorded_with=$(sed -n 's/^compiler //p' "$expected")
if [[ $compiler != $recorded_with ]]; then
  echo "the numbers were recorded with $recorded_with; $compiler makes others"
  exit 77
fi
"$program" one_by_one 0 || exit $?  # 77 where this system has nothing to count

status=0
counts=$(bash "$(dirname "$0")/../../freeze/count.sh" "$program" one_by_one batches_of_256)
while read -r way count; do
  recorded=$(sed -n "s/^$way //p" "$expected")
  awk -v way="$way" -v recorded="$recorded" -v count="$count" -v file="$expected" 'BEGIN {
    printf "%s: %.1f instructions a task, recorded are %s\n", way, count, recorded
    if (count < 0.95 * recorded) printf "%s: fewer by more than 5%%, so lower the number in %s\n", way, file
    if (count > 1.05 * recorded) { printf "%s: more by more than 5%%\n", way; exit 1 }
  }' || status=1
done <<<"$counts"
exit $status
