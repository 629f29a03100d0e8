#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# climbing_includes.sh root: passes if no source includes "../..." or <../...>, which would get past the order of the rooms.
set -euo pipefail
source "$(dirname "$0")/sources.sh"

read_sources "$1" '*.hpp' '*.cpp' '*.cuh' '*.cu'
cd "$1"
status=0
grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]([^">]*/)?\.\./' -- "${files[@]}" || status=$?
((status == 1)) || exit 1 # 0: there are some; 2: grep could not look
echo "none of ${#files[@]} files includes out of its folder"
