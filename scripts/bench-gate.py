#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures two builds by turns on one device and says where the second is slower.

scripts/bench-gate.py BEFORE AFTER [ROW...]: folders of two builds with `ballast` and `ballast-bench`, and benchmarks of
`ballast bench list`, else those that show each room on one GPU. Each round runs every row with both, the other one first
each time. A series is worse (better) if its median was so in every round, and by more than the threshold in the middle one:
a run's median depends on the cores that the system gives it, so that one round says little. Exits 1 if a series is worse or
an answer was wrong. FOLDER/gate.json keeps all medians."""

import argparse
import collections
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

ROWS = [
    "queue/round_trip",
    "queue/throughput",
    "queue/uneven_grids",
    "queue/trees",
    "pool/fibonacci",
    "pool/block_tree",
    "launch/chains",
    "launch/submit_cost",
    "launch/merging",
    "job/one_device",
    "job/empty_tasks",
    "md/sizes",
]


def cores(text):
    first, _, last = text.partition("-")
    return set(range(int(first), int(last or first) + 1))


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("rows", nargs="*", default=ROWS, metavar="row")
    parser.add_argument("--rounds", type=int, default=14)
    parser.add_argument("--devices", default="cuda:0")
    parser.add_argument("--threshold", type=float, default=2, help="per cent")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/gate"))
    parser.add_argument("--cores", type=cores, help="run on these alone, e.g. 0-7")
    parser.add_argument("--timeout", type=float, default=120, help="seconds of one run")
    chosen = parser.parse_args()
    if chosen.rounds < 1:
        parser.error(f"--rounds is {chosen.rounds}; legal is 1 and more")
    for build in (chosen.before, chosen.after):
        if not (build / "ballast-bench").is_file():
            parser.error(f"there is no {build}/ballast-bench")
    return chosen


def measure(build, row, chosen, results):
    """Runs a row and returns the record's file."""
    command = [build / "ballast-bench", row, "--quick", "--devices", chosen.devices, "--results", results]
    run = subprocess.run(command, capture_output=True, text=True, timeout=chosen.timeout)
    records = list(results.glob("*/" + row.replace("/", "-") + "-*.json"))
    if run.returncode != 0 or len(records) != 1:
        sys.exit(f"{' '.join(map(str, command))}: exit {run.returncode}, {len(records)} records\n{run.stderr[-2000:]}")
    return records[0]


def compare(before, after, chosen):
    command = [chosen.after / "ballast", "compare", before, after, "--json"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode not in (0, 3):
        sys.exit(f"{' '.join(map(str, command))}: exit {run.returncode}\n{run.stderr}")
    return json.loads(run.stdout)


def one_round(number, chosen):
    for row in chosen.rows:
        folder = chosen.folder / str(number) / row.replace("/", "-")
        sides = [("before", chosen.before), ("after", chosen.after)]
        files = {side: measure(build, row, chosen, folder / side) for side, build in sides[:: 1 if number % 2 else -1]}
        yield row, compare(files["before"], files["after"], chosen)


def more_is_worse(unit):
    """As `ballast compare` has it: of times less is better, of what is counted per time more. None: of neither."""
    times = ("s", "ms", "us", "ns", "cycles")
    what, _, per = unit.partition("/")
    return True if what in times else False if per in times else None


def verdict(one, threshold):
    """Worse or better only if it was so in every round, and by the threshold in the median."""
    sign = more_is_worse(one["unit"])
    if sign is None or not all(one["before"]) or not all(one["after"]):
        return "same"
    ratios = [after / before if sign else before / after for before, after in zip(one["before"], one["after"])]
    middle, margin = statistics.median(ratios), 1 + threshold / 100
    if min(ratios) > 1 and middle > margin:
        return "worse"
    if max(ratios) < 1 and middle < 1 / margin:
        return "better"
    return "same"


def measure_rounds(chosen):
    """Medians of every series, a pair for each round, and the rows with a wrong answer."""
    series, wrong = collections.defaultdict(lambda: {"before": [], "after": []}), set()
    for number in range(1, chosen.rounds + 1):
        for row, result in one_round(number, chosen):
            if not (result["a"]["verified"] and result["b"]["verified"]):
                wrong.add(row)
            for one in result["series"]:
                entry = series[f"{row} {one['name']}"]
                entry["unit"] = one["unit"]
                entry["before"].append(one["a"]["median"])
                entry["after"].append(one["b"]["median"])
    return series, wrong


def main():
    chosen = options()
    if chosen.cores:
        os.sched_setaffinity(0, chosen.cores)  # and so that of every run
    shutil.rmtree(chosen.folder, ignore_errors=True)
    start = time.monotonic()
    series, wrong = measure_rounds(chosen)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    (chosen.folder / "gate.json").write_text(json.dumps(series, indent=1) + "\n")
    found = {word: [] for word in ("worse", "better", "same")}
    for name, one in series.items():
        found[verdict(one, chosen.threshold)].append(name)
    for word in ("worse", "better"):
        for name in found[word]:
            one = series[name]
            print(f"{word}: {name}: {statistics.median(one['before']):.4g} -> {statistics.median(one['after']):.4g} {one['unit']}")
    for row in sorted(wrong):
        print(f"wrong: the answer of {row} was not verified")
    seconds = time.monotonic() - start
    by_chance = sum(more_is_worse(one["unit"]) is not None for one in series.values()) / 2**chosen.rounds
    print(
        f"{len(series)} series of {len(chosen.rows)} rows, {chosen.rounds} rounds: {len(found['worse'])} worse, "
        f"{len(found['better'])} better; at most {by_chance:.2g} of each by chance; {seconds:.0f} s"
    )
    return 1 if found["worse"] or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
