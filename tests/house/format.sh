#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# format.sh root: passes if clang-format 14 would change no source. Another version formats differently, so
# without 14 there is nothing to test.
set -euo pipefail
source "$(dirname "$0")/sources.sh"

for program in clang-format clang-format-14; do
  if command -v "$program" >/dev/null && "$program" --version | grep -q 'version 14\.'; then formatter=$program; fi
done
if [[ -z ${formatter:-} ]]; then
  echo "clang-format 14 was not found (Debian package clang-format)"
  [[ ${CI:-} == true ]] && exit 1
  exit 77
fi
read_sources "$1" '*.hpp' '*.cpp' '*.cuh' '*.cu'
cd "$1"
printf './%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 50 "$formatter" --dry-run -Werror
echo "${#files[@]} files are formatted"
