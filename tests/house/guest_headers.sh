#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# guest_headers.sh root compiler...: passes if all headers for users, and what small programs instantiate of them, compile
# without a warning of those that strict projects ask for, where min, max, major, minor and timeout are macros; and if a
# compiler without RTTI says that it is needed. Of the compilers only the first must be there.
set -euo pipefail
root=$(realpath "$1")
first=$2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$root/include
cd "$tree"
mapfile -t headers < <(find ballast -name detail -prune -o \( -name '*.hpp' -o -name '*.cuh' \) -print | sort)
((${#headers[@]} >= 20)) || { echo "only ${#headers[@]} headers in $tree"; exit 1; }
programs=("$root"/examples/*/main.cu)
((${#programs[@]} >= 5)) || { echo "only ${#programs[@]} programs in $root/examples"; exit 1; }

# The macros come after the standard library's headers, which do without them, and expand to what no compiler takes. What
# programs include is there by then, so a namespace keeps them apart.
{
  grep -hoE '^#include <[a-z_.]+>' -r ballast "${programs[@]}" | sort -u
  for macro in min max major minor timeout; do echo "#define $macro(...) @ $macro is expanded @"; done
  printf '#include "%s"\n' "${headers[@]}"
  number=0
  for program in "${programs[@]}"; do printf 'namespace program_%d {\n#include "%s"\n}\n' $((++number)) "$program"; done
  echo 'ballast::array_view<float, 2> view_of(float* first, std::array<std::size_t, 2> const& sizes) { return {first, sizes}; }'
} >"$scratch/guest.cpp"

strict=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wswitch-enum -Wshadow -Wold-style-cast -Werror)
strict+=(-Wno-main -Wno-return-type)  # for what is a main() no more
host=(-x c++ -fsyntax-only -D BALLAST_HAVE_CUDA=0 -D BALLAST_COMPILES_KERNELS=true "${strict[@]}")
gpu=(-x cu -ptx -arch=compute_75 -o /dev/null -D BALLAST_HAVE_CUDA=1 --extended-lambda -Werror all-warnings -diag-suppress 940)

# compile COMPILER OPTION...
compile() {
  local kind=host
  [[ $1 != */nvcc ]] || kind=gpu
  local -n flags=$kind
  "$1" -std=c++20 -I "$tree" "${flags[@]}" "${@:2}" "$scratch/guest.cpp"
}

tried=0
for compiler in "${@:2}"; do
  if ! command -v "$compiler" >/dev/null; then
    [[ $compiler != "$first" ]] || { echo "there is no $compiler"; exit 1; }
    continue
  fi
  [[ $compiler == "$first" || ! $(command -v "$compiler") -ef $(command -v "$first") ]] || continue
  compile "$compiler" || { echo "$compiler refused what stands above"; exit 1; }
  tried=$((tried + 1))
done

needs_rtti='ballast needs RTTI'
said=$(compile "$first" -fno-rtti -E -o /dev/null 2>&1 || true)
[[ $said == *"$needs_rtti"* ]] || { printf '%s\n' "$said" "with -fno-rtti $first does not say: $needs_rtti"; exit 1; }
echo "${#headers[@]} headers and ${#programs[@]} programs compile strictly by $tried compilers"
