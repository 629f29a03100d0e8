#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures two builds by turns on one device and says where the second is slower.

scripts/bench-gate.py BEFORE AFTER [ROW...]: folders of two builds with `ballast` and `ballast-bench`, and benchmarks of
`ballast bench list`, else those that show each room on one GPU. Each round runs every row with both, the other one first
each time. A series is worse (better) if its median is so by more than the threshold in every round, with quartiles apart,
as `ballast compare` says. Exits 1 if a series is worse or an answer was wrong. FOLDER/gate.json keeps all medians."""

import argparse
import collections
import json
import pathlib
import shutil
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


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("rows", nargs="*", default=ROWS, metavar="row")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--devices", default="cuda:0")
    parser.add_argument("--threshold", type=float, default=2, help="per cent")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/gate"))
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
    command = [chosen.after / "ballast", "compare", before, after, "--json", "--threshold", str(chosen.threshold)]
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


def main():
    chosen = options()
    shutil.rmtree(chosen.folder, ignore_errors=True)
    series = collections.defaultdict(lambda: {"before": [], "after": [], "is": []})
    wrong, start = [], time.monotonic()
    for number in range(1, chosen.rounds + 1):
        for row, result in one_round(number, chosen):
            if not (result["a"]["verified"] and result["b"]["verified"]):
                wrong.append(row)
            for one in result["series"]:
                entry = series[f"{row} {one['name']}"]
                entry["unit"] = one["unit"]
                entry["before"].append(one["a"]["median"])
                entry["after"].append(one["b"]["median"])
                entry["is"].append(one["outcome"])
    chosen.folder.mkdir(parents=True, exist_ok=True)
    (chosen.folder / "gate.json").write_text(json.dumps(series, indent=1) + "\n")
    verdicts = {word: [name for name, one in series.items() if set(one["is"]) == {word}] for word in ("worse", "better")}
    for word, names in verdicts.items():
        for name in names:
            print(f"{word}: {name}: {series[name]['before']} -> {series[name]['after']} {series[name]['unit']}")
    for row in sorted(set(wrong)):
        print(f"wrong: the answer of {row} was not verified")
    count = ", ".join(f"{len(names)} {word}" for word, names in verdicts.items())
    print(f"{len(series)} series of {len(chosen.rows)} rows, {chosen.rounds} rounds: {count}, {time.monotonic() - start:.0f} s")
    return 1 if verdicts["worse"] or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
