#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""records.py root: passes if the records of benchmarks in bench/results are as bench/record.schema.json says, and those that pages cite
are among them. Exits 77 without the Debian package python3-jsonschema, and 1 under CI."""

import json
import os
import pathlib
import sys

import evidence

try:
    import jsonschema
except ImportError:
    print("jsonschema was not found (Debian package python3-jsonschema)")
    sys.exit(1 if os.environ.get("CI") == "true" else 77)


def main():
    bench = pathlib.Path(sys.argv[1]).resolve() / "bench"
    schema = json.loads((bench / "record.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    wrong, seen = 0, set()
    for file in sorted((bench / "results").rglob("*.json")):
        record = json.loads(file.read_text())
        if record.get("schema") != "ballast-run/1":
            continue
        seen.add(file)
        for fault in validator.iter_errors(record):
            wrong += 1
            print(f"{file.relative_to(bench)}: {'.'.join(map(str, fault.absolute_path))}: {fault.message[:200]}")
    cited, unresolved = evidence.cited_by(bench.parent)
    wanted = {file for file in cited if file.suffix == ".json" and json.loads(file.read_text()).get("schema") == "ballast-run/1"}
    missing = [*unresolved, *(f"{file} is cited and was not looked at" for file in wanted - seen)]
    print("\n".join([*missing, f"{len(seen)} records, of which pages cite {len(wanted)}, {wrong} faults"]))
    sys.exit(wrong > 0 or bool(missing) or not wanted)


main()
