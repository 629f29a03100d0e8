#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# random_losses.sh program [first seed] [seeds]: three ranks for each seed, which draws the one that is killed or hangs, and when.
# A hundred seeds where BALLAST_TEST_DEEP is set.
set -uo pipefail
TMPDIR=$(mktemp -d)  # where ranks leave notes for each other
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
first=${2:-1} seeds=${3:-$([[ -n ${BALLAST_TEST_DEEP:-} ]] && echo 100 || echo 3)}
for ((seed = first; seed < first + seeds; ++seed)); do
  BALLAST_LOSS_SEED=$seed bash "${BASH_SOURCE%/*}/survivors.sh" "$1" 3 "mpi_cluster_random_loss.*" || {
    status=$?
    ((status == 77)) && exit 77
    echo "seed $seed failed; again: random_losses.sh $1 $seed 1"
    exit 1
  }
done
