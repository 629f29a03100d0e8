# SPDX-License-Identifier: Apache-2.0
# renamed.txt, tests.txt before, tests.txt after: fails if a test of before is neither there after nor renamed to one that is.
FNR == 1 { file++ }
file == 1 { if (!/^#/ && NF > 1) for (i = 2; i <= NF; i++) names[$1] = names[$1] " " $i; next }
file == 2 { before[$0]; count++; next }
{ after[$0]; total++ }
END {
  for (test in before) {
    if (test in after) continue
    if (is_renamed(test)) { renamed++; continue }
    print "lost: test " test
    lost++
  }
  for (test in after) if (!(test in before)) new++
  printf "tests: %d before, %d after, %d renamed, %d new, %d lost\n", count, total, renamed, new - renamed, lost
  exit lost > 0
}
# A name may have changed more than once.
function is_renamed(test, i, count, list) {
  if (test in after) return 1
  count = split(names[test], list, " ")
  for (i = 1; i <= count; i++) if (!is_renamed(list[i])) return 0
  return count > 0
}
