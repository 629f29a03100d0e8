#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds Debian packages and an archive for this machine's kind of processor into build/packages:
#   scripts/package.sh [OPTION OF CMAKE...]    as -D BALLAST_MESICC=OFF, or -D BALLAST_CUDA=OFF where nvcc is installed
# The packages need no MPI. DEBFULLNAME and DEBEMAIL name who answers for them. docs/how-to/install.md says what they hold.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/toolchain.sh

[[ ${1:-} != -h && ${1:-} != --help ]] || { print_help; exit; }
for command in cpack dpkg-shlibdeps fakeroot; do
  command -v "$command" >/dev/null || { echo "package.sh: $command was not found (scripts/setup.sh packages)" >&2; exit 1; }
done
maintainer="${DEBFULLNAME:-The ballast authors} <${DEBEMAIL:-ballast@example.org}>"
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
build=build/packages

# configure OPTION...: flags are those of Debian's own packages.
configure() {
  cmake -G Ninja -S . -B "$build" -D CMAKE_BUILD_TYPE=Release -D BUILD_SHARED_LIBS=ON -D BALLAST_PACKAGES=ON \
    -D BALLAST_TESTS=OFF -D BALLAST_EXAMPLES=OFF -D BALLAST_CLUSTER=OFF -D BALLAST_MAINTAINER="$maintainer" \
    -D CMAKE_CXX_FLAGS="-fstack-protector-strong -Wformat -Werror=format-security -D_FORTIFY_SOURCE=2" \
    -D CMAKE_EXE_LINKER_FLAGS="-pie -Wl,-z,relro,-z,now" -D CMAKE_SHARED_LINKER_FLAGS="-Wl,-z,relro,-z,now" "$@"
}

rm -f "$build"/*.deb "$build"/*.tar.gz
# Debian's folders of libraries are named by their kind of machine, and the dynamic linker finds them itself. Options of an earlier
# run are forgotten.
configure --fresh -D CMAKE_INSTALL_PREFIX=/usr -D CMAKE_INSTALL_LIBDIR="lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)" \
  -D CMAKE_SKIP_INSTALL_RPATH=ON "$@"
cmake --build "$build" -j "$(nproc)"
(cd "$build" && fakeroot cpack -G DEB)
# The archive is unpacked anywhere.
configure -D CMAKE_INSTALL_PREFIX=/opt/ballast -D CMAKE_INSTALL_LIBDIR=lib -D CMAKE_SKIP_INSTALL_RPATH=OFF "$@"
cmake --build "$build" -j "$(nproc)"
(cd "$build" && cpack -G TGZ -D CPACK_PACKAGING_INSTALL_PREFIX=/)
ls "$build"/*.deb "$build"/*.tar.gz
