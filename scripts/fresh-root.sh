#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs commands in a fresh Debian, which has nothing but what debootstrap and then scripts/setup.sh install.
#   scripts/fresh-root.sh SUITE              clones HEAD into it and runs the README's two commands there
#   scripts/fresh-root.sh SUITE COMMAND...   runs the command in such a clone instead
#   scripts/fresh-root.sh --here SUITE COMMAND...
#                                            runs it in this checkout, seen at its own path: what it builds stays
# SUITE: bookworm (Debian 12) or trixie (Debian 13). The root is build/roots/SUITE, made anew by each call; what was downloaded
# is kept beside it; delete build/roots to have it anew. Needs root, debootstrap and a kernel that lets it mount; 77 without.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/toolchain.sh

here=false
[[ ${1:-} != --here ]] || { here=true; shift; }
case ${1:-} in
  bookworm | trixie) suite=$1 ;;
  -h | --help) print_help; exit ;;
  *) echo "fresh-root.sh: no suite '${1:-}'; there are bookworm trixie" >&2; exit 2 ;;
esac
shift
if $here && (($# == 0)); then echo "fresh-root.sh: --here needs a command" >&2; exit 2; fi

cannot() { echo "fresh-root.sh: $*" >&2; exit 77; }
((EUID == 0)) || cannot "it needs root"
command -v debootstrap >/dev/null || cannot "it needs debootstrap (package debootstrap)"
unshare --mount mount --bind /proc /proc 2>/dev/null || cannot "this machine does not let it mount"

roots=$PWD/build/roots
root=$roots/$suite
base=$roots/$suite.tar
packages=$roots/packages-$suite
checkout=$PWD

make_base() {
  echo "fresh-root.sh: debootstrap makes $suite"
  mkdir -p "$packages"
  rm -rf --one-file-system "$root"
  unshare --mount --propagation private debootstrap --variant=minbase --include=git,ca-certificates --cache-dir="$packages" "$suite" "$root" >"$roots/debootstrap-$suite.log" 2>&1 ||
    { tail "$roots/debootstrap-$suite.log" >&2; return 1; }
  tar -C "$root" -cf "$base.part" . && mv "$base.part" "$base"
}

# Sees only what is in the root, this checkout or a clone of it, and the kernel's /proc and /dev.
enter() {
  local folder=$1
  shift
  unshare --mount --propagation private bash -c '
    set -e
    root=$1 packages=$2 checkout=$3 here=$4 folder=$5
    shift 5
    mount --bind /proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --bind "$packages" "$root/var/cache/apt/archives"
    ! $here || { mkdir -p "$root$checkout"; mount --bind "$checkout" "$root$checkout"; }
    # Git reads the checkout of whoever owns it.
    exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 ${CI:+CI=$CI} \
      ${http_proxy:+http_proxy=$http_proxy} ${https_proxy:+https_proxy=$https_proxy} \
      GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0="*" \
      chroot "$root" /bin/bash -c "cd \"\$1\" && shift && exec \"\$@\"" in-root "$folder" "$@"' \
    fresh-root "$root" "$packages" "$checkout" "$here" "$folder" "$@"
}

# The two commands that the README names first, and what they cost.
try_readme() {
  local command
  for command in scripts/demo.sh scripts/test.sh; do
    echo "fresh-root.sh: $command on a fresh $suite"
    enter "$1" bash -c 'TIMEFORMAT="fresh-root.sh: %R s, of CPU time %U s user and %S s system"; time "$0"' "$command" || return
  done
}

mkdir -p "$roots"
exec 9>"$roots/$suite.lock"
flock -n 9 || { echo "fresh-root.sh: another call uses $root" >&2; exit 1; }
[[ -f $base ]] || make_base
rm -rf --one-file-system "$root"
mkdir -p "$root" "$packages/partial"
tar -C "$root" -xf "$base"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
if $here; then
  enter "$checkout" "$@"
else
  git clone --quiet --no-hardlinks . "$root/root/ballast"
  if (($# > 0)); then enter /root/ballast "$@"; else try_readme /root/ballast; fi
fi
