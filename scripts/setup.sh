#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs what this machine lacks for one or several needs (Debian 12 or later; uses sudo unless root):
#   scripts/setup.sh library     to build the library
#   scripts/setup.sh demo        ... and the command with its applications
#   scripts/setup.sh translator  the library and mesicc
#   scripts/setup.sh tests       the demo, benchmarks and examples, and the tests of all but mesicc
#   scripts/setup.sh docs        to build the site of the pages
#   scripts/setup.sh [all]       all of these and their tests, by every compiler that ballast is tried with
#   scripts/setup.sh packages    the library, and what makes and checks Debian packages
#   scripts/setup.sh --list [NEED...]   prints the packages of these needs, there or not, and installs nothing
# Without apt it prints the packages by name and exits 1. Says so and changes nothing when all is there.
set -euo pipefail

# Debian package : what shows that it is installed, a command, a header or a file
library=(
  g++:g++
  cmake:cmake
  ninja-build:ninja
  libfmt-dev:fmt/core.h
  libboost-dev:boost/icl/interval_map.hpp
)
options=(libcli11-dev:CLI/CLI.hpp)
demo=("${library[@]}" "${options[@]}" nlohmann-json3-dev:nlohmann/json.hpp)
translator=(
  "${library[@]}" "${options[@]}"
  clang-19:clang++-19
  libclang-19-dev:/usr/lib/llvm-19/lib/cmake/clang/ClangConfig.cmake
  llvm-19-dev:/usr/lib/llvm-19/lib/cmake/llvm/LLVMConfig.cmake
  libisl-dev:isl/cpp.h
  libgmp-dev:gmp.h
)
tests=(
  "${demo[@]}"
  git:git
  python3:python3
  python3-jsonschema:/usr/lib/python3/dist-packages/jsonschema
  clang-format:clang-format
  codespell:codespell
  doxygen:doxygen
  libgtest-dev:gtest/gtest.h
  libgmock-dev:gmock/gmock.h
  libtbb-dev:tbb/task_group.h
  libopenmpi-dev:mpicxx
  openmpi-bin:mpirun
  gnuplot-nox:gnuplot
  valgrind:valgrind
  pkg-config:pkg-config
  universal-ctags:ctags
)
docs=(
  doxygen:doxygen
  graphviz:dot
  python3-sphinx:sphinx-build
  python3-myst-parser:/usr/lib/python3/dist-packages/myst_parser
  furo:/usr/lib/python3/dist-packages/furo
)
packages=("${library[@]}" libtbb-dev:tbb/task_group.h dpkg-dev:dpkg-shlibdeps fakeroot:fakeroot file:file lintian:lintian pkg-config:pkg-config)
all=("${tests[@]}" "${translator[@]}" "${docs[@]}" libclang-rt-19-dev:/usr/lib/llvm-19/lib/clang/19/lib/linux
  clang-tidy-19:clang-tidy-19 debootstrap:/usr/sbin/debootstrap)
# Debian 13 has other compilers than Debian 12.
if [[ $(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-}") == trixie ]]; then
  all+=(g++-13:g++-13 g++-14:g++-14 clang-17:clang++-17 clang-18:clang++-18)
else
  all+=(g++-11:g++-11 g++-12:g++-12 clang-16:clang++-16 libclang-rt-16-dev:/usr/lib/llvm-16/lib/clang/16/lib/linux)
fi

only_lists=false
[[ ${1:-} != --list ]] || { only_lists=true; shift; }
(($# > 0)) || set -- all
needs=()
for name in "$@"; do
  case $name in
    library | demo | translator | tests | docs | packages | all) ;;
    *) echo "setup.sh: no need '$name'; there are library demo translator tests docs packages all" >&2; exit 2 ;;
  esac
  declare -n named=$name
  needs+=("${named[@]}")
done

if $only_lists; then
  printf '%s\n' "${needs[@]%%:*}" | LC_ALL=C sort -u
  exit
fi

is_there() {
  case $1 in
    /*) [[ -e $1 ]] ;;
    */* | *.h) g++ -E -x c++ - <<<$'#if !__has_include(<'"$1"$'>)\n#error\n#endif' >/dev/null 2>&1 ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

list_missing() {
  local need
  local -A seen=()
  for need in "${needs[@]}"; do
    [[ -n ${seen[$need]:-} ]] && continue
    seen[$need]=1
    is_there "${need#*:}" || echo "${need%%:*}"
  done
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
((${#missing[@]} > 0)) || { echo "setup.sh: nothing to install"; exit; }
if ! command -v apt-get >/dev/null; then
  echo "setup.sh: this system has no apt; install what these Debian packages hold: ${missing[*]}" >&2
  exit 1
fi
install "${missing[@]}"
mapfile -t missing < <(list_missing)
((${#missing[@]} == 0)) || { echo "setup.sh: still missing after the installation: ${missing[*]}" >&2; exit 1; }
