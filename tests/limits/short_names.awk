# SPDX-License-Identifier: Apache-2.0
# Shortens the demangled names in the second column: no namespaces, no parameters, of a list of kernels the first.

BEGIN { FS = OFS = "\t" }
{
  gsub(/\(anonymous namespace\)::/, "", $2)
  sub(/^void /, "", $2)
  $2 = without_parameters($2)
  gsub(/[a-z_0-9]+::/, "", $2)
  sub(/, launched_with<[0-9]+u?> *>$/, ">", $2)
  while (match($2, /(kernel_list|pool_list|kernel_family|ring_list)</)) $2 = with_first($2, RSTART, RSTART + RLENGTH)
  gsub(/> +>/, ">>", $2)
  gsub(/> +>/, ">>", $2)
  print
}

# Up to the first parenthesis outside of angle brackets.
function without_parameters(name, depth, i, c) {
  for (i = 1; i <= length(name); i++) {
    c = substr(name, i, 1)
    if (c == "<") depth++
    else if (c == ">") depth--
    else if (c == "(" && depth == 0) return substr(name, 1, i - 1)
  }
  return name
}

# The list that begins at `start`, whose arguments begin at `inside`, becomes its first kernel and dots.
function with_first(name, start, inside, depth, i, c, first_end) {
  for (i = inside; i <= length(name); i++) {
    c = substr(name, i, 1)
    if (c == "<") depth++
    else if (c == "," && depth == 0 && !first_end) first_end = i
    else if (c == ">" && depth-- == 0) break
  }
  return substr(name, 1, start - 1) substr(name, inside, (first_end ? first_end : i) - inside) \
    (first_end ? " ..." : "") substr(name, i + 1)
}
