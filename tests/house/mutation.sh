#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# mutation.sh SOURCES CXX: plants one error of each kind in a small program. While none is on the program prints what it printed
# before, each changes that, and a program from which all were removed is the old one.
set -euo pipefail
sources=$1 compiler=$2
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
plant=$sources/tests/mutation/plant.py

cat >program.cpp <<'CPP'
#include <cstdio>

int total = 0;

void add(int much) { total += much; }
void triple(int) { total *= 3; }

bool both(bool a, bool b) {
  return a && b;
}

int main() {
  int const size = 4;
  add(size + 1);
  if (total == 5) total += 2;
  int count = 0;
  while (count < 3) ++count;
  for (int i = 0; i != count; ++i) std::printf("%d %d\n", i, both(i == 1, i == 2));
  for (int i = 0; i < 2; ++i) {
    add(1);
    triple(0);
  }
  add(3);
  triple(1);
  std::printf("%d\n", total);
}
CPP
cp program.cpp before.cpp
"$compiler" -std=c++20 before.cpp -o before
python3 "$plant" 9 1 program.cpp >list
"$compiler" -std=c++20 -include "$sources/tests/mutation/mutant.hpp" program.cpp -o program

for kind in comparison and-or off-by-one negated-condition dropped-call swapped-order; do
  cut -f5 list | grep -qx "$kind" || { echo "no error of the kind $kind was planted:"; cat list; exit 1; }
done
[[ $(BALLAST_MUTANTS_REACHED=reached ./program) == "$(./before)" ]] || { echo "the program is another before an error is on"; exit 1; }
for number in $(cut -f1 list); do
  grep -qx "$number" reached || { echo "error $number is not noted as reached"; exit 1; }
  said=$(BALLAST_MUTANT=$number timeout 10 ./program | head -n 1000) || said="another end"
  [[ $said != "$(./before)" ]] || { echo "error $number changes nothing:"; grep "^$number" list; exit 1; }
done
python3 "$plant" --remove list $(cut -f1 list)
cmp program.cpp before.cpp
