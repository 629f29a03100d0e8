#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# spelling.sh root: passes if codespell finds no misspelt word and no American spelling; we write British English.
# .codespellrc has the words that we mean.
set -euo pipefail
source "$(dirname "$0")/sources.sh"

if ! command -v codespell >/dev/null; then
  echo "codespell was not found (Debian package codespell)"
  [[ ${CI:-} == true ]] && exit 1
  exit 77
fi
read_sources "$1" '*.md' '*.hpp' '*.cpp' '*.cuh' '*.cu' '*.mcu' '*.py' '*.sh' '*.cmake' 'CMakeLists.txt' '*.yml' '*.cff' '*.1'
words=/usr/lib/python3/dist-packages/codespell_lib/data/dictionary_en-GB_to_en-US.txt
[[ -f $words ]] || { echo "$words was not found (Debian package codespell)"; exit 1; }
american=$(mktemp)
trap 'rm -f "$american"' EXIT
sed -nE 's/^([^>]+)->([^,]+).*/\2->\1/p' "$words" >"$american"

# The exit status of codespell counts mistakes, modulo 256.
cd "$1"
status=0
said=$(printf './%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 450 codespell -H -q 35 -D - -D "$american") || status=$?
if [[ -n $said ]] || ((status != 0)); then
  echo "$said"
  exit 1
fi
echo "${#files[@]} files are spelt in British English"
