#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the site of the pages in build/docs, with a search and the reference of the API, and checks each link in it.
#   scripts/docs.sh [FOLDER]   open FOLDER/index.html; needs no network, neither to build nor to read
# `scripts/setup.sh docs` installs what this needs.
set -euo pipefail
cd "$(dirname "$0")/.."
site=$(realpath -m "${1:-build/docs}")

rm -rf "$site"
mkdir -p "$site"
{
  cat docs/Doxyfile
  printf '%s\n' "OUTPUT_DIRECTORY = \"$site\"" "HTML_OUTPUT = api" "GENERATE_XML = NO" "SOURCE_BROWSER = YES"
} | doxygen -
sphinx-build -q -j auto -W --keep-going -c docs -d "$site/.doctrees" . "$site"
rm -r "$site/.doctrees"
echo '<!doctype html><meta http-equiv="refresh" content="0; url=docs/README.html"><a href="docs/README.html">ballast</a>' >"$site/index.html"
python3 scripts/check-links.py "$site"
