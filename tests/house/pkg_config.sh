#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# pkg_config.sh root prefix compiler: moves what was installed in prefix, which was built for CPU cores, and builds and runs
# examples/01_task_queue with what pkg-config says of it there: as it is, and as a program that needs no shared library.
set -euo pipefail
root=$1 prefix=$2 compiler=$3

mv "$prefix" "$prefix.moved"
file=$(find "$prefix.moved" -name ballast.pc)
[[ -n $file ]] || { echo "ballast.pc is not in $prefix"; exit 1; }
export PKG_CONFIG_LIBDIR=${file%/*}
version=$(sed -n 's/^#define BALLAST_VERSION_STRING "\(.*\)"/\1/p' "$root/include/ballast/version.hpp")
[[ $(pkg-config --modversion ballast) == "$version" ]] || { echo "ballast.pc does not say that this is $version"; exit 1; }
libraries=$(pkg-config --variable=libdir ballast)
[[ $(realpath "$libraries") == "$(realpath "$prefix.moved")"/* ]] || { echo "libraries are said to lie in $libraries"; exit 1; }

# What pkg-config adds are words, too.
read -ra cflags <<<"$(pkg-config --cflags ballast)"
mkdir "$prefix.objects"
cd "$prefix.objects"
"$compiler" -std=c++20 -O0 "${cflags[@]}" -D BALLAST_COMPILES_KERNELS=true -c -x c++ "$root/examples/01_task_queue/main.cpp" \
  "$root/examples/01_task_queue/kernels.cu"

# link_and_run NAME WORD...
link_and_run() {
  local libs
  read -ra libs <<<"$(pkg-config "${@:2:1}" --libs ballast)"
  "$compiler" -o "$prefix.$1" main.o kernels.o "${@:3}" "${libs[@]}"
  LD_LIBRARY_PATH=$libraries "$prefix.$1"
}

link_and_run as_it_is --libs
link_and_run whole --static -static
! readelf -d "$prefix.whole" | grep -q NEEDED || { echo "a program that was linked with --static needs shared libraries"; exit 1; }
