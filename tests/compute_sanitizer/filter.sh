#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# filter.sh LIST ROOM TOOL: the gtest filter of the room's tests that TOOL of compute-sanitizer runs, by LIST (left_out.tsv).
set -euo pipefail
awk -F '\t' -v room="$2" -v tool="$3" '
  # A test has its name, and with parameters or types: instance/suite.test/parameter, suite.test/parameter, suite/type.test.
  function patterns(test,   parts) {
    if (test ~ /\//) return test
    split(test, parts, ".")
    return test ":" test "/*:*/" test "/*:" parts[1] "/*." parts[2]
  }
  /^#/ || $2 != room { next }
  $1 == "only" { run = run (run == "" ? "" : ":") patterns($3) }
  $1 == "both" || $1 == tool { left = left (left == "" ? "" : ":") patterns($3) }
  END { print (run == "" ? "*" : run) (left == "" ? "" : "-" left) }' "$1"
