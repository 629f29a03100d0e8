#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""names.py root build [base]: passes if names in the files that changed since `base` are as .clang-tidy wants them. Unless it is given, that is where
the branch left origin/main or, on main itself, the commit before. `build` is configured, and has compile_commands.json.

Changed files of a target are read as one source, since most of the time goes into headers. A header is read through a source that
includes it."""

import collections
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

TIDY = ["clang-tidy-19", "--quiet", "--checks=-*,readability-identifier-naming"]
CODE = (".cpp", ".hpp", ".cuh")
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)', re.M)
MOST = 8  # targets, at some six seconds each; what changes more is for stage tidy


def git(*words):
    return subprocess.run(["git", *words], capture_output=True, text=True, check=False).stdout.splitlines()


def base_of_branch():
    """None where git knows no commit before."""
    left = git("merge-base", "HEAD", "origin/main")
    if not left or left == git("rev-parse", "HEAD"):
        left = git("rev-parse", "-q", "--verify", "HEAD~1")
    return left[0] if left else None


def compilations(build):
    """Of each source what compiles it first: its target and its flags."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        end = words.index("-o")
        name = os.path.relpath(entry["file"])
        if name.endswith(".cpp"):
            found.setdefault(name, (words[end + 1].partition(".dir/")[0], words[1:end]))
    return found


def inclusions(sources):
    """By the last part of their names: which files include which headers, as they name them."""
    found = collections.defaultdict(set)
    for name in {*sources, *git("ls-files", "*.hpp", "*.cuh")}:
        if os.path.isfile(name):
            for included in INCLUDE.findall(pathlib.Path(name).read_text()):
                found[pathlib.Path(included).name].add((name, included))
    return found


def source_of(changed, sources, including, chosen):
    """The nearest source that includes it, itself or through other headers. Of equals one that is chosen already, or else
    none that tests/house makes for a header alone."""
    def rank(source):
        return len(os.path.commonpath([source, changed])), source in chosen, not source.endswith((".cuh.cpp", ".hpp.cpp"))

    seen, wanted = set(), {changed}
    while wanted:
        fitting = sorted(wanted & sources.keys())
        if fitting:
            return max(fitting, key=rank)
        seen |= wanted
        wanted = {user for name in wanted for user, included in including[pathlib.Path(name).name] if f"/{name}".endswith(f"/{included}")} - seen
    return None


def batches(changed, sources):
    """Sources and flags of each target, those with most sources first; and the files that no target compiles."""
    including, chosen, left = inclusions(sources), set(), []
    for name in sorted(changed, key=lambda name: name not in sources):
        source = source_of(name, sources, including, chosen)
        if source and "/cuda/" not in name:
            chosen.add(source)
        else:
            left.append(name)
    read = collections.defaultdict(list)
    for source in sorted(chosen):
        read[sources[source][0]].append(source)
    return [(read[target], flags_of(read[target], sources)) for target in sorted(read, key=lambda target: -len(read[target]))], left


def flags_of(together, sources):
    """Those of the first source, and what only others define."""
    first = sources[together[0]][1]
    return first + sorted({flag for name in together for flag in sources[name][1] if flag.startswith("-D") and flag not in first})


def faults_of(build, files, flags):
    """What clang-tidy says of them as one source, or nothing."""
    source = build / "names.cpp"
    source.write_text("".join(f'#include "{pathlib.Path(name).resolve()}"\n' for name in files))
    ended = subprocess.run([*TIDY, source, "--", *flags, "-w"], capture_output=True, text=True, check=False)
    return [ended.stdout + ended.stderr] if ended.returncode else []


def sees_a_wrong_name(build):
    planted = build / "tests/planted_name.hpp"
    planted.parent.mkdir(exist_ok=True)
    planted.write_text("inline int wrongName;\n")
    return any("wrongName" in fault for fault in faults_of(build, [planted], ["-std=c++20"]))


def main():
    build = pathlib.Path(sys.argv[2]).resolve()
    os.chdir(sys.argv[1])
    base = sys.argv[3] if len(sys.argv) > 3 else base_of_branch()
    if base is None:
        print("git knows no commit before this one: there is nothing to compare")
        return
    if not sees_a_wrong_name(build):
        sys.exit("a wrong name passes")
    changed = [name for name in git("diff", "--name-only", "--diff-filter=d", base) if name.endswith(CODE)]
    read, left = batches(changed, compilations(build))
    left += [source for batch, _ in read[MOST:] for source in batch]
    faults = [fault for batch, flags in read[:MOST] for fault in faults_of(build, batch, flags)]
    for line in [*faults, *(f"not read: {name}" for name in left)]:
        print(line)
    print(f"{len(changed)} files have changed; {sum(len(batch) for batch, _ in read[:MOST])} sources were read for them")
    sys.exit(bool(faults))


main()
