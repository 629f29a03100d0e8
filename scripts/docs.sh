#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the site of the pages in build/docs, with a search and the reference of the API, and checks each link in it.
# Open build/docs/index.html. Needs no network, neither to build nor to read; `scripts/setup.sh docs` installs what it needs.
set -euo pipefail
cd "$(dirname "$0")/.."
site=$PWD/build/docs

# lead FILE PAGE: opens PAGE in place of FILE.
lead() { echo "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url=$2\"><a href=\"$2\">ballast</a>" >"$1"; }

rm -rf "$site"
mkdir -p "$site"
{
  cat docs/Doxyfile
  printf '%s\n' "OUTPUT_DIRECTORY = \"$site\"" "HTML_OUTPUT = api" "GENERATE_XML = NO" "SOURCE_BROWSER = YES"
} | doxygen -
sphinx-build -q -j auto -W --keep-going -c docs -d "$site/.doctrees" . "$site"
rm -r "$site/.doctrees"
lead "$site/index.html" docs/README.html
lead "$site/api/index.html" ../docs/README.html # the main page of doxygen is empty
python3 scripts/check-links.py "$site"
