#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bench_gate.sh root python: passes if scripts/bench-gate.py finds a build that is slower, and no other, with programs that are
# made up: a benchmark that "measures" what the build's file says, and what compares two records.
set -euo pipefail
gate=$1/scripts/bench-gate.py python=$2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for build in fast slow wrong; do
  mkdir "$scratch/$build"
  cat >"$scratch/$build/ballast-bench" <<'END'
#!/bin/bash
mkdir -p "$6/machine"
cp "$(dirname "$0")/measured" "$6/machine/${1/\//-}-now.json"
END
  cat >"$scratch/$build/ballast" <<'END'
#!/bin/bash
read -r before rest <"$2"; read -r after verified <"$3"
echo '{"a": {"verified": true}, "b": {"verified": '"$verified"'}, "series": [
  {"name": "time", "unit": "s", "a": {"median": '"$before"'}, "b": {"median": '"$after"'}},
  {"name": "rate", "unit": "tasks/s", "a": {"median": '"$before"'}, "b": {"median": '"$after"'}},
  {"name": "share", "unit": "1", "a": {"median": '"$before"'}, "b": {"median": '"$after"'}}]}'
END
  chmod +x "$scratch/$build"/ballast*
done
echo 1.00 true >"$scratch/fast/measured"
echo 1.05 true >"$scratch/slow/measured"
echo 1.00 false >"$scratch/wrong/measured"

# expects STATUS TEXT BEFORE AFTER
expects() {
  local status=0 said
  said=$("$python" "$gate" "$scratch/$3" "$scratch/$4" queue/row --rounds 4 --folder "$scratch/gate") || status=$?
  [[ $status == "$1" && $said == *"$2"* ]] || { echo "from $3 to $4: exit $status, expected $1 and '$2': $said"; exit 1; }
}
expects 0 "0 worse, 0 better" fast fast
expects 1 "worse: queue/row time: 1 -> 1.05 s" fast slow
expects 1 "better: queue/row rate: 1 -> 1.05 tasks/s" fast slow
expects 1 "1 worse, 1 better" slow fast
expects 1 "wrong: the answer of queue/row was not verified" fast wrong
echo "bench-gate.py tells builds apart"
