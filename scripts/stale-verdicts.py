#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stale-verdicts.py [PROGRAM]: passes if the code that each verdict of `ballast paper` on bench/results is about has not changed since
the records behind it were measured. PROGRAM is `ballast`, default build/host-release/ballast.

bench/stale_verdicts.tsv names the figures that may stand on older records, as "paper, figure, why" with tabs between: those of
devices that cannot be had now. A line that is not needed is an error."""

import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERDICTS = {"reproduced", "better than published", "gone on this hardware"}


def said_by(program, *words):
    return json.loads(subprocess.run([program, "paper", *words, "--json"], capture_output=True, text=True, check=True).stdout)


def stale_figures(program):
    """(paper, figure): what has changed since."""
    records = ROOT / "build/verdicts"  # within the checkout, whose history the program asks; pages are written there
    shutil.rmtree(records, ignore_errors=True)
    shutil.copytree(ROOT / "bench/results", records)
    stale = {}
    for paper in said_by(program):
        for figure in said_by(program, paper["name"], "--draw-only", "--results", records)["figures"]:
            if figure["verdict"] in VERDICTS and figure["changed_since"]:
                stale[paper["name"], figure["figure"]] = f"{figure['origin']}; {figure['changed_since']}"
    shutil.rmtree(records)
    return stale


def excepted_figures():
    lines = (ROOT / "bench/stale_verdicts.tsv").read_text().splitlines()
    return {tuple(line.split("\t")[:2]) for line in lines if line and not line.startswith("#")}


def main():
    stale = stale_figures(sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/host-release/ballast"))
    excepted = excepted_figures()
    faults = [f"{' '.join(one)} stands on old records: {why}" for one, why in stale.items() if one not in excepted]
    faults += [f"bench/stale_verdicts.tsv: {' '.join(one)} needs no exception" for one in sorted(excepted - stale.keys())]
    print("\n".join([*faults, f"{len(stale)} verdicts stand on records of older code, {len(faults)} faults"]))
    sys.exit(bool(faults))


main()
