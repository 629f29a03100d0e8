#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# skipped_tests.sh root ctest: passes if scripts/skipped-tests.awk counts what a run of ctest skipped, and tells the reasons.
set -euo pipefail
root=$1 ctest=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

gtest='set_tests_properties(%s PROPERTIES SKIP_REGULAR_EXPRESSION "\\\\[  SKIPPED \\\\]")\n'
script='set_tests_properties(%s PROPERTIES SKIP_RETURN_CODE 77)\n'
add() { printf 'add_test(%s bash "%s/%s")\n' "$1" "$scratch" "$1" >>CTestTestfile.cmake; cat >"$1"; printf "${2:-}" "$1" >>CTestTestfile.cmake; }
add passes <<<'echo fine'
add fails "$script" <<<'echo "a.cpp:1: Skipped of late"; exit 3'
for name in one other; do
  add $name "$gtest" <<<"printf '%s\n' a.cpp:7: 'b/c.cpp:42: Skipped' 'needs a GPU' '[  SKIPPED ] c.$name (0 ms)'"
done
add several <<<"printf '%s\n' 'b.cpp:4: Skipped' 'needs a GPU' '' 'b.cpp:9: Skipped' 'there is no gnuplot' '' 'Output:' '2 passed'"
add says_why "$script" <<<'echo looking; echo "there is no clang-format"; exit 77'
add wordless "$script" <<<'exit 77'

"$ctest" -j 2 -O log >/dev/null 2>&1 || true
awk -f "$root/scripts/skipped-tests.awk" log Testing/Temporary/LastTest.log >counted
diff --label expected --label counted -u - counted <<'END'
    3  needs a GPU
    1  there is no clang-format
    1  there is no gnuplot
    1  wordless does not say why
END
