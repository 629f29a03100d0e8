#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# unlinked.sh include-tree compiler...: passes if a program that throws and catches what headers for users throw by themselves
# links and runs without a library of ballast. Of the compilers only the first must be there.
set -euo pipefail
tree=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cat >"$scratch/main.cpp" <<'PROGRAM'
#include "ballast/balance.hpp"

int main() {
  try {
    ballast::cut_costs(ballast::shares(std::vector<double>{1, 2}, 30, {.multiple_of = 0}), std::vector<double>{1});
  } catch (ballast::error const& refused) { return refused.what() != std::string_view("multiple_of is 0; legal is at least 1"); }
  return 1;
}
PROGRAM

command -v "$2" >/dev/null || { echo "there is no $2"; exit 1; }
for compiler in "${@:2}"; do
  command -v "$compiler" >/dev/null || continue
  "$compiler" -std=c++20 -O0 -I "$tree" "$scratch/main.cpp" -o "$scratch/main" && "$scratch/main" || { echo "refused with $compiler"; exit 1; }
done
