#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# installed_paths.sh root build-folder cmake: installs into a new folder and searches all files, libraries and programs too,
# for the names of the folders that they come from.
set -euo pipefail
root=$1 build=$2 cmake=$3

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$cmake" --install "$build" --prefix "$scratch/prefix" >/dev/null
status=0
grep -rlaF -e "$root/" -e "$build" "$scratch/prefix" || status=$?
case $status in
  0) echo "these files name $root or $build"; exit 1 ;;
  1) ;;
  *) echo "grep could not look for $root and $build"; exit 1 ;;
esac
