#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# refused_kernels.sh compiler include-tree: passes if each list macro says of a kernel that is none why not.
set -euo pipefail
compiler=$1 tree=$2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# compile header macro members: one kernel with these members in a list; what the compiler says is in said.
compile() {
  cat >"$scratch/list.cpp" <<SOURCE
#include <string>
#include "ballast/$1"
struct mine {
  $3
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};
$2(list_of_mine, mine)
SOURCE
  LC_ALL=C "$compiler" -std=c++20 -fsyntax-only -DBALLAST_HAVE_CUDA=0 -I "$tree" "$scratch/list.cpp" >"$scratch/said" 2>&1
}

lists=('queue_kernels.cuh BALLAST_KERNELS 40' 'methods/chen_kernels.cuh BALLAST_KERNELS_WITH_CHEN 40'
  'spawning_kernels.cuh BALLAST_SPAWNING_KERNELS 40' 'pool_kernels.cuh BALLAST_POOL_KERNELS 40'
  'launch_kernels.cuh BALLAST_LAUNCH_KERNELS 192' 'job_kernels.cuh BALLAST_JOB_KERNELS 4000')
legal='static constexpr int threads = 32;'

# refuses members message...: every list does, and says all of these.
refuses() {
  local list header macro limit
  for list in "${lists[@]}"; do
    read -r header macro limit <<<"$list"
    if compile "$header" "$macro" "$1"; then echo "$macro takes a kernel with $1"; exit 1; fi
    for message in "${@:2}"; do
      grep -qF -- "${message//LIMIT/$limit}" "$scratch/said" && continue
      echo "of a kernel with $1, $macro does not say '${message//LIMIT/$limit}' but:"
      cat "$scratch/said"
      exit 1
    done
  done
}

for list in "${lists[@]}"; do
  read -r header macro _ <<<"$list"
  compile "$header" "$macro" "$legal" || { cat "$scratch/said"; exit 1; }
done
refuses "$legal std::string name;" 'K is not trivially copyable'
refuses "$legal struct scratch { std::string name; };" 'K::scratch is not trivially copyable'
refuses 'int member;' 'K declares no `static constexpr int threads`'
refuses 'static constexpr int threads = 100;' 'K::threads is not legal: 1, or a multiple of 32 up to 1024' \
  'kernel_of_threads<mine, 100>'
refuses "$legal unsigned char bytes[4096];" 'K has more bytes of members than this list allows' \
  'kernel_of_bytes<mine, 4096, LIMIT>'
echo "${#lists[@]} lists say why a kernel is none of theirs"
