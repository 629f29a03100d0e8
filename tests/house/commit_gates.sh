#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# commit_gates.sh root: passes if commits.py takes what is right, and sees each wrong commit that is planted here.
set -euo pipefail
command -v git >/dev/null || { echo "there is no git"; exit 77; }
gate=$1/tests/house/commits.py
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_{AUTHOR,COMMITTER}_NAME=nobody GIT_{AUTHOR,COMMITTER}_EMAIL=nobody@example.org
unset GIT_DIR GIT_WORK_TREE
wrong=0

figures() { printf 'figure\trecorded\ttarget\nfiles\t%s\t3\n' "$1" >scripts/figures.tsv; }

# begin: a project of one commit with 5 files recorded.
begin() {
  rm -rf "$scratch/project"
  mkdir -p "$scratch/project/scripts"
  cd "$scratch/project"
  git init -q
  figures 5
  git add -A && git commit -qm x
}

# expect STATUS TEXT MESSAGE...: what commits.py says of a commit of all that was changed, with these paragraphs.
expect() {
  local said status=0 paragraph words=()
  for paragraph in "${@:3}"; do words+=(-m "$paragraph"); done
  git add -A && git commit -q --allow-empty "${words[@]}"
  said=$(python3 "$gate" . HEAD^) || status=$?
  ((status == $1)) && [[ $said == *"$2"* ]] && return
  echo "of '${*:3}' it must end with $1 and say '$2', but ends with $status: $said"
  wrong=1
}

begin
expect 0 "1 commits, 0 faults" "Say what changed" "And why."
expect 1 "it has no body that says why" "Say what changed"
expect 1 "fewer than three words: Format" "Format" "So that it looks well."
expect 1 "characters; at most 72" "Say what changed at a length that no list of commits shows whole in a window" "And why."
figures 4 && echo >code.cpp
expect 0 "0 faults" "Need one file less" "It had one user."
figures 6
expect 0 "0 faults" "Allow for two files more" "They bring what was asked for."
figures 7 && echo >>code.cpp
expect 1 "it makes files worse beside other changes" "Need one file more" "It was the easiest way."
((wrong == 0)) && echo "wrong commits are seen"
exit $wrong
