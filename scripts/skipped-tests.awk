# SPDX-License-Identifier: Apache-2.0
# awk -f skipped-tests.awk CTEST_LOG LAST_TEST_LOG: how many tests were skipped for which reason, a line each, most first.
# CTEST_LOG is what `ctest -O` writes, which knows who was skipped; LAST_TEST_LOG has the tests' own words. A program of several
# tests may pass with some skipped.

FILENAME == ARGV[1] {
  if (/\*\*\*Skipped/) skipped[name_in($0)] = 1
  next
}
/^[0-9]+\/[0-9]+ Test: / { name = $3; said = ""; told = 0; inside = 0 }
/^<end of output>$/ {
  if ((name in skipped) && !told) ++count[said == "" ? name " does not say why" : said]
  inside = 0
}
inside {
  if (awaited) { ++count[$0 == "" ? name " does not say why" : $0]; told = 1 }
  awaited = /: Skipped$/
  if ($0 != "") said = $0
}
!inside && /^Output:$/ { getline; inside = 1; awaited = 0 }
END { for (reason in count) printf "%5d  %s\n", count[reason], reason | "sort -k1,1nr -k2" }

function name_in(line) {
  sub(/^.*Test +#[0-9]+: /, "", line)
  sub(/ .*/, "", line)
  return line
}
