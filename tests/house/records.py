#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""records.py root: passes if the records of benchmarks in bench/results are as bench/record.schema.json says. Exits 77 without the
Debian package python3-jsonschema, and 1 under CI."""

import json
import os
import pathlib
import sys

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
    wrong = seen = 0
    for file in sorted((bench / "results").rglob("*.json")):
        record = json.loads(file.read_text())
        if record.get("schema") != "ballast-run/1":
            continue
        seen += 1
        for fault in validator.iter_errors(record):
            wrong += 1
            print(f"{file.relative_to(bench)}: {'.'.join(map(str, fault.absolute_path))}: {fault.message[:200]}")
    if seen < 300:
        print(f"only {seen} records were found")
    print(f"{seen} records, {wrong} faults")
    sys.exit(wrong > 0 or seen < 300)


main()
