#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds and tests.
#   scripts/test.sh           formats and tests on CPU cores: what to run while working
#   scripts/test.sh all       that in a fresh Debian, names in what changed, the other programs, all CUDA code compiled, sanitizers,
#                             a newer compiler, random programs; CI runs this
#   scripts/test.sh deep      what takes too long for each change: every source alone, Debian 12 and 13 with all compilers, kernels for
#                             every GPU, long fuzzing and soaking
#   scripts/test.sh --jobs N ...
#                             compiles and tests N at once, not one a core
#   scripts/test.sh STAGE...  some of: format docs release fresh names programs cuda asan tsan read_sources soak alone tidy compilers roots kernels asan_programs tsan_programs fuzz long_soak packages
# docs/testing.md says what each stage is for and what it may cost.
set -uo pipefail
cd "$(dirname "$0")/.."
source scripts/toolchain.sh

jobs=$(nproc)
if [[ ${1:-} == --jobs ]]; then
  [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || { echo "test.sh: --jobs '${2:-}'; legal is a number from 1" >&2; exit 2; }
  jobs=$2
  shift 2
fi
summary=()
failed_tests=()
skipped_tests=()
failed=0
left_out=""
launchers=()

# A compiler sees other text through ccache, and a fresh machine has none.
do_without_ccache() { launchers=(-D CMAKE_CXX_COMPILER_LAUNCHER= -D CMAKE_CUDA_COMPILER_LAUNCHER=); }
[[ ${CI:-} != true ]] || do_without_ccache

# ThreadSanitizer cannot always start where the kernel randomises addresses by more than 28 bits.
fixed_addresses=()
if setarch -R true 2>/dev/null; then fixed_addresses=(setarch -R); fi

# build PRESET [OPTION OF CMAKE...]
build() { configure "$@" && cmake --build --preset "$1" -j "$jobs"; }

# build_folders "FOLDER..." PRESET [OPTION OF CMAKE...]: what these folders make, and what that needs.
build_folders() {
  local folders
  read -ra folders <<<"$1"
  configure "${@:2}" && cmake --build --preset "$2" -j "$jobs" --target "${folders[@]/%//all}"
}

# Where another compiler made the folder CMake empties its cache, and forgets all but the compiler.
configure() {
  local said status=0
  said=$(cmake --preset "$@" "${launchers[@]}" 2>&1) || status=$?
  printf '%s\n' "$said"
  if [[ $said == *"You have changed variables that require your cache to be deleted"* ]]; then
    cmake --preset "$@" "${launchers[@]}"
  else
    return $status
  fi
}

# run_tests FOLDER CTEST...: notes which tests of build/FOLDER failed, and which were skipped.
run_tests() {
  local folder=$1 status=0
  shift
  "$@" -O "$PWD/build/$folder/ctest.log" || status=1
  skipped_tests+=("$(skipped_tests_of "$folder")")
  ((status == 0)) || failed_tests+=("$(failed_tests_of "$folder")")
  return $status
}

# How many tests of the last run were skipped, and why.
skipped_tests_of() {
  awk -f scripts/skipped-tests.awk "build/$1/ctest.log" "build/$1/Testing/Temporary/LastTest.log" | sed "s/^/$1: /"
}

# What each failed test of build/FOLDER printed: said again at the end, since what stands in the middle of a long log is easily lost.
# Of a suite's part without the tests that passed.
failed_tests_of() {
  awk '/^[0-9]+\/[0-9]+ Testing: / { test = "" } { test = test $0 "\n" } /^Test (Failed|Timeout)/ { printf "%s", test }' \
    "build/$1/Testing/Temporary/LastTest.log" |
    awk '/^\[ RUN / { if (began != "") print began; began = $0; next } began != "" && /^\[       OK / { began = ""; next }
      began != "" { print began; began = "" } !/^\[       OK |^\[-+\]/' | tail -n 200
}

format() { bash tests/house/licence_lines.sh . && bash tests/house/spelling.sh . && bash tests/house/format.sh .; }
docs() { scripts/docs.sh; }
# The library, and of the applications the main job.
build_release() {
  build host-release -D BALLAST_APPS=md -D BALLAST_COMMAND=OFF -D BALLAST_BENCHMARKS=OFF -D BALLAST_EXAMPLES=OFF -D BALLAST_MESICC=OFF "$@"
}
release() { build_release && run_tests host-release ctest --preset host-release -j "$jobs" -LE 'programs|models|long|format'; }

# Format and release where nothing is that setup.sh does not install. Later stages go on with what they build.
fresh() {
  local status=0 own suite=bookworm
  own=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  [[ $own != trixie ]] || suite=trixie
  do_without_ccache
  rm -f build/host-release/CMakeCache.txt build/host-release/ctest.log # what was found outside is not there
  in_root $suite "scripts/test.sh --jobs $jobs format release" || status=$?
  if ((status != 77)); then
    [[ $own == "$suite" ]] || rm -rf build/host-release # of other compilers and libraries
    ((status == 0)) || [[ ! -f build/host-release/ctest.log ]] || failed_tests+=("$(failed_tests_of host-release)")
    return $status
  fi
  left_out=" in no fresh root"
  format && release
}

# In the same folder: what release leaves out, the command end to end, and what others build with ballast.
build_programs() {
  build host-release -D BALLAST_APPS=ON -D BALLAST_COMMAND=ON -D BALLAST_BENCHMARKS=ON -D BALLAST_EXAMPLES=ON -D BALLAST_MESICC=ON &&
    cmake --build --preset host-release -j "$jobs" --target ballast_submit_cost
}
programs() {
  build_programs && run_tests host-release ctest --preset host-release -j "$jobs" -L 'programs|models|examples|mesi'
}

# The library; mutated input is for fuzz.
no_programs=(-D BALLAST_COMMAND=OFF -D BALLAST_APPS=OFF -D BALLAST_BENCHMARKS=OFF)
asan() { build host-asan "${no_programs[@]}" -D BALLAST_MESICC=OFF && asan_tests -LE 'models|fuzz'; }
asan_tests() { run_tests host-asan ctest --preset host-asan -j "$jobs" "$@"; }

# By clang 16, for which clang 19's packages bring what names functions by their addresses.
tsan() { build host-tsan "${no_programs[@]}" && tsan_tests -LE models; }
tsan_tests() {
  run_tests host-tsan env TSAN_OPTIONS=external_symbolizer_path=/usr/bin/llvm-symbolizer-19 \
    "${fixed_addresses[@]}" ctest --preset host-tsan -j "$jobs" "$@"
}

compilers() { scripts/second-compilers.sh --jobs "$jobs" g++-11; }

# A newer compiler, with the libraries of a newer Debian.
read_sources() { in_root trixie "scripts/setup.sh tests && scripts/second-compilers.sh --jobs $jobs --read-most g++-14"; }

# in_root SUITE COMMAND: in this checkout, seen from a fresh Debian. Where none can be made it returns 77, but 1 in CI.
in_root() {
  local status=0
  scripts/fresh-root.sh --here "$1" bash -c "$2" || status=$?
  ((status != 77)) || [[ ${CI:-} != true ]] || return 1
  return $status
}

# The README's two commands on Debian 12 and 13, then their compilers on all sources.
roots() {
  local suite
  for suite in bookworm trixie; do
    rm -rf build/read-* # of the other's libraries
    scripts/fresh-root.sh $suite && in_root $suite 'scripts/setup.sh all && scripts/second-compilers.sh --read' || return
  done
}

no_nvcc() {
  echo "CUDA was not built: no nvcc of CUDA 13 in PATH or /usr/local/cuda/bin"
  [[ ${CI:-} == true ]] && return 1
  return 77
}

# Host code goes through the oldest g++ where it is there: the library and the programs, but the suites' kernel lists alone.
cuda() {
  local nvcc oldest=()
  nvcc=$(find_nvcc) || { no_nvcc; return; }
  ! command -v g++-11 >/dev/null || oldest=(-D CMAKE_CXX_COMPILER=g++-11 -D CMAKE_CUDA_HOST_COMPILER=g++-11)
  build cuda-check -D BALLAST_NVCC="$nvcc" "${oldest[@]}" && run_tests cuda-check ctest --preset cuda-check -L cuda-compile -j "$jobs"
}

# Each source by itself, as a batch hides an include that was forgotten; programs are optimised; and the tests at length.
alone() {
  cmake --preset host-release -B build/alone -D BALLAST_UNITY=OFF -D BALLAST_PRECOMPILE=OFF -D BALLAST_QUICK_PROGRAMS=OFF &&
    cmake --build build/alone -j "$jobs" &&
    run_tests alone env BALLAST_TEST_DEEP=1 ctest --test-dir build/alone --no-tests=error --output-on-failure -j "$jobs"
}

# Every list of kernels for every architecture.
kernels() {
  local nvcc
  nvcc=$(find_nvcc) || { no_nvcc; return; }
  cmake --preset cuda-check -B build/kernels -D BALLAST_NVCC="$nvcc" -D BALLAST_CHECK_ALL=ON && cmake --build build/kernels -j "$jobs" &&
    run_tests kernels ctest --test-dir build/kernels --no-tests=error --output-on-failure -L cuda-compile -j "$jobs"
}

configure_tidy() {
  cmake --preset host-release -B build/tidy -D BALLAST_UNITY=OFF -D BALLAST_PRECOMPILE=OFF &&
    cmake --build build/tidy --target ballast_source
}

# The rules for names alone, in the files that a branch changes.
names() { configure_tidy && python3 tests/house/names.py . build/tidy; }

# .clang-tidy's rules, of which the names' are the most. Flags of g++ that clang does not know, and what clang itself warns of, are no
# errors here: other stages compile.
tidy() {
  configure_tidy &&
    run-clang-tidy-19 -quiet -extra-arg=-Wno-error -p build/tidy -j "$jobs" "$PWD/(src|apps|tools|bench|examples|tests)/.*\\.cpp$"
}

# What `asan` and `tsan` leave out under the same sanitizers: the applications, the reports, the translator and what it makes, and, as
# they have one thread, for asan alone the models.
asan_programs() {
  build_folders "apps tools/report tools/mesicc tests/mesicc/examples" host-asan -D BALLAST_APPS=ON -D BALLAST_MESICC=ON &&
    asan_tests -LE "^(ballast_test_($(rooms))|fuzz)\$" &&
    cmake --build --preset host-asan -j "$jobs" --target ballast_test_{pool,queue,launch,job,cluster} && asan_tests -L models
}
rooms() { sed -n 's/^ballast_add_room(\([a-z]*\).*/\1/p' CMakeLists.txt | paste -sd '|'; }
tsan_programs() {
  build_folders apps host-tsan -D BALLAST_APPS=ON && tsan_tests -LE "^ballast_test_($(rooms))\$"
}

# Mutated programs for the translator, and mutated files for what reads files.
fuzz() {
  build_programs && build/host-release/ballast_fuzz_mesicc tests/mesicc/programs 600 &&
    build_folders tests/fuzz host-asan && BALLAST_FUZZ_SECONDS=600 asan_tests -L fuzz
}

# Random programs on all rooms, and runs of md that are killed.
soak() { soak_for 1; }
long_soak() { soak_for 30; }
soak_for() {
  build_release -D BALLAST_COMMAND=ON && scripts/soak.sh "$1" 1
}

# Of CPU cores alone, as what is installed is the same files.
packages() { scripts/package.sh -D BALLAST_CUDA=OFF && bash tests/house/packages.sh .; }

run_stage() {
  local name=$1 start=$SECONDS cpu_before=$cpu status=0 word
  echo "== $name"
  "$name" || status=$?
  case $status in
    0) word=passed ;;
    77) word="not run on this machine" left_out=" but what was not run" ;;
    *) word=FAILED failed=1 ;;
  esac
  count_cpu
  summary+=("$(printf '%-10s %s, %d s, %d CPU s' "$name" "$word" $((SECONDS - start)) $((cpu - cpu_before)))")
  echo "== ${summary[-1]}"
}

# Seconds of processors, user and system, of all that has ended: the second line of `times`, which counts no subshell's.
count_cpu() {
  mkdir -p build
  times >"build/times-$$"
  cpu=$(awk 'NR == 2 { split($1 "m" $2, t, /[ms]+/); printf "%d", 60 * (t[1] + t[3]) + t[2] + t[4] }' "build/times-$$")
  rm "build/times-$$"
}

# Half of the stages beside the others, each half with half of the cores: where one waits for a download, a last compilation or
# a long test, the other goes on.
run_halves() {
  local half=$(((jobs + 1) / 2)) other
  printf '== told when all that follows has ended: %s\n' "${beside[*]}"
  setsid scripts/test.sh --jobs "$half" "${beside[@]}" >build/beside.log 2>&1 &
  other=$!
  trap 'kill -- -$other 2>/dev/null; exit 130' INT TERM # with all that it has started
  scripts/test.sh --jobs "$half" "${stages[@]}" 2>&1 | tee build/first.log || failed=1
  wait $other || failed=1
  trap - INT TERM
  printf '\n== beside these\n'
  cat build/beside.log
  mapfile -t summary < <(sed -nE 's/^== ([a-z_]+ +(passed|FAILED|not run).*)/\1/p' build/first.log build/beside.log)
  left_out=$(sed -nE 's/^test.sh: all passed(.*) in [0-9]+ s, .*/\1/p' build/first.log build/beside.log | sort -u | tr -d '\n')
  count_cpu
}

stages=()
beside=()
(($# > 0)) || set -- format release
for word in "$@"; do
  case $word in
    all) stages+=(fresh names programs soak docs) beside=(cuda asan tsan read_sources) ;;
    deep) stages+=(alone tidy compilers roots kernels asan_programs tsan_programs fuzz long_soak packages) ;;
    format | docs | release | fresh | names | programs | cuda | asan | tsan | read_sources | soak | alone | tidy | compilers | roots | kernels | asan_programs | tsan_programs | fuzz | long_soak | packages) stages+=("$word") ;;
    -h | --help) print_help; exit ;;
    *) echo "test.sh: no stage '$word'; there are all deep format docs release fresh names programs cuda asan tsan read_sources soak alone tidy compilers roots kernels asan_programs tsan_programs fuzz long_soak packages" >&2; exit 2 ;;
  esac
done

# Other stages need the translator's packages or other compilers.
needs=(tests)
asked=" ${stages[*]} ${beside[*]} "
[[ $asked =~ \ docs\  ]] && needs+=(docs)
[[ $asked =~ \ (fresh|names|programs|asan|tsan|compilers|read_sources|alone|roots|tidy|asan_programs|tsan_programs|fuzz|packages)\  ]] && needs+=(all)
[[ $asked =~ \ packages\  ]] && needs+=(packages)
scripts/setup.sh "${needs[@]}" || exit 1
count_cpu
echo "test.sh: setting up took $cpu CPU s"
if ((${#beside[@]} > 0)); then run_halves; else for stage in "${stages[@]}"; do run_stage "$stage"; done; fi

printf '\n'
((${#failed_tests[@]} == 0)) || printf '%s\n' "${failed_tests[@]}"
skipped=$(printf '%s\n' "${skipped_tests[@]}" | sed '/^$/d')
[[ -z $skipped ]] || printf 'Skipped tests, by reason:\n%s\n\n' "$skipped"
printf '%s\n' "${summary[@]}"
if ((failed)); then echo "test.sh: FAILED after $SECONDS s"; else echo "test.sh: all passed$left_out in $SECONDS s, $cpu CPU s"; fi
exit $failed
