#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds and runs every test that this machine can run. CI runs this script.
# scripts/test.sh [stage...]: only these of: format release asan tsan cuda
set -uo pipefail
cd "$(dirname "$0")/.."
source scripts/toolchain.sh

jobs=$(nproc)
summary=()
failed_tests=()
failed=0

# ThreadSanitizer of GCC 12 cannot start where the kernel randomises addresses by more than 28 bits.
fixed_addresses=()
if setarch -R true 2>/dev/null; then fixed_addresses=(setarch -R); fi

build_and_test() {
  local preset=$1
  shift
  build "$preset" && run_tests "$preset" "$@" ctest --preset "$preset" -j "$jobs"
}

build() { configure "$1" && cmake --build --preset "$1" -j "$jobs"; }

# run_tests PRESET COMMAND...: notes which tests failed.
run_tests() {
  local preset=$1
  shift
  "$@" && return
  failed_tests+=("$(failed_tests_of "$preset")")
  return 1
}

# What each failed test of PRESET printed: said again at the end, since what stands in the middle of a long log is easily lost.
failed_tests_of() {
  awk '/^[0-9]+\/[0-9]+ Testing: / { test = "" } { test = test $0 "\n" } /^Test (Failed|Timeout)/ { printf "%s", test }' \
    "build/$1/Testing/Temporary/LastTest.log" | tail -n 200
}

format() { bash tests/house/format.sh . && bash tests/house/licence_lines.sh .; }
release() { build_and_test host-release; }
asan() { build_and_test host-asan; }
tsan() { build_and_test host-tsan "${fixed_addresses[@]}"; }

cuda() {
  if ! find_nvcc >/dev/null; then
    echo "CUDA was not built: no nvcc of CUDA 13 in PATH or /usr/local/cuda/bin"
    [[ ${CI:-} == true ]] && return 1
    return 77
  fi
  build cuda-check && run_tests cuda-check ctest --preset cuda-check -L cuda-compile
}

run_stage() {
  local name=$1 start=$SECONDS status=0 word
  echo "== $name"
  "$name" || status=$?
  case $status in
    0) word=passed ;;
    77) word="not run on this machine" ;;
    *) word=FAILED failed=1 ;;
  esac
  summary+=("$(printf '%-8s %s, %d s' "$name" "$word" $((SECONDS - start)))")
  echo "== ${summary[-1]}"
}

stages=("$@")
((${#stages[@]} > 0)) || stages=(format release asan tsan cuda)
for stage in "${stages[@]}"; do
  case $stage in
    format | release | asan | tsan | cuda) ;;
    *) echo "test.sh: no stage '$stage'; there are format release asan tsan cuda" >&2; exit 2 ;;
  esac
done

scripts/setup.sh || exit 1
for stage in "${stages[@]}"; do run_stage "$stage"; done

printf '\n'
printf '%s\n' "${failed_tests[@]}" "${summary[@]}"
if ((failed)); then echo "test.sh: FAILED after $SECONDS s"; else echo "test.sh: all passed in $SECONDS s"; fi
exit $failed
