#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# command.sh folder: the programs ballast and ballast-cluster in that folder, over three ranks of one host.
set -euo pipefail
timeout_s=120
source "${BASH_SOURCE%/*}/on_ranks.sh"

# Each rank may have devices of its own, and one that cannot have its devices says why.
on_ranks 1 "$1/ballast" devices --cluster --devices host:1 --json : -np 1 "$1/ballast-cluster" devices --devices host:2 --json : \
  -np 1 "$1/ballast-cluster" devices --devices cuda:999 --json >"$out/listing.json"
on_ranks 2 "$1/ballast" devices --cluster --devices host:1 | grep -E '^ +1 .* host:1 \(1\)$'

on_ranks 2 "$1/ballast" cluster trace "$out/trace.json" --devices host:1,host:2 >"$out/loads"
grep -E '^rank 1 host:2 ' "$out/loads"

# What several ranks compute is what one does.
for ranks in 1 3 8; do
  on_ranks $ranks "$1/ballast" hotspot --cluster --devices host:1 --policy static --size 100 --steps 7 --trace "$out/hotspot-$ranks.trace" --json >"$out/hotspot-$ranks.json"
  on_ranks $ranks "$1/ballast" ep --cluster --devices host:1 --class S --json >"$out/ep-$ranks.json"
  on_ranks $ranks "$1/ballast" matmul --cluster --devices host:1 --size 65 --json >"$out/matmul-$ranks.json"
done
for ranks in 1 3; do
  on_ranks $ranks "$1/ballast" md --cluster --devices host:1 --atoms 700 --temperature 300 --steps 30 --checkpoint "$out/md-$ranks.checkpoint" --trace "$out/md-$ranks.trace" --json >"$out/md-$ranks.json"
done
"$1/ballast" md --solutions S1 --devices host:1 --atoms 700 --temperature 300 --steps 30 --checkpoint "$out/md-S1.checkpoint" --json >"$out/md-S1.json"
for ranks in 1 3; do cmp "$out/md-S1.checkpoint" "$out/md-$ranks.checkpoint"; done

python3 - "$out" <<'PYTHON'
import json, sys

ranks = json.load(open(sys.argv[1] + "/listing.json"))["ranks"]
assert [rank["rank"] for rank in ranks] == [0, 1, 2], ranks
assert [device["name"] for rank in ranks for device in rank["devices"]] == ["host:1", "host:2"], ranks
assert "cuda:999" in ranks[2]["error"] and ranks[0]["error"] is None, ranks
assert all(rank["host"] == ranks[0]["host"] and 1 <= rank["cores"] <= rank["all_cores"] and not rank["lost"] for rank in ranks), ranks

events = json.load(open(sys.argv[1] + "/trace.json"))["traceEvents"]
names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
assert sorted(names.values()) == ["rank 0 host:1", "rank 0 host:2", "rank 1 host:1", "rank 1 host:2"], names
naps = [event for event in events if event["ph"] == "X"]
assert sum(event["args"]["tasks"] for event in naps) == 20 * 2 * 3, len(naps)
assert {event["pid"] for event in naps} <= set(names), "a device has no name"
assert min(event["ts"] for event in naps) == 0, "times are not from the first begin"

one_run = lambda name, ranks: json.load(open(f"{sys.argv[1]}/{name}-{ranks}.json"))
for name, same in {"hotspot": ["sum", "first", "middle", "last"], "ep": ["sx", "sy", "counts"], "matmul": []}.items():
    alone = one_run(name, 1)
    for ranks in 3, 8:
        together = one_run(name, ranks)
        assert alone["verified"] and together["verified"] and together["ranks"] == ranks, (name, together)
        for told in alone, together: assert 0 <= told["home_seconds"] <= told["seconds"] and 0 <= told["job_seconds"] <= told["seconds"], told
        assert [alone[key] for key in same] == [together[key] for key in same], (name, alone, together)
row, rows = 100 * 4, one_run("hotspot", 3)["bytes_sent"] // (100 * 4)
assert rows == 6, "each step but the first a row to rank 1, and in the end nothing: " + str(rows)
for name in ["hotspot", "md"]:
    trace = json.load(open(f"{sys.argv[1]}/{name}-3.trace"))["traceEvents"]
    assert {event["args"]["name"] for event in trace if event["name"] == "process_name"} == {f"rank {rank} host:1" for rank in range(3)}
sums = ["pairs", "energy_lj", "energy_coulomb", "energy_kinetic", "temperature", "force_square_sum"]
by_s1, alone, together = one_run("md", "S1"), one_run("md", 1), one_run("md", 3)
assert [by_s1[key] for key in sums] == [alone[key] for key in sums] == [together[key] for key in sums], (by_s1, alone, together)
assert together["ranks"] == 3 and together["bytes_sent"] > 0 and together["solutions"][0]["rebuilds"] > 0, together
PYTHON
