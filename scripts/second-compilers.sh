#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Whether compilers take the code: each builds and runs the tests of the room resident, and with --syntax checks every other
# .cpp too but mesicc's, which are for LLVM's headers. Fails when one refuses, and where CI=true when one is missing.
# scripts/second-compilers.sh [--syntax] [compiler...]; unnamed: g++-11 g++-12 clang++-16 clang++-19
set -uo pipefail
cd "$(dirname "$0")/.."

jobs=$(nproc)
syntax=0
if [[ ${1:-} == --syntax ]]; then syntax=1 && shift; fi
compilers=("$@")
((${#compilers[@]} > 0)) || compilers=(g++-11 g++-12 clang++-16 clang++-19)

is_of_preset_release() { [[ $(readlink -f "$(command -v "$1")") == "$(readlink -f "$(command -v c++)")" ]]; }

prepare() {
  cmake -G Ninja -S . -B "$folder" -D CMAKE_CXX_COMPILER="$1" -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_FLAGS_DEBUG=-O1 \
    -D BALLAST_CUDA=OFF -D BALLAST_MESICC=OFF -D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
}

build_one_room() {
  cmake --build "$folder" --target ballast_test_resident -- -j "$jobs" &&
    env -u BALLAST_TEST_DEVICES "$folder/ballast_test_resident" --gtest_brief=1
}

# The whole build's .cpp less those of the room, and the kernel lists of the rooms' tests; nothing is written.
check_syntax() {
  local rooms
  ((syntax)) || return 0
  cmake --build "$folder" --target ballast_source >/dev/null || return
  rooms=$(ninja -C "$folder" -t commands ballast_test_resident)
  ninja -C "$folder" -t commands | grep -E -- ' -c [^ ]*(\.(cpp|cxx)|/tests/[a-z]+/\w+\.cu)$' | grep -vxF "$rooms" |
    sed 's/ -MD -MT [^ ]* -MF [^ ]*//; s/$/ -fsyntax-only/' |
    (cd "$folder" && xargs -d '\n' -P "$jobs" -n 1 sh -c)
}

failed=0
for compiler in "${compilers[@]}"; do
  start=$SECONDS
  folder=build/second-$compiler
  if ! command -v "$compiler" >/dev/null; then
    result="is not installed"
    [[ ${CI:-} != true ]] || failed=1
  elif is_of_preset_release "$compiler"; then
    result="compiles preset release"
  elif prepare "$compiler" && build_one_room && check_syntax; then
    result=passed
  else
    result=FAILED failed=1
  fi
  summary+=("$compiler: $result, $((SECONDS - start)) s")
done
printf '%s\n' "${summary[@]}"
exit $failed
