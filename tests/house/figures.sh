#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# figures.sh ROOT: whether no figure of scripts/figures.py is worse than scripts/figures.tsv has it, and whether it would see one.
set -euo pipefail
cd "$1"
for needed in git python3 ctags; do
  command -v "$needed" >/dev/null && continue
  echo "there is no $needed"
  [[ ${CI:-} == true ]] && exit 1
  exit 77
done
git rev-parse --git-dir >/dev/null 2>&1 || { echo "this is no clone: git tells which files count"; exit 77; }
python3 scripts/figures.py

planted=$(mktemp)
trap 'rm -f "$planted"' EXIT
awk -F '\t' -v OFS='\t' '$1 == "library files" { $2 = 1 } { print }' scripts/figures.tsv >"$planted"
said=$(python3 scripts/figures.py --recorded "$planted") && { echo "a figure that is worse passes"; exit 1; }
grep -Eq "library files \(recorded 1[,)].*  WORSE$" <<<"$said" || { echo "what is worse is not said: $said"; exit 1; }
