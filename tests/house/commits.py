#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""commits.py root [first]: passes if each commit after the one that added this file, or `first`, has a subject of three words or more and of 72 characters
at most, a body that says why, and makes a figure of scripts/figures.tsv worse only if it changes nothing else. Exits 77 where
git does not know the history."""

import pathlib
import subprocess
import sys

FIGURES = "scripts/figures.tsv"
LONGEST = 72


def git(root, *words):
    return subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=True).stdout


def figures_at(root, commit):
    """Figures and their recorded values; none before there were any."""
    if not git(root, "ls-tree", commit, "--", FIGURES):
        return {}
    rows = [line.split("\t") for line in git(root, "show", f"{commit}:{FIGURES}").splitlines()[1:]]
    return {name: float(value) for name, value, _ in rows}


def faults_of(root, commit):
    subject, _, body = git(root, "show", "-s", "--format=%B", commit).partition("\n")
    if len(subject.split()) < 3:
        yield f"its subject has fewer than three words: {subject}"
    if len(subject) > LONGEST:
        yield f"its subject has {len(subject)} characters; at most {LONGEST}"
    if not body.strip():
        yield "it has no body that says why"
    before, after = figures_at(root, f"{commit}^"), figures_at(root, commit)
    worse = [name for name in before.keys() & after.keys() if after[name] > before[name]]
    changed = git(root, "diff-tree", "-r", "--no-commit-id", "--name-only", commit).split()
    if worse and changed != [FIGURES]:
        yield f"it makes {', '.join(sorted(worse))} worse beside other changes"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    try:
        if git(root, "rev-parse", "--is-shallow-repository").strip() != "false":
            sys.exit(77)
        added = git(root, "log", "--diff-filter=A", "--format=%H", "--", "tests/house/commits.py").split()
    except (OSError, subprocess.CalledProcessError):
        sys.exit(77)
    first = (sys.argv[2:] or added[-1:] or ["HEAD"])[0]
    commits = git(root, "rev-list", "--no-merges", f"{first}..HEAD").split()
    faults = [f"{commit[:8]}: {fault}" for commit in commits for fault in faults_of(root, commit)]
    print("\n".join([*faults, f"{len(commits)} commits, {len(faults)} faults"]))
    sys.exit(bool(faults))


main()
