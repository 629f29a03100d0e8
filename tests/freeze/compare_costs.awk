# SPDX-License-Identifier: Apache-2.0
# gone.tsv, costs.txt before, costs.txt after: fails where a count of instructions differs by more than 1 %.
FNR == 1 { file++ }
file == 1 { next }
file == 2 { before[$1] = $2; next }
{
  if (!($1 in before)) { print "new: cost of " $1; next }
  share = $2 / before[$1] - 1
  printf "cost of %s: %.1f instructions, %.1f before, %+.2f %%\n", $1, $2, before[$1], 100 * share
  if (share > 0.01 || share < -0.01) failed = 1
  seen[$1]
}
END {
  for (name in before) if (!(name in seen)) { print "lost: cost of " name; failed = 1 }
  exit failed
}
