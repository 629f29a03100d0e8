# SPDX-License-Identifier: Apache-2.0
# Reads PTX of C++, then what ptxas -v has said of it: prints a row for each kernel. Needs blocks.awk, and the variables list,
# chip (as 8.6) and chips (the file).

BEGIN { FS = "\t"; OFS = "\t"; while ((getline line <chips) > 0) know_chip(line) }

# The PTX: threads of each kernel, and what functions it calls.
FNR == 1 { file++ }
file == 1 && /\.(entry|func) / {
  body = symbol_of($0)
  if (/\.entry /) entries[++entry_count] = body
  next
}
# .maxntid 128, 1, 1; of some architectures .maxntid 128
file == 1 && /^\.(max|req)ntid / {
  count = split($0, sizes, /[ ,]+/)
  threads[body] = 1
  for (i = 2; i <= count; i++) threads[body] *= sizes[i]
}
file == 1 && /^[ \t]*_Z[A-Za-z0-9_]+, *$/ { calls[body] = calls[body] " " symbol_of($0) }

# ptxas.
file == 2 && /minnctapersm for entry .* out of range/ { ignored[symbol_of($0)] = 1 }
file == 2 && /Function properties for / { body = symbol_of($0) }
file == 2 && /bytes stack frame/ {
  stack[body] = number_before("bytes stack frame")
  stores[body] = number_before("bytes spill stores")
  loads[body] = number_before("bytes spill loads")
}
file == 2 && /Used [0-9]+ registers/ {
  registers[body] = number_before("registers")
  shared[body] = number_before("bytes smem")
}

END {
  if (entry_count == 0) fail("holds no kernel, so there is nothing to check")
  for (i = 1; i <= entry_count; i++) show(entries[i])
  exit failed
}

function symbol_of(text) { return match(text, /_Z[A-Za-z0-9_]+/) ? substr(text, RSTART, RLENGTH) : "" }
function number_before(words) { return match($0, "[0-9]+ " words) ? substr($0, RSTART) + 0 : 0 }
function fail(words) { print list ": " words >"/dev/stderr"; failed = 1 }

# A function's spills and those of the functions that it calls, each once.
function spills_of(symbol, spilled, sum, names, count, i) {
  if (symbol in met) return 0
  met[symbol] = 1
  sum = symbol in spilled ? spilled[symbol] : 0
  count = split(calls[symbol], names, " ")
  for (i = 1; i <= count; i++) sum += spills_of(names[i], spilled)
  return sum
}

function show(symbol, sum_of_stores, sum_of_loads, dynamic, blocks) {
  if (!(symbol in registers)) { fail("ptxas says nothing of kernel " symbol); return }
  if (symbol in ignored) fail("kernel " symbol " asks for more blocks than an SM of " chip " holds, so ptxas ignores its launch bounds")
  split("", met)
  sum_of_stores = spills_of(symbol, stores)
  split("", met)
  sum_of_loads = spills_of(symbol, loads)
  # As mangled: launched_with<1024u> is 13launched_withILj1024EE.
  dynamic = match(symbol, /13launched_withILj[0-9]+E/) ? substr(symbol, RSTART + 18, RLENGTH - 19) + 0 : 0
  blocks = blocks_of(chip, symbol in threads ? threads[symbol] : 32, registers[symbol], shared[symbol] + dynamic)
  print list, symbol, chip, symbol in threads ? threads[symbol] : "-", registers[symbol], sum_of_stores, sum_of_loads, \
    stack[symbol], shared[symbol], dynamic, blocks
}
