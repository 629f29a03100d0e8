#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# documented_headers.sh root folder: passes if doxygen finds everything that users may name in the public headers documented,
# and nothing wrong with how. The reference is then in folder/html. Without doxygen there is nothing to test.
set -euo pipefail
if ! command -v doxygen >/dev/null; then
  echo "doxygen was not found (Debian package doxygen)"
  [[ ${CI:-} == true ]] && exit 1
  exit 77
fi
cd "$1"
mkdir -p "$2"
{ cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = \"$2\""; } | doxygen - || { echo "docs/Doxyfile has the settings"; exit 1; }
pages=("$2"/xml/*.xml)
((${#pages[@]} >= 100)) || { echo "doxygen has seen only ${#pages[@]} classes, files and namespaces"; exit 1; }
echo "the public headers are documented: ${#pages[@]} classes, files and namespaces"
