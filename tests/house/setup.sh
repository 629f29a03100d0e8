#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# setup.sh root: passes if scripts/setup.sh names the packages of each need, and no others, whatever this machine has,
# and says when there is nothing to install.
set -euo pipefail
setup=$1/scripts/setup.sh
wrong=0

fail() {
  echo "$*"
  wrong=1
}

sorted() { printf '%s\n' "$@" | LC_ALL=C sort -u | paste -sd ' '; }

# expect "NEED..." "PACKAGE...": the packages sorted.
expect() {
  local got
  got=$("$BASH" "$setup" --list $1 2>&1 | paste -sd ' ') || fail "setup.sh --list $1: exit code $?"
  [[ $got == "$2" ]] || fail "setup.sh --list $1 prints '$got', and should '$2 '"
}

library="cmake g++ libboost-dev libfmt-dev ninja-build"
demo="cmake g++ libboost-dev libcli11-dev libfmt-dev ninja-build nlohmann-json3-dev"
translator="clang-19 cmake g++ libboost-dev libclang-19-dev libcli11-dev libfmt-dev libgmp-dev libisl-dev llvm-19-dev ninja-build"
tests="clang-format cmake codespell doxygen g++ git gnuplot-nox libboost-dev libcli11-dev libfmt-dev libgmock-dev libgtest-dev libopenmpi-dev libtbb-dev"
tests+=" ninja-build nlohmann-json3-dev openmpi-bin pkg-config python3 python3-jsonschema universal-ctags valgrind"
docs="doxygen furo graphviz python3-myst-parser python3-sphinx"
others="clang-tidy-19 libclang-rt-19-dev debootstrap"
if [[ $(. /etc/os-release && echo "${VERSION_CODENAME:-}") == trixie ]]; then
  others+=" g++-13 g++-14 clang-17 clang-18"
else
  others+=" g++-11 g++-12 clang-16 libclang-rt-16-dev"
fi
all=$(sorted $translator $tests $docs $others)
expect library "$library"
expect demo "$demo"
expect translator "$translator"
expect "translator demo" "$(sorted $translator $demo)"
expect tests "$tests"
expect packages "cmake dpkg-dev fakeroot file g++ libboost-dev libfmt-dev libtbb-dev lintian ninja-build pkg-config"
expect docs "$docs"
expect all "$all"
expect "" "$all"

# Where nothing is, not even apt.
status=0
said=$(PATH=/nowhere "$BASH" "$setup" library 2>&1) || status=$?
[[ $status == 1 && $(sorted ${said#*packages hold: }) == "$library" ]] || fail "without apt, setup.sh library: exit code $status, $said"

# Where all is.
there=$(mktemp -d)
trap 'rm -r "$there"' EXIT
printf '#!/bin/bash\n' >"$there/g++"
chmod +x "$there/g++"
cp "$there/g++" "$there/cmake"
cp "$there/g++" "$there/ninja"
status=0
said=$(PATH=$there "$BASH" "$setup" library 2>&1) || status=$?
[[ $status == 0 && $said == "setup.sh: nothing to install" ]] || fail "with all there, setup.sh library: exit code $status, '$said'"

status=0
said=$("$BASH" "$setup" demo cuda 2>&1) || status=$?
[[ $status == 2 && $said == "setup.sh: no need 'cuda'; there are library demo translator tests docs packages all" ]] ||
  fail "setup.sh cuda: exit code $status, $said"
((wrong == 0)) && echo "setup.sh names the packages of each need, and says when there is nothing to install"
