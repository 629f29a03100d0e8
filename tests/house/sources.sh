# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests beside it: read_sources ROOT PATTERN... sets `files` to the files of the project, relative to ROOT: what
# git tracks or would track, or in a tree without git everything outside build. What mesicc has printed is left out.

read_sources() {
  mapfile -d '' -t files < <(list_sources "$@")
  wait $! || { echo "the files of $1 cannot be listed"; exit 1; }
  ((${#files[@]} > 0)) || { echo "no sources found in $1"; exit 1; }
}

# Names end with a 0, as a name may hold anything else.
list_sources() {
  local file
  list_all_files "$@" | while IFS= read -r -d '' file; do
    if [[ -f $1/$file && $file != tests/mesicc/golden/*.cu ]]; then printf '%s\0' "$file"; fi
  done
}

list_all_files() {
  local root=$1
  shift
  if git -C "$root" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git -C "$root" ls-files -z --cached --others --exclude-standard -- "$@"
    return
  fi
  local names=() pattern
  for pattern in "$@"; do names+=(-o -name "$pattern"); done
  (cd "$root" && find . -path ./build -prune -o \( "${names[@]:1}" \) -type f -print0 | sed -z 's|^\./||')
}
