#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# mutation.sh SOURCES CXX: plants one error of each kind in a small program. While none is on the program prints what it printed
# before, each changes that, and a program from which all were removed is the old one. What changes nothing is not planted. What
# became of errors is counted rightly, and each room that can be named is there.
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

class account {
 public:
  void pay(int much) {
    if (much > 9) {
      std::puts("refused");
      return;
    }
    balance_ += much;
  }
  int balance() const { return balance_; }

 private:
  int balance_ = 0;
};

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
  account mine;
  mine.pay(9);
  std::printf("%d\n", mine.balance());
  mine.pay(50);
  std::printf("%d %d\n", total, mine.balance());
}
CPP
cp program.cpp before.cpp
"$compiler" -std=c++20 before.cpp -o before
python3 "$plant" 16 1 program.cpp >list
"$compiler" -std=c++20 -include "$sources/tests/mutation/mutant.hpp" program.cpp -o program

for kind in comparison and-or off-by-one negated-condition dropped-call swapped-order dropped-assignment dropped-return; do
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

# What changes nothing on cores is no error, and what looks much like it is one: its line, a swap's second one, says so.
cat >told.cpp <<'CPP'
void spared(WorkerGroup& worker_group, Words& words, Counts& best, int a, int b, int looks) {
  best.most = a < b ? a : b;  // dropped-assignment
  best.most = a > b ? a - b : 0;  // dropped-assignment
  best.most = a < b ? b : a + 2;  // comparison, dropped-assignment
  if (a > best.most) best.most = a;  // negated-condition, dropped-assignment
  if (a > best.most) best.most = b;  // comparison, negated-condition, dropped-assignment
  best.late = BALLAST_ON_GPU && a < b;  // and-or, dropped-assignment
  best.late = !BALLAST_ON_GPU && a < b;  // and-or, comparison, dropped-assignment
  worker_group.sync();
  worker_group.pause(looks);
  if (looks > 60) std::this_thread::yield();
  if (looks > 60) worker_group.leave();  // comparison, negated-condition
  word(words.first).store_relaxed(a);  // dropped-call
  word(words.second).store_relaxed(b);  // dropped-call
  word(words.second).add_relaxed(a);  // dropped-call, swapped-order
  word(words.third).add_relaxed(second);  // dropped-call, swapped-order
  word(words.third).store_release(1);  // dropped-call, swapped-order
  worker_group.sync();
  tasks.clear();  // dropped-call
  batches.clear();  // dropped-call
  batches.finish();  // dropped-call, swapped-order
  alignas(8) unsigned char bytes[sizeof(Words)];
  std::array<int, most + 1> all{looks + 1};  // off-by-one
  std::array<int, most - 1> fewer;
}

int counted(Counts& best, int a) {
  int most = a;
  most = 2;
  best.count() = most;  // dropped-assignment
  best->all[a].most += 2;  // dropped-assignment
  words_[a] = 2;  // dropped-assignment
  first.words[a] = 2;  // dropped-assignment
  ++count_;  // dropped-assignment
  --most;
  std::size_t const held_ = most;
  bool const same_ = best.most == a;  // comparison
  if (best.none) return 0;  // negated-condition, dropped-return
  if (best.none) {  // negated-condition
    most = 3;
    return 1;  // dropped-return
  }
  for (auto one : best)
    if (one) return 2;  // negated-condition, dropped-return
  for (auto one : best) {
    if (one) return 3;  // negated-condition, dropped-return
  }
  if (best.one &&
      best.two)
    return 4;  // dropped-return
  if (best.one)  // negated-condition
    return 5;
  else
    most = 6;
  auto const within = [&] {
    if (best.none) return 7;  // negated-condition
  };
  switch (most) {
    case 1:
      if (best.none) return 8;  // negated-condition
    default:
      return 9;
  }
  if (best.one) return 10;  // negated-condition
}
CPP
sed 's|  // .*||' told.cpp >spared.cpp
python3 - "$plant" spared.cpp <<'PY' >found
import importlib.util, sys
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("plant", sys.argv[1])
plant = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plant)
for _, line, operator, length, _ in plant.candidates([sys.argv[2]]):
    print(line + length, operator)
two_ways = ["struct one {", "  bool leaves() {", "#if BALLAST_ON_GPU", "    return false;", "#else", "    return asked();", "#endif"]
assert plant.function_at(two_ways, 5) == "leaves", plant.function_at(two_ways, 5)
PY
awk -F'  // ' 'NF == 2 { n = split($2, kinds, ", "); for (i = 1; i <= n; ++i) print NR, kinds[i] }' told.cpp >expected
diff <(sort expected) <(sort found) || { echo "above: line and kind of what should be planted (<) and of what would be (>)"; exit 1; }

mkdir pool queue
printf '%s\t%s\t%s\t%s\t%s\t  %s\n' survived a.cpp 12 f and-or code survived a.cpp 9 f and-or code survived a.cpp 7 f comparison code \
  "killed (time)" b.cpp 13 g comparison code "killed (x.y)" b.cpp 2 g comparison code "not tried" b.cpp 3 g comparison code \
  unreached b.cpp 1 h comparison code >pool/results.tsv
printf '%s\t%s\t%s\t%s\t%s\t  %s\n' "killed (status 134)" c.cpp 1 h off-by-one code >queue/results.tsv
python3 "$sources/tests/mutation/summary.py" pool queue/ >counted
diff - counted <<'TEXT' || { echo "above: what summary.py should say (<) and says (>)"; exit 1; }
room   operator    planted  unreached  not tried  tried  killed  by time  survived
pool   and-or            2          0          0      2       0        0         2
pool   comparison        5          1          1      3       2        1         1
pool   all               7          1          1      5       2        1         3
queue  off-by-one        1          0          0      1       1        0         0
queue  all               1          0          0      1       1        0         0
all    all               8          1          1      6       3        1         3

room  survivors  function  operator    lines
pool          2  f         and-or      a.cpp:9,12
pool          1  f         comparison  a.cpp:7

The time was over before 1 of 8 were tried.
TEXT

# Each room that can be named has sources.
rooms=$(bash "$sources/scripts/mutate.sh" --help | grep -oE "ROOM: [a-z ]+" | cut -d' ' -f2-)
[[ $rooms == "base queue pool launch job cluster" ]] || { echo "mutate.sh names the rooms '$rooms'"; exit 1; }
for room in $rooms; do
  [[ -n $(find "$sources/src/$room" -name "*.cpp") ]] || { echo "the room $room has no sources"; exit 1; }
done
said=$(bash "$sources/scripts/mutate.sh" cellar 2>&1) && { echo "mutate.sh takes the room cellar"; exit 1; }
[[ $said == *"there are $rooms, and all"* ]] || { echo "mutate.sh says of the room cellar: $said"; exit 1; }
