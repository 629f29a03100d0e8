# SPDX-License-Identifier: Apache-2.0
# For the scripts beside this, whose first argument is the folder of programs and which set timeout_s:
# on_ranks N [arguments of mpirun] PROGRAM..., and a folder $out that goes at the end.
command -v mpirun >/dev/null || { echo "mpirun was not found (Debian package openmpi-bin)"; exit 77; }
[[ -x $1/ballast-cluster ]] || { echo "$1/ballast-cluster was not built"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
on_ranks() { mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --timeout "$timeout_s" -np "$@"; }
