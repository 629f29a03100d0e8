# SPDX-License-Identifier: Apache-2.0
# gone.tsv, tests.txt before, tests.txt after: fails if a test of before is not there after, or for fewer types, and gone.tsv does
# not name it; or if gone.tsv names one that is there. What types are called is not compared.
FNR == 1 { file++ }
file == 1 { split($0, part, "\t"); if (part[1] == "test") gone[part[2]]; next }
{ test = $0; sub(/<.*/, "", test) }
file == 2 { before[test]++; count++; next }
{ after[test]++; total++ }
END {
  for (test in before) {
    if (after[test] >= before[test]) continue
    if (test in gone) { went += before[test]; continue }
    print "lost: test " test
    lost++
  }
  for (test in gone) if (after[test] > 0) { print "not gone: test " test; lost++ }
  for (test in after) new += test in before ? 0 : after[test]
  printf "tests: %d before, %d after, %d gone, %d new, %d faults\n", count, total, went, new, lost
  exit lost > 0
}
