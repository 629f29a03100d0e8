#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Whether compilers take the code. Fails when one refuses, and where CI=true when one is missing.
#   scripts/second-compilers.sh [COMPILER...]          builds and runs the tests of the room resident by each
#   scripts/second-compilers.sh --read [COMPILER...]   checks all host sources but mesicc's, which are for LLVM's headers, with our
#                                                      warnings as errors; nothing is written
#   scripts/second-compilers.sh --read-most [COMPILER...]
#                                                      the same, but no tests or examples, and one kernel list a folder
# With --jobs N before all of these N compile at once, not one a core.
# Compilers, unless given, are those that scripts/setup.sh all installs on Debian 12 or 13.
set -uo pipefail
cd "$(dirname "$0")/.."
source scripts/toolchain.sh

jobs=$(nproc)
[[ ${1:-} != --jobs ]] || { jobs=$2 && shift 2; }
mode=build lists=cat
case ${1:-} in
  --read) mode=read && shift ;;
  --read-most) mode=read lists=first_of_a_folder && shift ;;
  -h | --help) print_help; exit ;;
esac
compilers=("$@")
((${#compilers[@]} > 0)) || mapfile -t compilers < <(bash scripts/setup.sh --list all | sed -nE 's/^clang-([0-9]+)$/clang++-\1/p; /^g\+\+-[0-9]+$/p')

is_of_preset_release() { [[ $mode != read && $(readlink -f "$(command -v "$1")") == "$(readlink -f "$(command -v c++)")" ]]; }

prepare() {
  cmake -G Ninja -S . -B "$folder" -D CMAKE_CXX_COMPILER="$1" -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_FLAGS_DEBUG=-O1 \
    -D BALLAST_CUDA=OFF -D BALLAST_MESICC=OFF -D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON "${@:2}" >/dev/null
}

build_one_room() {
  cmake --build "$folder" --target ballast_test_resident -- -j "$jobs" &&
    env -u BALLAST_TEST_DEVICES "$folder/ballast_test_resident" --gtest_brief=1
}

# Of commands that compile, those of .cpp files, and of each folder that of the first .cu file.
first_of_a_folder() { awk '{ folder = $NF } sub(/[^\/]*\.cu$/, "", folder) && seen[folder]++ { next } { print }'; }

# Runs the build's commands that compile, and nothing is written. Kernels are C++ here.
read_sources() {
  cmake --build "$folder" --target ballast_source >/dev/null || return
  ninja -C "$folder" -t commands | grep -E -- ' -c [^ ]*\.(cpp|cxx|cu)$' | $lists |
    sed 's/ -MD -MT [^ ]* -MF [^ ]*//; s/$/ -fsyntax-only/' |
    (cd "$folder" && xargs -d '\n' -P "$jobs" -n 1 sh -c)
}

try() {
  if [[ $mode == read ]]; then
    local others=ON
    [[ $lists == cat ]] || others=OFF
    prepare "$1" -D BALLAST_WERROR=ON -D BALLAST_TESTS=$others -D BALLAST_EXAMPLES=$others && read_sources
  else
    prepare "$1" && build_one_room
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
