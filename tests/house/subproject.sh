#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# subproject.sh root cmake compiler: ballast as a part of another project, without a GPU backend: what it needs, how much of
# it is built, and what it leaves behind. parent/CMakeLists.txt compares what the configuration changed.
set -euo pipefail
root=$1 cmake=$2 compiler=$3
source "$root/tests/house/parent_project.sh"

library=(-D BALLAST_CUDA=OFF)
for package in CLI11 GTest LLVM TBB nlohmann_json; do library+=(-D CMAKE_DISABLE_FIND_PACKAGE_$package=ON); done
configure_project fetched parent "${library[@]}" -D FETCH=ON
configure_project added parent "${library[@]}"
cd "$scratch/added"
grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=$' CMakeCache.txt || fail "ballast chose the build type of its parent"

commands=$(ninja -t commands program | wc -l)
((commands <= 70)) || fail "a program of one room takes $commands commands, more than 70"
of_main=$(ninja -t commands program | grep ' -c [^ ]*/main\.cpp$')
[[ $of_main == *" -isystem $PWD/ballast/rooms/queue "* && $of_main != *" -I"* ]] ||
  fail "warnings of its parent are for ballast's headers too: $of_main"
if [[ -n ${BALLAST_TEST_DEEP:-} ]]; then
  ninja program
  ./program
else # its own source, and the first room
  [[ $of_main =~ " -o "([^ ]+) ]]
  ninja ballast_base "${BASH_REMATCH[1]}"
fi
ctest -N | grep -qx 'Total Tests: 0' || fail "ballast's tests are among those of its parent"
"$cmake" --install . --prefix "$scratch/prefix"
[[ ! -e $scratch/prefix ]] || fail "ballast is installed with its parent: $(find "$scratch/prefix")"
