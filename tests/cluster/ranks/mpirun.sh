#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# mpirun.sh program ranks filter [arguments of mpirun...]: runs the program's tests that fit the filter on each rank; fails if
# any does. Without MPI or mpirun there is nothing to test.
set -euo pipefail
skip() {
  echo "$1"
  [[ ${CI:-} == true ]] && exit 1
  exit 77
}
[[ -n $1 ]] || skip "MPI was not found when this was configured (Debian package libopenmpi-dev)"
command -v mpirun >/dev/null || skip "mpirun was not found (Debian package openmpi-bin)"
program=$1 ranks=$2 filter=$3
# In a container tests may be run by root. Ranks that share a core leave it to each other.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
exec mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --timeout 120 -np "$ranks" "${@:4}" \
  "$program" --gtest_brief=1 --gtest_filter="$filter"
