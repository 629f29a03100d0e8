# SPDX-License-Identifier: Apache-2.0
# renamed.txt, tests.txt before, tests.txt after: fails if a test of before is neither there after nor renamed to one that is, or
# is there for fewer types than before. What types are called is not compared.
{ test = $0; sub(/<.*/, "", test) }
FNR == 1 { file++ }
file == 1 { if (!/^#/ && NF > 1) for (i = 2; i <= NF; i++) names[$1] = names[$1] " " $i; next }
file == 2 { before[test]++; count++; next }
{ after[test]++; total++ }
END {
  for (test in before) {
    if (after[test] >= before[test]) continue
    if (is_renamed(test, before[test])) { renamed += before[test]; continue }
    print "lost: test " test
    lost++
  }
  for (test in after) new += test in before ? 0 : after[test]
  printf "tests: %d before, %d after, %d renamed, %d new, %d lost\n", count, total, renamed, new - renamed, lost
  exit lost > 0
}
# A name may have changed more than once.
function is_renamed(test, types, i, count, list) {
  if (after[test] >= types) return 1
  count = split(names[test], list, " ")
  for (i = 1; i <= count; i++) if (!is_renamed(list[i], types)) return 0
  return count > 0
}
