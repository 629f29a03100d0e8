# SPDX-License-Identifier: Apache-2.0
# renamed.txt, kernels.tsv before, kernels.tsv after: fails unless each section of before is there after, bit for bit, and no
# other; what it is called, and in what list it lies, may change.
BEGIN { FS = "\t" }
FNR == 1 { file++ }
file == 1 { next }
{ key = $2 "\t" $3 "\t" $4; kind[$2] }
file == 2 { before[key]++; count[$2]++; shown[key] = $1 ": " $5 }
file == 3 { after[key]++; total[$2]++; if (!(key in shown)) shown[key] = $1 ": " $5 }
END {
  for (key in before) tell("gone", key, before[key] - after[key])
  for (key in after) tell("new", key, after[key] - before[key])
  for (name in kind) printf "%s: %d before, %d after\n", name, count[name], total[name]
  printf "kernels: %d sections gone, %d new\n", gone["gone"], gone["new"]
  exit gone["gone"] + gone["new"] > 0
}
function tell(word, key, times, parts) {
  if (times <= 0) return
  gone[word] += times
  split(key, parts, "\t")
  printf "%s: %s of %d bytes, %s%s\n", word, parts[1], parts[2], shown[key], (times > 1 ? " (" times " times)" : "")
}
