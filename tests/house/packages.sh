#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# packages.sh root: looks at what scripts/package.sh left in build/packages with lintian, installs it into a copy of this system that
# is thrown away, compiles and runs programs against it there, and removes it, after which nothing may be left. Who is not
# root unpacks the packages instead. `packages.sh root inside` is the part within the copy.
set -euo pipefail
root=$(realpath "$1") part=${2:-}
packages=("$root"/build/packages/*.deb)
[[ -e ${packages[0]} ]] || { echo "there are no packages in $root/build/packages"; exit 1; }

fail() { echo "$*"; exit 1; }

# What a package could leave behind. Caches of ldconfig and dpkg's own lists stay.
files_of_system() { find /usr /etc /var/lib/dpkg/info -xdev ! -name ld.so.cache ! -name '*.pyc' | sort; }

# run_programs PREFIX: of the packages, and one that is compiled with what they installed.
run_programs() {
  local scratch
  scratch=$(mktemp -d)
  "$1/bin/ballast" --version
  cmake -G Ninja -S "$root/tests/house/outside" -B "$scratch/outside" -D CMAKE_BUILD_TYPE=Release -D CMAKE_PREFIX_PATH="$1"
  cmake --build "$scratch/outside"
  readelf -d "$scratch/outside/outside" | grep -q 'libballast.so.0' || fail "CMake's package does not lead to libballast.so.0"
  "$scratch/outside/outside"
  # shellcheck disable=SC2046 # words
  c++ -std=c++20 $(pkg-config --cflags ballast) -D BALLAST_COMPILES_KERNELS=true -x c++ "$root/examples/01_task_queue/main.cpp" \
    "$root/examples/01_task_queue/kernels.cu" -x none -o "$scratch/example" $(pkg-config --libs ballast)
  "$scratch/example"
  [[ ! -x $1/bin/mesicc ]] || "$1/bin/mesicc" run "$root/tests/mesicc/programs/matmul.mcu" --devices host:1
  rm -r "$scratch"
}

install_and_remove() {
  local before names
  before=$(files_of_system)
  mapfile -t names < <(for file in "${packages[@]}"; do dpkg-deb -f "$file" Package; done)
  dpkg -i "${packages[@]}"
  [[ $(files_of_system) != "$before" ]] || fail "nothing was installed"
  run_programs /usr
  dpkg --purge "${names[@]}"
  diff <(echo "$before") <(files_of_system) || fail "the packages do not leave the system as it was"
  echo "installed, used and removed: ${names[*]}"
}

# A second root in memory over this one, in a mount namespace that ends with the script.
install_into_copy() {
  local copy=$1/copy
  mount -t tmpfs none "$1"
  mkdir "$1/upper" "$1/work" "$copy"
  mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$copy"
  mount --rbind /dev "$copy/dev"
  mount -t proc proc "$copy/proc"
  mount -t tmpfs none "$copy/tmp"
  mkdir -p "$copy$root"  # which may lie in /tmp
  mount --bind "$root" "$copy$root"
  DEBIAN_FRONTEND=noninteractive chroot "$copy" bash "$root/tests/house/packages.sh" "$root" inside
}

unpack_and_run() {
  local unpacked libraries
  unpacked=$(mktemp -d)
  trap "rm -rf '$unpacked'" EXIT
  for file in "${packages[@]}"; do dpkg-deb -x "$file" "$unpacked"; done
  libraries=$(dirname "$(find "$unpacked" -name ballast.pc)")
  PKG_CONFIG_PATH=$libraries LD_LIBRARY_PATH=${libraries%/*} run_programs "$unpacked/usr"
  echo "unpacked and used; installing them takes root and overlayfs"
}

case $part in
  inside) install_and_remove; exit ;;
  copy) install_into_copy "$3"; exit ;;
esac
lintian --fail-on error --tag-display-limit 0 "${packages[@]}"
folder=$(mktemp -d)
trap 'rmdir "$folder"' EXIT
if unshare -m bash -c "mount -t tmpfs none '$folder' && mkdir '$folder'/{a,b,c} &&
  mount -t overlay overlay -o 'lowerdir=/,upperdir=$folder/a,workdir=$folder/b' '$folder/c'" 2>/dev/null; then
  unshare -m bash "$0" "$root" copy "$folder"
else
  rmdir "$folder"
  unpack_and_run
fi
