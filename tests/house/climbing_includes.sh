#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# climbing_includes.sh root: passes if no source includes "../...", which would get past the order of the rooms.
set -euo pipefail
source "$(dirname "$0")/sources.sh"

mapfile -t files < <(list_sources "$1" '*.hpp' '*.cpp' '*.cuh' '*.cu')
((${#files[@]} > 0)) || { echo "no sources found in $1"; exit 1; }
cd "$1"
if grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"([^"]*/)?\.\./' "${files[@]}"; then exit 1; fi
echo "none of ${#files[@]} files includes out of its folder"
