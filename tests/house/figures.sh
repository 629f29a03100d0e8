#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# figures.sh ROOT: whether scripts/figures.py finds its limits kept.
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
