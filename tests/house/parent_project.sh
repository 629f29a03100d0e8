# SPDX-License-Identifier: Apache-2.0
# Sourced by tests of projects that use ballast: a copy of parent/ and outside/ in $scratch, which is removed at the end.
# Set before: root, cmake, compiler.

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r "$root/tests/house/parent" "$root/tests/house/outside" "$scratch"
mkdir "$scratch/parent/cmake"
for module in "$root"/cmake/*.cmake; do
  echo 'message(FATAL_ERROR "ballast included the module ${CMAKE_CURRENT_LIST_FILE} of its parent")' \
    >"$scratch/parent/cmake/${module##*/}"
done

# configure_project NAME FOLDER [options...]: configures the project $scratch/FOLDER in $scratch/NAME.
configure_project() {
  "$cmake" -G Ninja -S "$scratch/$2" -B "$scratch/$1" -D BALLAST_ROOT="$root" -D CMAKE_CXX_COMPILER="$compiler" "${@:3}"
}

# refuses_to_configure SENTENCE NAME FOLDER [options...]: fails unless that fails with the sentence.
refuses_to_configure() {
  local output
  if output=$(configure_project "${@:2}" 2>&1); then
    echo "'${*:2}' was configured, though it should be refused: $1"
    return 1
  fi
  # CMake breaks sentences into lines.
  if [[ $(tr -s ' \n' ' ' <<<"$output") != *"$1"* ]]; then
    printf '%s\n' "$output" "'${*:2}' was refused, but not with: $1"
    return 1
  fi
}

fail() { echo "$*"; exit 1; }
