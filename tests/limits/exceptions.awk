# SPDX-License-Identifier: Apache-2.0
# exceptions.tsv, then a table of limits.sh: fails if a kernel cannot start on a chip and that is no exception, or if it is
# one and the kernel can. Kernel * of exceptions.tsv is all that have no room.

BEGIN { FS = "\t" }
/^#/ { next }
FNR == NR { reason[$1, $2, $3]; next }
FNR == 1 { next }
{ excepted = ($1, $2, $3) in reason }
$11 < 1 && !excepted && !(($1, "*", $3) in reason) {
  print $1 ": " $2 " has no room on an SM of " $3 ": " $4 " threads, " $5 " registers each, " $9 + $10 " bytes of shared memory"
  failed = 1
}
$11 >= 1 && excepted {
  print $1 ": " $2 " has room on an SM of " $3 ", and exceptions.tsv says that it has not"
  failed = 1
}
END { exit failed }
