#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Whether compilers take the code: each builds and runs the tests of the room resident, and with --syntax checks every other
# .cpp too but mesicc's, which are for LLVM's headers; with --read it only checks all sources but mesicc's, and warnings are errors.
# Fails when one refuses, and where CI=true when one is missing.
# scripts/second-compilers.sh [--syntax|--read] [compiler...]; unnamed: g++-11 g++-12 clang++-16 clang++-19, with --read g++-14
set -uo pipefail
cd "$(dirname "$0")/.."

jobs=$(nproc)
mode=build
if [[ ${1:-} == --syntax || ${1:-} == --read ]]; then mode=${1#--} && shift; fi
compilers=("$@")
if ((${#compilers[@]} == 0)); then
  if [[ $mode == read ]]; then compilers=(g++-14); else compilers=(g++-11 g++-12 clang++-16 clang++-19); fi
fi

is_of_preset_release() { [[ $mode != read && $(readlink -f "$(command -v "$1")") == "$(readlink -f "$(command -v c++)")" ]]; }

prepare() {
  cmake -G Ninja -S . -B "$folder" -D CMAKE_CXX_COMPILER="$1" -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_FLAGS_DEBUG=-O1 \
    -D BALLAST_CUDA=OFF -D BALLAST_MESICC=OFF -D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON "${@:2}" >/dev/null
}

build_one_room() {
  cmake --build "$folder" --target ballast_test_resident -- -j "$jobs" &&
    env -u BALLAST_TEST_DEVICES "$folder/ballast_test_resident" --gtest_brief=1
}

# The whole build's .cpp less those of the room, and the kernel lists of the rooms' tests.
check_other_sources() {
  local rooms
  [[ $mode == syntax ]] || return 0
  rooms=$(ninja -C "$folder" -t commands ballast_test_resident)
  check_syntax ' -c [^ ]*(\.(cpp|cxx)|/tests/[a-z]+/\w+\.cu)$' "$rooms"
}

# check_syntax PATTERN [COMMANDS]: runs the build's commands that match, less these, and nothing is written.
check_syntax() {
  cmake --build "$folder" --target ballast_source >/dev/null || return
  ninja -C "$folder" -t commands | grep -E -- "$1" | grep -vxF "${2:-nothing}" |
    sed 's/ -MD -MT [^ ]* -MF [^ ]*//; s/$/ -fsyntax-only/' |
    (cd "$folder" && xargs -d '\n' -P "$jobs" -n 1 sh -c)
}

try() {
  if [[ $mode == read ]]; then
    prepare "$1" -D BALLAST_WERROR=ON && check_syntax ' -c [^ ]*\.(cpp|cxx|cu)$'
  else
    prepare "$1" && build_one_room && check_other_sources
  fi
}

failed=0
for compiler in "${compilers[@]}"; do
  start=$SECONDS
  folder=build/second-$compiler
  [[ $mode != read ]] || folder=build/read-$compiler
  if ! command -v "$compiler" >/dev/null; then
    result="is not installed"
    [[ ${CI:-} != true ]] || failed=1
  elif is_of_preset_release "$compiler"; then
    result="compiles preset release"
  elif try "$compiler"; then
    result=passed
  else
    result=FAILED failed=1
  fi
  summary+=("$compiler: $result, $((SECONDS - start)) s")
done
printf '%s\n' "${summary[@]}"
exit $failed
