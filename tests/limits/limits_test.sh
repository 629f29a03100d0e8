#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tests limits.sh with PTX and a ptxas that are made up.
set -euo pipefail
folder=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# pretend REGISTERS: a kernel of 256 threads and 1000 bytes of dynamic shared memory that calls a function which spills 8 bytes.
# Its PTX is for 7.5, and ptxas says how many registers it has.
pretend() {
  cat >"$scratch/ptx" <<'END'
.func _ZN4bookEv(
)
.visible .entry _ZN4workI4task13launched_withILj1000EEEEvv(
)
.maxntid 256, 1, 1
	call.uni 
	_ZN4bookEv, 
	(
END
  cat >"$scratch/ptxas" <<END
#!/bin/bash
grep -o 'sm_[0-9]*' <<<"\$*" >>"$scratch/made"
echo "ptxas info    : Function properties for _ZN4bookEv"
echo "    0 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads"
echo "ptxas info    : Function properties for _ZN4workI4task13launched_withILj1000EEEEvv"
echo "    4 bytes stack frame, 1 bytes spill stores, 2 bytes spill loads"
echo "ptxas info    : Used $1 registers, used 1 barriers, 4 bytes cumulative stack size, 24 bytes smem"
END
  chmod +x "$scratch/ptxas"
}

# Of which architectures ptxas made code.
made() { sort -u "$scratch/made" | tr '\n' ' '; }
limits() { bash "$scratch/limits/limits.sh" "$scratch/table" "$scratch/ptxas" a/list.cu 75="$scratch/ptx" >"$scratch/said" 2>&1; }
except() {
  for chip in 7.5 8.0 8.6 9.0 10.0 12.0; do printf 'a/list.cu\t%s\t%s\tas a test\n' "$1" $chip; done >"$scratch/limits/exceptions.tsv"
}
is() { "$@" || { echo "failed: $*"; cat "$scratch/said"; failed=1; }; }
not() { ! "$@"; }

cp -r "$folder" "$scratch/limits"
pretend 64
is limits
is grep -qP '^a/list.cu\twork<task>\t7.5\t256\t64\t9\t18\t4\t24\t1000\t4$' "$scratch/table"
is test "$(wc -l <"$scratch/table")" = 7

is test "$(made)" = "sm_75 "

is bash "$scratch/limits/limits.sh" "$scratch/table" "$scratch/ptxas" a/list.cu 75="$scratch/ptx" 90="$scratch/ptx"
is test "$(made)" = "sm_75 sm_90 "
is test "$(wc -l <"$scratch/table")" = 7

sed -i 's/256, 1, 1/256/' "$scratch/ptx" # as for 10.0
is limits
is grep -qP '^a/list.cu\twork<task>\t10.0\t256\t64\t' "$scratch/table"

pretend 257 # more than a kernel can have
is not limits
is grep -q 'work<task> has no room on an SM of 12.0' "$scratch/said"

except '*'
is limits
except 'work<task>'
is limits
pretend 64
is not limits
is grep -q 'has room on an SM of 7.5, and exceptions.tsv says' "$scratch/said"

: >"$scratch/ptx"
is not limits
exit $failed
