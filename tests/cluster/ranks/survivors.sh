#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# survivors.sh program ranks filter: as mpirun.sh, of a test in which the last rank is lost: passes if all others say that they
# have passed.
set -uo pipefail
output=$(bash "${BASH_SOURCE%/*}/mpirun.sh" "$1" "$2" "$3" --enable-recovery 2>&1)
status=$?
rm -f "${TMPDIR:-/tmp}"/ballast_hung_rank_*
echo "$output"
((status == 77)) && exit 77
passed=$(grep -c '^a survivor has passed$' <<<"$output")
((passed == $2 - 1)) || { echo "$passed of $(($2 - 1)) survivors have passed"; exit 1; }
