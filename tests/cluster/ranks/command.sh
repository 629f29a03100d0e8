#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# command.sh folder: the programs ballast and ballast-cluster in that folder, over three ranks of one host.
set -euo pipefail
command -v mpirun >/dev/null || { echo "mpirun was not found (Debian package openmpi-bin)"; exit 77; }
[[ -x $1/ballast-cluster ]] || { echo "$1/ballast-cluster was not built"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
on_ranks() { mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --timeout 120 -np "$@"; }

# Each rank may have devices of its own, and one that cannot have its devices says why.
on_ranks 1 "$1/ballast" devices --cluster --devices host:1 --json : -np 1 "$1/ballast-cluster" devices --devices host:2 --json : \
  -np 1 "$1/ballast-cluster" devices --devices cuda:999 --json >"$out/listing.json"
on_ranks 2 "$1/ballast" devices --cluster --devices host:1 | grep -E '^ +1 .* host:1 \(1\)$'

python3 - "$out" <<'PYTHON'
import json, sys

ranks = json.load(open(sys.argv[1] + "/listing.json"))["ranks"]
assert [rank["rank"] for rank in ranks] == [0, 1, 2], ranks
assert [device["name"] for rank in ranks for device in rank["devices"]] == ["host:1", "host:2"], ranks
assert "cuda:999" in ranks[2]["error"] and ranks[0]["error"] is None, ranks
assert all(rank["host"] == ranks[0]["host"] and 1 <= rank["cores"] <= rank["all_cores"] and not rank["lost"] for rank in ranks), ranks
PYTHON
