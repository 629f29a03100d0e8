#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# release.sh root: passes if scripts/release.sh makes what it should of an invented project of version 9.8.7, and refuses each
# error planted there without leaving a tag.
set -euo pipefail
command -v git >/dev/null || { echo "there is no git"; exit 77; }
root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_{AUTHOR,COMMITTER}_NAME=nobody GIT_{AUTHOR,COMMITTER}_EMAIL=nobody@example.org
unset GIT_DIR GIT_WORK_TREE
wrong=0

complain() {
  printf '%s\n' "$*"
  wrong=1
}

commit() { git add -A && git commit -qm "$1"; }

# Its tests and its packages are a line each; the tests note that they were run.
project() {
  rm -rf "$scratch/project"
  mkdir -p "$scratch/project"/{scripts,include/ballast}
  cd "$scratch/project"
  cp "$root"/scripts/{release,toolchain}.sh scripts
  cp "$root/.gitattributes" .
  mkdir cmake && cp "$root/cmake/write_source.cmake" cmake
  echo 'mkdir -p build/packages && echo deb >build/packages/ballast_9.8.7_all.deb' >scripts/package.sh
  printf '#!/bin/bash\nmkdir -p build && echo "$*" >build/tested\n' >scripts/test.sh
  printf '#!/bin/bash\n' >scripts/stale-verdicts.py
  chmod +x scripts/test.sh scripts/stale-verdicts.py
  printf '#define BALLAST_VERSION_%s\n' 'MAJOR 9' 'MINOR 8' 'PATCH 7' 'STRING "9.8.7"' >include/ballast/version.hpp
  echo 'version: 9.8.7' >CITATION.cff
  printf '%s\n' '# Changes' '## [9.8.7] - 2026-01-31' '### Added' '- A thing.' '## [9.8.6] - 2026-01-30' '- Older.' >CHANGELOG.md
  echo /build/ >.gitignore
  git init -q
  commit "All of it"
}

# release STATUS TEXT ARGUMENT...: release.sh ends with STATUS and says TEXT.
release() {
  local said status=0
  said=$(scripts/release.sh "${@:3}" 2>&1) || status=$?
  ((status == $1)) && [[ $said == *"$2"* ]] || complain "release.sh ${*:3} should end with $1 and say '$2'; it ends with $status: $said"
}

# refuses TEXT [ARGUMENT...]: without a tag, and before anything is tested or made.
refuses() {
  release 1 "$@"
  [[ -z $(git tag -l v9.8.7) && ! -e build ]] || complain "'$1' has left a tag or a folder"
}

export DEBEMAIL=somebody@example.org
made=build/release/9.8.7
sums() { (cd $made && sha256sum --quiet -c SHA256SUMS && sha256sum -- *.tar.gz); }

project
release 0 "no tag, as this is a dry run" 9.8.7 --dry-run
[[ -z $(git tag) && ! -e build/tested ]] || complain "a dry run leaves a tag, or runs tests"
[[ $(ls $made | paste -sd ' ') == "SHA256SUMS ballast-9.8.7.tar.gz ballast_9.8.7_all.deb" ]] || complain "a dry run makes $(ls $made)"
[[ $(tar -tzf $made/ballast-9.8.7.tar.gz) == *ballast-9.8.7/scripts/release.sh* ]] || complain "the archive has no folder of its own"
tar -C "$scratch" -xzf $made/ballast-9.8.7.tar.gz
cmake -D ROOT="$scratch/ballast-9.8.7" -D HEADER="$scratch/source.hpp" -P "$scratch/ballast-9.8.7/cmake/write_source.cmake"
grep -q "BALLAST_SOURCE \"$(git rev-parse HEAD)\"" "$scratch/source.hpp" || complain "what is built of the archive does not know its commit"
first=$(sums)
git config tar.umask user
(umask 077 && touch -d 2001-01-01 CHANGELOG.md && scripts/release.sh 9.8.7 --dry-run >/dev/null)
[[ $(sums) == "$first" ]] || complain "two archives of one commit differ"

release 0 "and the tag v9.8.7" 9.8.7 --tested
[[ $(git cat-file -t v9.8.7) == tag && $(git rev-parse 'v9.8.7^{}') == "$(git rev-parse HEAD)" ]] || complain "the tag is not annotated"
[[ $(git tag -l --format='%(contents)' v9.8.7) == $'ballast 9.8.7\n### Added\n- A thing.' ]] || complain "the tag does not tell what changed"
[[ ! -e build/tested ]] || complain "--tested runs tests"
release 1 "there is a tag v9.8.7 already" 9.8.7 --dry-run

project
release 0 "and the tag v9.8.7" 9.8.7
[[ $(cat build/tested) == "all packages" ]] || complain "not all tests are run"

project
echo 'exit 1' >>scripts/test.sh
commit "A test fails"
release 1 "the tests have failed" 9.8.7
[[ -z $(git tag) && ! -e $made ]] || complain "a commit whose tests fail is released"

project
printf 'echo >new && git add new && git commit -qm Meanwhile\n' >>scripts/test.sh
commit "A commit beside the tests"
release 1 "HEAD is another commit" 9.8.7

project
echo : >scripts/package.sh
commit "No package"
mkdir -p build/packages
touch build/packages/ballast_9.8.7_all.deb
release 1 "left no package of 9.8.7" 9.8.7 --tested
[[ -z $(git tag) ]] || complain "a release without packages is tagged"

project
echo 'exit 1' >>scripts/stale-verdicts.py
commit "A figure is of older code"
release 1 "verdicts stand on records of older code" 9.8.7
[[ -z $(git tag) && ! -e $made ]] || complain "a stale verdict is released"

# verdicts STATUS TEXT: what scripts/stale-verdicts.py says of an invented program's figures. Of a paper that does not apply nothing counts.
verdicts() {
  local said status=0
  said=$(scripts/stale-verdicts.py "$scratch/ballast") || status=$?
  ((status == $1)) && [[ $said == *"$2"* ]] || complain "stale-verdicts.py should end with $1 and say '$2'; it ends with $status: $said"
}
project
cp "$root/scripts/stale-verdicts.py" scripts
mkdir -p bench/results
cat >"$scratch/ballast" <<'END'
#!/bin/bash
[[ $2 == --json ]] && { echo '[{"name": "smith2001"}]'; exit; }
printf '{"figures": [{"figure": "Fig. 1", "verdict": "reproduced", "origin": "cuda:0", "changed_since": "%s"},
  {"figure": "Fig. 2", "verdict": "does not apply here", "origin": "host:1", "changed_since": "9 lines changed since"}]}' "$CHANGED"
END
chmod +x "$scratch/ballast"
: >bench/stale_verdicts.tsv
export CHANGED=""
verdicts 0 "0 verdicts stand on records of older code, 0 faults"
CHANGED="3 lines changed since"
verdicts 1 "smith2001 Fig. 1 stands on old records: cuda:0; 3 lines changed since"
printf '# paper, figure, why\nsmith2001\tFig. 1\tno such GPU\n' >bench/stale_verdicts.tsv
verdicts 0 "1 verdicts stand on records of older code, 0 faults"
CHANGED=""
verdicts 1 "smith2001 Fig. 1 needs no exception"

# planted TEXT COMMAND...: a change that is committed and refused.
planted() {
  project
  "${@:2}"
  commit "${*:2}"
  refuses "$1" 9.8.7 --dry-run
}

project
touch new.txt
refuses "?? new.txt" 9.8.7 --dry-run
project
echo >>CHANGELOG.md
refuses "the tree is not clean" 9.8.7 --tested
project
refuses "version.hpp is of '9.8.7', not 9.8.6" 9.8.6 --dry-run
planted "the numbers in include/ballast/version.hpp are 9.8.0, not 9.8.7" sed -i s/7$/0/ include/ballast/version.hpp
planted "CITATION.cff is of '9.8.6', not 9.8.7" sed -i s/7/6/ CITATION.cff
project
DEBEMAIL= refuses "DEBEMAIL is not set" 9.8.7 --tested
planted "no heading '## [9.8.7] - YYYY-MM-DD'" sed -i /9.8.7/d CHANGELOG.md
planted "no heading '## [9.8.7] - YYYY-MM-DD'" sed -i 's/9.8.7.*/9.8.7]/' CHANGELOG.md
planted "there is no scripts/package.sh" rm scripts/package.sh
for words in "" 9.8 "9.8.7 9.8.7" "9.8.7 --wet-run"; do release 2 VERSION $words; done
((wrong == 0)) && echo "release.sh releases what is whole, and nothing else"
