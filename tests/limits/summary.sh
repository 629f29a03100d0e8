#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# summary.sh folder: prints, as a table of markdown, the tables that limits.sh has written there for the rooms' and the
# applications' lists: of each kernel and chip registers, bytes of spill stores, and blocks that an SM holds.
set -euo pipefail

cat "$1"/*.tsv | awk -F '\t' '
  $1 !~ /^tests\/[a-z]+\/[a-z_]+\.cu$/ && $1 !~ /^apps\/[a-z0-9]+\/[a-z_]+\.cu$/ || /plain/ { next }
  !($3 in chips) { chips[$3] = ++chip_count; name_of[chip_count] = $3 }
  { kernel = $1 "\t" $2 }
  !(kernel in kernels) { kernels[kernel]; order[++kernel_count] = kernel }
  { cell[kernel, $3] = $5 " / " $6 " / " $11 }
  END {
    head = "| list | kernel |"
    line = "|---|---|"
    for (i = 1; i <= chip_count; i++) { head = head " " name_of[i] " |"; line = line "---|" }
    print head
    print line
    for (k = 1; k <= kernel_count; k++) {
      split(order[k], words, "\t")
      row = "| " (words[1] == before ? "" : words[1] " ") "| `" words[2] "` |"
      before = words[1]
      for (i = 1; i <= chip_count; i++) row = row " " cell[order[k], name_of[i]] " |"
      print row
    }
  }'
