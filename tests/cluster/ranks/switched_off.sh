#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# switched_off.sh program: on three hosts that scripts/hosts.sh plays, of which one is switched off: passes if the ranks of both
# others say that they have passed. mpirun would wait on for the third.
set -uo pipefail
[[ -n $1 ]] || { echo "MPI was not found when this was configured (Debian package libopenmpi-dev)"; exit 77; }
said=$(mktemp)
trap 'rm -f "$said"' EXIT
bash "${BASH_SOURCE%/*}/../../../scripts/hosts.sh" 3 none -np 3 --enable-recovery --timeout 120 "$1" --gtest_brief=1 \
  --gtest_also_run_disabled_tests --gtest_filter='mpi_cluster_off.*' &>"$said" &
mpirun=$!
passed() { grep -c '^a survivor has passed$' "$said"; }
for ((i = 0; i < 600; ++i)); do
  (($(passed) == 2)) && break
  kill -0 "$mpirun" 2>/dev/null || break
  sleep 0.2
done
kill -KILL "$mpirun" 2>/dev/null  # otherwise it waits for the daemon that is gone
wait "$mpirun"
status=$?
cat "$said"
(($(passed) == 2)) && exit 0
((status == 77)) && exit 77
echo "$(passed) of 2 survivors have passed"
exit 1
