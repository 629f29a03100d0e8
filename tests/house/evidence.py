#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""evidence.py root [--leave | --pack | --cited]: passes if each record that a page names is there and is evidence by the rule of
bench/SCHEMA.md, and if bench/results holds nothing else but the newest record of each benchmark and machine that is evidence.

  --leave   prints the files that no page needs; `git rm` them in one commit
  --pack    writes records with nine digits of each sample, more than a clock resolves, and no spaces
  --cited   prints each file that a page names, and the pages

Pages are those of docs, README.md, CHANGELOG.md, bench/*.md, what bench/published.json says, and the rules of docs/results/figures.json.
tests/house/records_to_measure.tsv names records that are no evidence and stay until they have been measured again."""

import json
import pathlib
import re
import sys

import cited_records
import result_figures
from record_values import Fault, Record, why_no_evidence

TO_MEASURE = "tests/house/records_to_measure.tsv"
MOST_BYTES = 10_000_000
NAMES_OF_NOTES = ("notes.md",)


def pages_of(root):
    for name in ("README.md", "CHANGELOG.md", "bench/published.json"):
        if (root / name).exists():
            yield root / name
    yield from sorted((root / "bench").glob("*.md"))
    yield from sorted((root / "docs").rglob("*.md"))


def cited_by(root):
    """The files that pages name with the places, and the words that name none."""
    results, places, unresolved = root / "bench/results", {}, []
    there = cited_records.Files(results)
    for page in pages_of(root):
        found = cited_records.Citations(there, page.read_text())
        for file, line in found.files.items():
            places.setdefault(file, []).append(f"{page.relative_to(root)}:{line}")
        unresolved += [f"{page.relative_to(root)}:{line}: bench/results has no {word} on a machine named here" for line, word in found.unresolved]
    for page, rules in json.loads((root / result_figures.RULES).read_text()).items():
        for patterns in rules["records"].values():
            try:
                for file in result_figures.files_of(results, patterns):
                    places.setdefault(file, []).append(f"a rule of {page}")
            except Fault as fault:
                unresolved.append(f"a rule of {page}: {fault}")
    for file in list(places):  # a list of all that a page's file sums up has its name
        for beside in file.parent.glob(f"{file.name.split('.')[0]}.*"):
            places.setdefault(beside, places[file])
    return places, unresolved


def run_records(results):
    """The results of benchmarks, by file."""
    records = {file: Record(file).data for file in sorted(results.rglob("*.json"))}
    return {file: data for file, data in records.items() if data.get("schema") == "ballast-run/1"}


def newest_of(records):
    """Of each benchmark and machine the newest record that is evidence and no quick one."""
    newest = {}
    for file, data in records.items():
        if not why_no_evidence(data) and not data["parameters"].get("quick"):
            newest[file.parent.name, re.sub(r"-20\d{6}T\d+Z.*", "", file.name)] = file
    return set(newest.values())


def to_leave(root, places):
    results = root / "bench/results"
    needed = set(places) | newest_of(run_records(results))
    for file in sorted(path for path in results.rglob("*") if path.is_file()):
        notes = file.name in NAMES_OF_NOTES and any(other.parent == file.parent for other in needed)
        if file not in needed and not notes:
            yield file


def faults_of_evidence(root, places):
    excepted = set((root / TO_MEASURE).read_text().split()) if (root / TO_MEASURE).exists() else set()
    records = run_records(root / "bench/results")
    for file, where in sorted(places.items()):
        why = why_no_evidence(records[file]) if file in records else ""
        name = str(file.relative_to(root / "bench/results"))
        if why and name not in excepted:
            yield f"{', '.join(sorted(set(where)))}: {name} is no evidence: {why}"
        if why:
            excepted.discard(name)
    for name in sorted(excepted):
        yield f"{TO_MEASURE}: {name} needs no exception"


def faults_of_size(root, places):
    left = list(to_leave(root, places))
    if left:
        yield f"{len(left)} files of bench/results are named by no page and are not the newest of their kind, as {left[0].name}: evidence.py --leave"
    size = sum(file.stat().st_size for file in (root / "bench/results").rglob("*") if file.is_file())
    if size > MOST_BYTES:
        yield f"bench/results has {size / 1e6:.2f} MB; at most {MOST_BYTES / 1e6:.0f}"


def packed(data):
    """A record with a line for each member and each series."""
    def text(value):
        return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))

    members = [f'"{name}": {text(value)}' if name != "series" else '"series": [\n{}\n]'.format(",\n".join(
        json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in value)) for name, value in data.items()]
    return "{\n" + ",\n".join(members) + "\n}\n"


def nine_digits(value):
    if isinstance(value, dict):
        return {name: nine_digits(one) for name, one in value.items()}
    if isinstance(value, list):
        return [nine_digits(one) for one in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def pack(root):
    for file, data in run_records(root / "bench/results").items():
        text = packed({name: nine_digits(value) if name == "series" else value for name, value in data.items()})
        assert nine_digits(json.loads(text)) == nine_digits(data), file
        if len(text) < file.stat().st_size:
            file.write_text(text)


def main():
    root, mode = pathlib.Path(sys.argv[1]).resolve(), (sys.argv[2:] or [""])[0]
    places, unresolved = cited_by(root)
    if mode == "--leave":
        print("\n".join(str(file.relative_to(root)) for file in to_leave(root, places)))
        return 0
    if mode == "--cited":
        print("\n".join(f"{file.relative_to(root)}\t{', '.join(where)}" for file, where in sorted(places.items())))
        return 0
    if mode == "--pack":
        pack(root)
        return 0
    faults = [*unresolved, *faults_of_evidence(root, places), *faults_of_size(root, places)]
    size = sum(file.stat().st_size for file in (root / "bench/results").rglob("*") if file.is_file())
    print("\n".join([*faults, f"pages name {len(places)} files of bench/results, which has {size / 1e6:.2f} MB; {len(faults)} faults"]))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
