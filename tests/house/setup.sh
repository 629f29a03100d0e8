#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# setup.sh root: passes if scripts/setup.sh names the packages of each need, and no others. It finds no program at
# all, so everything is missing and nothing can be installed.
set -euo pipefail
setup=$1/scripts/setup.sh
bash=$BASH
wrong=0
nowhere=$(mktemp -d)
trap 'rmdir "$nowhere"' EXIT

fail() {
  echo "$*"
  wrong=1
}

# packages NEED...: what setup.sh says of these, sorted. Files by their whole path may be there.
packages() {
  local said status=0
  said=$(PATH=$nowhere "$bash" "$setup" "$@" 2>&1) || status=$?
  ((status == 1)) || fail "setup.sh $*: exit code $status"
  tr ' ' '\n' <<<"${said#*packages hold: }" | grep -vE '^((libclang|libclang-rt|llvm)-19-dev|python3-jsonschema|python3-myst-parser|furo)$' | LC_ALL=C sort | tr '\n' ' '
}

expect() {
  local got
  got=$(packages $1)
  [[ $got == "$2 " ]] || fail "setup.sh $1 installs '$got', and should '$2 '"
}

library="cmake g++ libboost-dev libfmt-dev ninja-build"
tests="clang-format cmake codespell doxygen g++ git gnuplot-nox libboost-dev libcli11-dev libfmt-dev libgmock-dev libgtest-dev libopenmpi-dev libtbb-dev"
tests+=" ninja-build nlohmann-json3-dev openmpi-bin pkg-config python3 universal-ctags valgrind"
all="clang-16 clang-19 clang-format clang-tidy-19 cmake codespell doxygen g++ g++-11 g++-12 git gnuplot-nox graphviz libboost-dev libcli11-dev libfmt-dev libgmock-dev"
all+=" libgmp-dev libgtest-dev libisl-dev libopenmpi-dev libtbb-dev ninja-build nlohmann-json3-dev openmpi-bin pkg-config python3 python3-sphinx universal-ctags valgrind"
expect library "$library"
expect demo "cmake g++ libboost-dev libcli11-dev libfmt-dev ninja-build nlohmann-json3-dev"
expect translator "clang-19 cmake g++ libboost-dev libcli11-dev libfmt-dev libgmp-dev libisl-dev ninja-build"
expect "translator demo" "clang-19 cmake g++ libboost-dev libcli11-dev libfmt-dev libgmp-dev libisl-dev ninja-build \
nlohmann-json3-dev"
expect tests "$tests"
expect packages "cmake dpkg-dev fakeroot file g++ libboost-dev libfmt-dev libtbb-dev lintian ninja-build pkg-config"
expect docs "doxygen graphviz python3-sphinx"
expect all "$all"
expect "" "$all"

status=0
said=$("$bash" "$setup" demo cuda 2>&1) || status=$?
[[ $status == 2 && $said == "setup.sh: no need 'cuda'; there are library demo translator tests docs packages all" ]] ||
  fail "setup.sh cuda: exit code $status, $said"
((wrong == 0)) && echo "setup.sh names the packages of each need"
