#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes a release of the commit that is checked out:
#   scripts/release.sh VERSION [--tested] [--dry-run]
# Checks that nothing is uncommitted, that version.hpp, CITATION.cff and CHANGELOG.md are of VERSION and that no tag has it; runs
# `scripts/test.sh all packages`; refuses verdicts of papers on records of older code; makes the archive of the sources, the Debian packages and SHA256SUMS in build/release/VERSION; and tags the
# commit vVERSION. It pushes nothing.
#   --tested    runs no tests, as they have passed on this commit and left their programs in build/host-release
#   --dry-run   runs no tests, looks at no verdicts and leaves no tag
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/toolchain.sh

refuse() {
  echo "release.sh: $*" >&2
  exit 1
}

version="" tested=false dry_run=false
for word in "$@"; do
  case $word in
    --tested) tested=true ;;
    --dry-run) dry_run=true ;;
    -h | --help) print_help; exit ;;
    *)
      [[ -z $version && $word =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || { echo "release.sh: '$word' is not expected; legal are one VERSION as 1.2.3, --tested, --dry-run" >&2; exit 2; }
      version=$word ;;
  esac
done
[[ -n $version ]] || { print_help >&2; exit 2; }
tag=v$version folder=$PWD/build/release/$version

# The lines of CHANGELOG.md about this version, its heading first.
changes() { awk -v start="## [$version]" 'index($0, "## [") == 1 { shows = index($0, start) == 1 } shows' CHANGELOG.md; }

check() {
  local of
  of=$(git status --porcelain)
  [[ -z $of ]] || refuse "the tree is not clean; commit or remove"$'\n'"$of"
  ! git rev-parse -q --verify "refs/tags/$tag" >/dev/null || refuse "there is a tag $tag already"
  of=$(ballast_version .)
  [[ $of == "$version" ]] || refuse "include/ballast/version.hpp is of '$of', not $version"
  of=$(sed -n 's/^#define BALLAST_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' include/ballast/version.hpp | paste -sd .)
  [[ $of == "$version" ]] || refuse "the numbers in include/ballast/version.hpp are $of, not $version"
  of=$(sed -n 's/^version: //p' CITATION.cff)
  [[ $of == "$version" ]] || refuse "CITATION.cff is of '$of', not $version"
  [[ $(changes | head -n 1) =~ ^"## [$version] - "[0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] ||
    refuse "CHANGELOG.md has no heading '## [$version] - YYYY-MM-DD'"
  $dry_run || [[ -n ${DEBEMAIL:-} ]] || refuse "DEBEMAIL is not set: the packages name who answers for them"
  [[ -f scripts/package.sh ]] || refuse "there is no scripts/package.sh, which makes the Debian packages"
}

# The same bytes for the same commit: its time, no name and time of gzip, and no one's umask.
archive_sources() {
  git -c tar.umask=0022 archive --format=tar --prefix="ballast-$version/" HEAD | gzip -9n >"$folder/ballast-$version.tar.gz"
}

# None of an older commit: what was there goes first.
make_packages() {
  rm -f build/packages/*.deb
  bash scripts/package.sh
  compgen -G "build/packages/*[_-]$version[_-]*.deb" >/dev/null ||
    refuse "scripts/package.sh left no package of $version in build/packages"
  cp build/packages/*[_-]"$version"[_-]*.deb "$folder"
}

check
commit=$(git rev-parse HEAD)
$tested || $dry_run || scripts/test.sh all packages || refuse "the tests have failed"
$dry_run || scripts/stale-verdicts.py || refuse "verdicts stand on records of older code: measure them again"
[[ $(git rev-parse HEAD) == "$commit" ]] || refuse "HEAD is another commit than when the tests began"
rm -rf "$folder"
mkdir -p "$folder"
archive_sources
make_packages
(cd "$folder" && sha256sum -- * >../sums && mv ../sums SHA256SUMS)
$dry_run || { echo "ballast $version"; changes | tail -n +2; } | git tag -a "$tag" --cleanup=whitespace -F -

cat "$folder/SHA256SUMS"
if $dry_run; then
  echo "release.sh: $folder is made; no tag, as this is a dry run"
else
  echo "release.sh: $folder is made, and the tag $tag; 'git push origin $tag' publishes it"
fi
