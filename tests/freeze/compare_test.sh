#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# compare_test.sh root: passes if what scripts/freeze.sh compares by sees what is lost, and what was said to go and did not.
set -euo pipefail
freeze=$1/tests/freeze
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
wrong=0

# expect STATUS TEXT PART: the comparison of PART of before and after, with gone.tsv, ends and says so.
expect() {
  local said status=0
  said=$(awk -f "$freeze/compare_$3.awk" gone.tsv before after) || status=$?
  ((status == $1)) && [[ $said == *"$2"* ]] && return
  echo "of $3 it must end with $1 and say '$2', but ends with $status: $said"
  wrong=1
}

header='# kind, name, commit'
printf '%s\n' "$header" >gone.tsv
printf '%s\n' a.b a.c 'a.d<int>' 'a.d<float>' >before
printf '%s\n' a.b a.c 'a.d<0>' 'a.d<1>' a.e >after
expect 0 "4 before, 5 after, 0 gone, 1 new, 0 faults" tests
printf '%s\n' a.b 'a.d<int>' >after
expect 1 "lost: test a.c" tests
expect 1 "lost: test a.d" tests
printf '%s\n' "$header" $'test\ta.c\t1234567' $'test\ta.d\t1234567' >gone.tsv
expect 1 "not gone: test a.d" tests
printf '%s\n' a.b >after
expect 0 "0 faults" tests

printf '%s\n' "$header" >gone.tsv
printf 'list\ttext\t%s\n' $'64\tabc\tf' $'32\tdef\tg' >before
printf 'other\ttext\t%s\n' $'64\tabc\tf2' $'32\tdef\tg' >after
expect 0 "0 sections gone, 0 new" kernels
printf 'list\ttext\t%s\n' $'64\tabc\tf' >after
expect 1 "gone: text of 32 bytes, list: g" kernels
printf '%s\n' "$header" $'kernel\tg\t1234567' >gone.tsv
expect 0 "0 sections gone" kernels
cp before after
expect 1 "not gone: kernel g" kernels
((wrong == 0)) && echo "what is lost is seen"
exit $wrong
