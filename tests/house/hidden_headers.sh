#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# hidden_headers.sh root: passes if only the library and its tests include ballast/detail, which is installed because
# templates need it and may change at any time.
set -euo pipefail
source "$(dirname "$0")/sources.sh"

# Benchmarks of a single part of the library, which users cannot reach: policies without a queue among them.
parts=(bench/job/decisions.cpp bench/job/launched_whole.hpp bench/launch/kernel_draw.hpp bench/launch/levels.cpp
       bench/queue/graph_rivals.cuh)

read_sources "$1" '*.hpp' '*.cpp' '*.cuh' '*.cu' '*.mcu'
cd "$1"
outside=()
for file in "${files[@]}"; do [[ $file =~ ^(include|src|tests)/|/tests/ ]] || outside+=("$file"); done
status=0
found=$(grep -lE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]ballast/detail/' -- "${outside[@]}") || status=$?
((status < 2)) || exit 1
if diff <(printf '%s\n' "${parts[@]}" | sort) <(sort <<<"$found"); then
  echo "of ${#outside[@]} files ${#parts[@]} may include ballast/detail, and does"
else
  echo "only files named in hidden_headers.sh may include ballast/detail, and those do"
  exit 1
fi
