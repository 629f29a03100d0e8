#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs what building and testing ballast needs and this machine lacks (Debian 12 or later; uses sudo unless
# root). Without apt it prints the packages by name and exits 1. Says and changes nothing when all is there.
set -euo pipefail

# Debian package : what shows that it is installed, a command, a header or a file
needs=(
  git:git
  cmake:cmake
  ninja-build:ninja
  g++:g++
  clang-format:clang-format
  libgtest-dev:gtest/gtest.h
  libgmock-dev:gmock/gmock.h
  libcli11-dev:CLI/CLI.hpp
  libfmt-dev:fmt/core.h
  nlohmann-json3-dev:nlohmann/json.hpp
  libboost-dev:boost/icl/interval_map.hpp
  libtbb-dev:tbb/task_group.h
  gnuplot-nox:gnuplot
  valgrind:valgrind
  clang-19:clang++-19
  libclang-19-dev:/usr/lib/llvm-19/lib/cmake/clang/ClangConfig.cmake
  llvm-19-dev:/usr/lib/llvm-19/lib/cmake/llvm/LLVMConfig.cmake
  libisl-dev:isl/cpp.h
  libgmp-dev:gmp.h
)

is_there() {
  case $1 in
    /*) [[ -e $1 ]] ;;
    */* | *.h) command -v g++ >/dev/null && g++ -std=c++20 -E -include "$1" -x c++ /dev/null >/dev/null 2>&1 ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

list_missing() {
  local need
  for need in "${needs[@]}"; do is_there "${need#*:}" || echo "${need%%:*}"; done
}

install() {
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || { echo "setup.sh: run as root, or install sudo; missing: $*" >&2; exit 1; }
    as_root=(sudo)
  fi
  echo "setup.sh: installing $*"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

mapfile -t missing < <(list_missing)
((${#missing[@]} == 0)) && exit 0
if ! command -v apt-get >/dev/null; then
  echo "setup.sh: this system has no apt; install what these Debian packages hold: ${missing[*]}" >&2
  exit 1
fi
install "${missing[@]}"
mapfile -t missing < <(list_missing)
((${#missing[@]} == 0)) || { echo "setup.sh: still missing after the installation: ${missing[*]}" >&2; exit 1; }
