# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests beside it: list_sources ROOT PATTERN... prints the files of the project, one a line,
# relative to ROOT: what git tracks or would track, or in a tree without git everything outside build. What mesicc has
# printed is left out.

list_sources() { list_all_files "$@" | grep -v '^tests/mesicc/golden/.*\.cu$' || true; }

list_all_files() {
  local root=$1
  shift
  if git -C "$root" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    (cd "$root" && git ls-files --cached --others --exclude-standard -- "$@" | while IFS= read -r file; do
      [[ -f $file ]] && echo "$file"
    done) || true
    return
  fi
  local names=() pattern
  for pattern in "$@"; do names+=(-o -name "$pattern"); done
  (cd "$root" && find . -path ./build -prune -o \( "${names[@]:1}" \) -type f -print | sed 's|^\./||')
}
