# SPDX-License-Identifier: Apache-2.0
# gone.tsv, kernels.tsv before, kernels.tsv after: fails unless each section of before is there after, bit for bit, and no other; what
# it is called, and in what list it lies, may change. Functions that gone.tsv names may go, and must.
BEGIN { FS = "\t" }
FNR == 1 { file++ }
file == 1 { if ($1 == "kernel") listed[$2]; next }
{ key = $2 "\t" $3 "\t" $4; kind[$2] }
file == 2 { before[key]++; count[$2]++; shown[key] = $1 ": " $5; name_of[key] = $5 }
file == 3 { after[key]++; total[$2]++; there[$5]; if (!(key in shown)) shown[key] = $1 ": " $5 }
END {
  for (key in before) if (!(name_of[key] in listed)) tell("gone", key, before[key] - after[key])
  for (key in after) tell("new", key, after[key] - before[key])
  for (name in listed) if (name in there) { print "not gone: kernel " name; gone["gone"]++ }
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
