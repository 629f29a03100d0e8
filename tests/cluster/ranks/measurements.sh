#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# measurements.sh folder: what the program ballast-cluster in that folder measures, in short runs, and what its records have.
set -euo pipefail
timeout_s=150
source "${BASH_SOURCE%/*}/on_ranks.sh"

on_ranks 2 "$1/ballast-cluster" --devices host:1 --quick --results "$out"
on_ranks 3 --enable-recovery "$1/ballast-cluster" losses --devices host:1 --lost-after 3 --results "$out"

python3 - "$out" <<'PYTHON'
import glob, json, sys

def record(name):
    (path,) = glob.glob(f"{sys.argv[1]}/*/{name}-*.json")
    found = json.load(open(path))
    assert found["schema"] == "ballast-run/1" and found["answer"]["verified"], found["answer"]
    return found, {series["name"]: series["samples"] for series in found["series"]}

ranks, series = record("cluster-ranks")
tasks = ["tasks of 40 bytes", "tasks of 4000 bytes"]
latencies = ["question, answer and two threads to wake, by MPI", "question of an idle rank until its task begins", "answer to it until its task begins"]
grains = [f"shortest naps at half of the time, {how}@2" for how in ("apart", "in line with their neighbours")]
rates = ["never", "each second", "each 10 ms"]
names = [f"{of}, {where}" for of in tasks for where in ("balanced_queue", "handed to other ranks")] + latencies + grains
names += [f"{of}, heartbeats {often}" for of in ("CPU time of the thread of messages", "a look for messages") for often in rates]
names += ["round trip of an empty task, other rank", "stream of 64 KiB messages, one way", "checks of heartbeats in a look@2", "checks of heartbeats in a look@1024"]
reads = [f"what other ranks{of} wrote, read on rank 0" for of in ("", "' devices")]
streams = [f"stream of a rank's bytes in messages of {kib} KiB, one way" for kib in (64, 1024)]
names += reads + streams
missing = [name for name in names if name not in series or min(series[name]) <= 0]
assert not missing, f"no positive samples of {missing} among {sorted(series)}"
derived = [f"{of}: {what}" for of in tasks for what in ("bytes from rank 0 per task", "bytes of all messages per task", "part of balanced_queue", "part of the stream")]
derived += [f"{of}: {part}, us" for of in latencies for part in ("p50", "p99")] + ["heartbeats each second, by those each 10 ms: part of a core"]
derived += [f"{read}: part of the {stream}" for read in reads for stream in streams]
missing = [name for name in derived if name not in ranks["derived"]]
assert not missing, f"no {missing} among {sorted(ranks['derived'])}"
bytes_of_task = ranks["derived"]["tasks of 40 bytes: bytes from rank 0 per task"]
assert bytes_of_task >= 48, f"a task is 48 bytes, of which rank 0 has sent {bytes_of_task}"

losses, series = record("cluster-losses")
assert losses["parameters"]["lost_after_ms"] == 3000, losses["parameters"]
assert len(series["from the kill of a rank to rank_lost"]) == 2, series
PYTHON
