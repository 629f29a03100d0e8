#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""evidence_gates.py root: passes if evidence.py passes pages whose records are evidence, finds each way in which a page names a record,
and sees each error planted here."""

import json
import pathlib
import subprocess
import sys
import tempfile

GOOD = {"schema": "ballast-run/1", "version": "0.2.0", "command": ["/somewhere/ballast-bench"], "source": {"commit": "0123456", "clean": True},
        "parameters": {"quick": False}, "series": [], "derived": {"speed": 1.5}, "answer": {"verified": True}}
FILES = {  # those of two machines, by how the page below names them
    "1x-gpu/queue-tasks-20260203T090500Z.json": "a path",
    "1x-gpu/queue-tasks-20260203T100500Z.json": "a stamp",
    "1x-gpu/queue-tasks-20260203T110500Z.json": "the end of a name",
    "1x-gpu/launch-8-connections-20260203T090500Z.json": "braces",
    "1x-gpu/launch-1-connections-20260203T090500Z.json": "braces",
    "1x-gpu/md-sizes-20260203T090500Z.json": "a name without .json and folder",
    "1x-gpu/pool-20260203T090500Z.json": "a link",
    "2-cores/md-sizes-20260204T090500Z.json": "a set",
    "2-cores/md-sizes-20260204T100500Z.json": "a set",
    "2-cores/notes-of-a-day.txt": "a text",
    "2-cores/job-20260203T090500Z.json": "a rule",
    "2-cores/device-20260203T090500Z.json": "the newest of its kind",
    "2-cores/notes.md": "notes",
}
PAGE = """# A page

`bench/results/1x-gpu/queue-tasks-20260203T090500Z.json`, then `T100500Z` and `...T110500Z.json`.

`launch-{1,8}-connections-2026*.json`; [two](../../bench/results/1x-gpu/pool-20260203T090500Z.json); `md-sizes-20260203T090500Z`.

Those of `bench/results/2-cores`: `md-sizes-20260204T*.json` and `notes-of-a-day.txt`.

Records have names like `queue-tasks-20260131T090500Z.json`, and speed is 1.50.
"""
RULES = {"docs/results/a.md": {"records": {"r": "2-cores/job-20260203T090500Z.json"}, "sentences": [["r", "speed is #", "derived('speed')"]]}}


def changed(**members):
    return json.dumps({**GOOD, **members})


PLANTED = {  # what a file of bench/results holds, and what must be said of it
    "unclean": (changed(source={"commit": "0123456", "clean": False}), "was built of changed files"),
    "of an unknown state": (changed(source={"commit": "0123456", "clean": None}), "was built of changed files"),
    "of no commit": (changed(source={"commit": "", "clean": True}), "of an unknown commit"),
    "not verified": (changed(answer={"verified": False}), "was not verified"),
    "renamed": (changed(command=["/somewhere/mini5"]), "is called 'mini5'"),
    "of version 0": (changed(version="0"), "of version 0"),
}
WRONG_PAGES = {
    "`queue-tasks-20260203T120500Z.json`": "bench/results has no queue-tasks-20260203T120500Z.json",
    "`bench/results/2-cores/pool-20260203T090500Z.json`": "bench/results has no bench/results/2-cores/pool-20260203T090500Z.json",
    "`bench/results/9x-gpu/md-sizes-20260203T090500Z.json`": "bench/results has no bench/results/9x-gpu/md-sizes-20260203T090500Z.json",
    "`queue-tasks-20260203T090500Z.json` and `T235959Z`": "bench/results has no T235959Z",
    "`gone-20260203T*.json`": "bench/results has no gone-20260203T*.json",
    "`job-{2026,2027}0203T090500Z.json`": "bench/results has no job-{2026,2027}0203T090500Z.json",
    "`md-sizes-2026020*.json`": "bench/results has no md-sizes-2026020*.json on a machine named here",
}


def write(root, page=PAGE, records=None, to_measure=""):
    for name in FILES:
        file = root / "bench/results" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text((records or {}).get(name, json.dumps(GOOD)))
    for file, text in {"docs/results/a.md": page, "docs/results/figures.json": json.dumps(RULES), "README.md": "",
                       "tests/house/records_to_measure.tsv": to_measure}.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text)


def said_by(script, root, *mode):
    """Its exit code and what it printed, or None and how it ended if it did not by itself."""
    ended = subprocess.run([sys.executable, script, root, *mode], capture_output=True, text=True, timeout=60)
    return (None if ended.stderr else ended.returncode), ended.stdout + ended.stderr


def must_say(script, root, what, *answers):
    code, said = said_by(script, root)
    for answer in answers:
        if code != 1 or answer not in said:
            yield f"it must say \"{answer}\" of {what}, but says: {said}"


def faults_of_pages(script, root):
    write(root)
    for expected, *mode in ((f"pages name {len(FILES) - 2} files",), ("\n", "--leave")):
        code, said = said_by(script, root, *mode)
        if code != 0 or not said.startswith(expected):
            yield f"pages that are right: {said}"
    for planted, answer in WRONG_PAGES.items():
        write(root, page=f"{PAGE}\n{planted}\n")
        yield from must_say(script, root, planted, answer)
    write(root, page=PAGE.replace("`T100500Z` and ", ""))
    yield from must_say(script, root, "a record without a page", "1 files of bench/results are named by no page")
    if said_by(script, root, "--leave")[1] != "bench/results/1x-gpu/queue-tasks-20260203T100500Z.json\n":
        yield "--leave must print the record without a page"


def faults_of_records(script, root):
    names = [name for name, named in FILES.items() if name.endswith(".json") and named != "the newest of its kind"]
    for kind, (record, answer) in PLANTED.items():
        write(root, records={name: record for name in names})
        yield from must_say(script, root, f"records that are {kind}", answer, *(f"{name} is no evidence: " for name in names))
    name = "1x-gpu/pool-20260203T090500Z.json"
    write(root, records={name: PLANTED["unclean"][0]}, to_measure=f"{name}\n")
    if said_by(script, root)[0] != 0:
        yield "a record that is to be measured again must pass"
    write(root, to_measure=f"{name}\n")
    yield from must_say(script, root, "an exception without need", f"{name} needs no exception")
    write(root, records={"2-cores/notes-of-a-day.txt": "x" * 10_000_000})
    yield from must_say(script, root, "a large text", "at most 10")


def faults_of_packing(script, root):
    name = "1x-gpu/pool-20260203T090500Z.json"
    write(root, records={name: json.dumps({**GOOD, "series": [{"samples": [0.1 + 0.2, 1.23456789012, 3]}]}, indent=8)})
    said_by(script, root, "--pack")
    after = (root / "bench/results" / name).read_text()
    if json.loads(after)["series"][0]["samples"] != [0.3, 1.23456789, 3] or "        " in after:
        yield f"--pack made this: {after}"


def main():
    script = pathlib.Path(sys.argv[1]).resolve() / "tests/house/evidence.py"
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch).resolve()
        faults = [*faults_of_pages(script, root), *faults_of_records(script, root), *faults_of_packing(script, root)]
    print("\n".join(faults) or f"{len(WRONG_PAGES)} wrong citations and {len(PLANTED)} kinds of records that are no evidence are seen")
    sys.exit(bool(faults))


main()
