#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# options.sh root cmake compiler: configures ballast with each option alone, with all but each, and with none, and compares
# the targets with options/targets and the packages that are looked for with options/packages.
set -euo pipefail
root=$1 cmake=$2 compiler=$3
source "$root/tests/house/parent_project.sh"
known=(CLUSTER COMMAND APPS BENCHMARKS EXAMPLES MESICC TESTS)
all="${known[*]}"

# needed LIST OPTION...: the words of the list's sections whose headings the options fulfil.
needed() {
  local on=" ${*:2} " line part fulfilled=0
  while read -r line; do
    case $line in
      '#'* | '') ;;
      '['*)
        fulfilled=1
        for part in ${line//[\[\]]/}; do [[ $on =~ \ ($part)\  ]] || fulfilled=0; done
        ;;
      *) ((!fulfilled)) || printf '%s\n' $line ;;
    esac
  done <"$root/tests/house/options/$1"
}

# choose OPTION...: sets `choice` to what CMake is told for these options and no others, without packages that they do not need.
choose() {
  local option package packages
  choice=(-D BALLAST_CUDA=OFF -D TARGETS="$scratch/targets"
    -D CMAKE_PROJECT_ballast_INCLUDE="$root/tests/house/options/list_targets.cmake")
  for option in "${known[@]}"; do choice+=(-D BALLAST_$option=$([[ " $* " == *" $option "* ]] && echo ON || echo OFF)); done
  packages=" $(needed packages "$@" | tr '\n' ' ')"
  for package in $(needed packages $all); do
    choice+=(-D CMAKE_DISABLE_FIND_PACKAGE_${package%:*}=$([[ $packages == *" $package "* ]] && echo OFF || echo ON))
  done
}

# compare_targets WHAT OPTION...: what the last configuration made, with what the options call for.
compare_targets() {
  diff --label "expected of $1" --label made -u <(needed targets "${@:2}" | sort) <(sort "$scratch/targets") || failed=1
}

expect_targets() {
  choose "$@"
  if configure_project build root "${choice[@]}" >"$scratch/log" 2>&1; then
    compare_targets "the options: $*" "$@"
  else
    cat "$scratch/log"
    failed=1
  fi
}

failed=0
ln -s "$root" "$scratch/root"
expect_targets $all
expect_targets
for option in "${known[@]}"; do
  others=" $all "
  others=${others/ $option / }
  case $option in
    APPS) expect_targets ${others/ BENCHMARKS / } ;;
    *) expect_targets $others ;;
  esac
  if [[ $option == BENCHMARKS ]]; then
    choose $option
    refuses_to_configure "BALLAST_BENCHMARKS is ON and BALLAST_APPS is OFF" build root "${choice[@]}" || failed=1
  else
    expect_targets $option
  fi
done

choose
choice+=(-D BALLAST_CLUSTER=AUTO)
configure_project build root "${choice[@]}" >/dev/null
compare_targets "BALLAST_CLUSTER=AUTO without MPI"

choose TESTS
refuses_to_configure "BALLAST_CHECK_ALL is ON and BALLAST_CHECK_KERNELS is OFF" build root "${choice[@]}" \
  -D BALLAST_CHECK_ALL=ON || failed=1
refuses_to_configure "BALLAST_CHECK_KERNELS is ON and CUDA is not built" build root "${choice[@]}" \
  -D BALLAST_CHECK_KERNELS=ON -D BALLAST_CHECK_ALL=OFF || failed=1
choose
refuses_to_configure "BALLAST_CHECK_KERNELS is ON and BALLAST_TESTS is OFF" build root "${choice[@]}" \
  -D BALLAST_CHECK_KERNELS=ON || failed=1

choose $all
choice+=(-D BALLAST_CHECK_KERNELS=OFF)
for package in $(needed packages $all); do
  refuses_to_configure "${package#*:}" build root "${choice[@]}" -D CMAKE_DISABLE_FIND_PACKAGE_${package%:*}=ON || failed=1
done
refuses_to_configure libisl-dev build root "${choice[@]}" -D ISL_INCLUDE_DIR=OFF || failed=1

# What a project gets that says nothing but BALLAST_CUDA=OFF.
choose
configure_project part parent "${choice[@]:0:6}" >/dev/null
compare_targets "a part of another project"
exit $failed
