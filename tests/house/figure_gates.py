#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""figure_gates.py root: passes if result_figures.py passes a page that is as its records say, and sees each error planted here."""

import json
import pathlib
import subprocess
import sys
import tempfile

PAGE = """# A page

Measured on 2026-01-31, the queue is **1.50** times as fast, 12 400 tasks [11 900, 12 800].

| tasks | 1 | 8 |
|---|---|---|
| queue, `fast` | 0.25 / 0.51 ms | 1.24 / 2.5 ms |
| a launch | 2.00 | - |
"""
RULES = {"docs/results/a.md": {
    "records": {"r": "one/queue-20260131T0*.json", "both": "one/queue-{2026,2027}0131T0*.json"},
    "tables": [{"table": "tasks", "of": "both", "rows": {"queue, fast": "queue"}, "columns": [1, 8], "cell": "median('{row}', {column}) * 1e3"},
               {"table": "tasks", "rows": {"a launch": 0}, "columns": {"1": 1}, "cell": "median('launch', {column}) * 1e3"}],
    "sentences": [["r", "the queue is **#** times as fast, # tasks [#, #]", "derived('speed')", "median('tasks') ~3", "lower('tasks') ~3", "upper('tasks') ~3"]]}}
PLANTED = {  # what stands on the page, what is planted in its place, and what must be said of it
    ("0.51 ms", "0.53 ms"): "the page has 0.53, the record 0.514",
    ("**1.50**", "**1.51**"): "the page has 1.51, the record 1.5",
    ("[11 900", "[11 800"): "the page has 11800, the record 11949",
    ("| 2.00 |", "| 2.01 |"): "the page has 2.01, the record 2",
    ("0.25 / 0.51", "0.25"): "1 numbers on the page, 2 by the rule",
    ("`fast`", "`slow`"): "0 rows 'queue, fast'",
    ("is **1.50** times", "is **1.50** times or 7 times"): "0 times 'the queue is",
    ("# A page\n", "# A page\n\nIt takes 9.87 s.\n"): "1 numbers have no rule",
}
WRONG_RULES = {  # what stands in the rules, what is planted in its place, and what must be said of it
    ("median('launch'", "median('lunch'"): "has no series 'lunch' at 1",
    ("{2026,2027}", "{2026,2028}"): "bench/results has no one/queue-20280131T0*.json",
    ("derived('speed')", "derived('speeds')"): "derives no 'speeds'",
    ("median('tasks') ~3", "median('launch', 1) ~3"): "the page has 12400, the record 0.002",
    ("derived('speed')", "__import__('os')"): "there is no function '__import__'",
    ('"a launch"', '"no launch"'): "0 rows 'no launch'",
    ('"columns": {"1": 1}', '"columns": {"2": 1}'): "no columns ['2']",
    ('"columns": [1, 8]', '"columns": [1, 8, 9]'): "has no column 3",
    ('"tasks", "of"', '"jobs", "of"'): "0 tables 'jobs'",
    ("docs/results/a.md", "docs/results/b.md"): "there is no page docs/results/b.md",
}


def series(curve, x, value, spread=0.0):
    return {"name": curve if x is None else f"{curve}@{x}", "curve": "" if x is None else curve, "x": x, "unit": "s",
            "summary": {"count": 3, "min": value, "lower_quartile": value - spread, "median": value, "upper_quartile": value + spread, "max": value}}


def record(scale):
    return {"schema": "ballast-run/1", "derived": {"speed": 1.5}, "series": [
        series("queue", 1, 0.000251 * scale), series("queue", 8, 0.001238 * scale), series("launch", 1, 0.002), series("tasks", None, 12351, 402)]}


def write(root, page=PAGE, rules=json.dumps(RULES)):
    for folder in ("docs/results", "bench/results/one"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "README.md").write_text("# A project\n")
    (root / "docs/results/a.md").write_text(page)
    (root / "docs/results/figures.json").write_text(rules)
    (root / "bench/results/one/queue-20260131T090500Z.json").write_text(json.dumps(record(1)))
    (root / "bench/results/one/queue-20270131T090500Z.json").write_text(json.dumps(record(2.048)))


def said_by(script, root, *mode):
    """Its exit code and what it printed, or None and how it ended if it did not by itself."""
    ended = subprocess.run([sys.executable, script, root, *mode], capture_output=True, text=True, timeout=60)
    return (None if ended.stderr else ended.returncode), ended.stdout + ended.stderr


def faults_of_planting(script, root):
    write(root)
    right = said_by(script, root)
    if right[0] != 0:
        yield f"a page that is right fails: {right[1]}"
    for kind, errors in (("page", PLANTED), ("rules", WRONG_RULES)):
        for (before, after), answer in errors.items():
            whole = PAGE if kind == "page" else json.dumps(RULES)
            assert before in whole, before
            write(root, **{kind: whole.replace(before, after)})
            code, said = said_by(script, root)
            if code != 1 or answer not in said:
                yield f"it must say \"{answer}\" of {after!r}, but says: {said}"


def faults_of_writing(script, root):
    """What --write puts in place of wrong numbers is what stood there."""
    write(root, page=PAGE.replace("0.51 ms", "0.77 ms").replace("**1.50**", "**9.99**").replace("12 400", "54 300"))
    said_by(script, root, "--write")
    if (root / "docs/results/a.md").read_text() != PAGE:
        yield f"--write made this of the page: {(root / 'docs/results/a.md').read_text()}"


def main():
    script = pathlib.Path(sys.argv[1]).resolve() / "tests/house/result_figures.py"
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch).resolve()
        faults = [*faults_of_planting(script, root), *faults_of_writing(script, root)]
    print("\n".join(faults) or f"{len(PLANTED) + len(WRONG_RULES)} planted errors of figures are seen")
    sys.exit(bool(faults))


main()
