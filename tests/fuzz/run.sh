#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh TARGET CORPUS: feeds TARGET mutated files of CORPUS for BALLAST_FUZZ_SECONDS (5). What it found new is lost, and a
# file that breaks it is printed in base64, to become one of the corpus.
set -euo pipefail
target=$1 corpus=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/found"
options=(-max_total_time="${BALLAST_FUZZ_SECONDS:-5}" -timeout=20 -rss_limit_mb=2048 -max_len=4096 -artifact_prefix="$scratch/")
"$target" "${options[@]}" -verbosity=0 "$scratch/found" "$corpus" && exit
for file in "$scratch"/*-*; do
  [[ -f $file ]] && printf '%s:\n' "${file##*/}" && base64 "$file"
done
exit 1
