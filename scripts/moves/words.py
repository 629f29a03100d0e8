#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Renames by tables: scripts/moves/words.py TABLE..., once, in a clean checkout.

Rows `scope<TAB>old<TAB>new`: `old` is an identifier or, if it holds anything else, a text; `scope` is * or the first parts of
paths, separated by commas. One pass over each file: the leftmost match counts, and of those the longest. Rows
`file<TAB>old path<TAB>new path` move files, and #include lines and CMake follow. Rows `as<TAB>path<TAB>paths` give a file the rows
of other ones too, which count after its own."""

import os
import pathlib
import re
import subprocess
import sys


def git(*words):
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout


def read_tables(paths):
    rows, files, likes = [], [], {}
    for path in paths:
        for line in pathlib.Path(path).read_text().splitlines():
            if not line or line.startswith("#"):
                continue
            scope, old, new = line.split("\t")
            if scope == "as":
                likes[old] = new.split(",")
                continue
            (files if scope == "file" else rows).append((old, new) if scope == "file" else (scope.split(","), old, new))
    return rows, files, likes


def room_of(path):
    """The second folder, which src, tests and bench have in common, or the folder itself."""
    return path.split("/")[1]


def names_of(files):
    """What text may call a moved file: (where, old, new), by its path, as an #include does, and by its name in its room."""
    for old, new in files:
        for start in ("", "include/", "apps/", "tools/", "bench/"):
            if old.startswith(start) and new.startswith(start):
                yield None, old[len(start) :], new[len(start) :]
        if old.startswith("src/"):
            yield room_of(old), '"' + old.split("/", 2)[2] + '"', '"' + new.split("/", 2)[2] + '"'
        yield room_of(old), f'"{pathlib.Path(old).name}"', f'"{pathlib.Path(new).name}"'


def in_scope(path, scopes):
    return "*" in scopes or any(path.startswith(scope) or scope.startswith(path) and path.endswith("/") for scope in scopes)


def pattern_of(old):
    return rf"(?<!\w){re.escape(old)}(?!\w)" if re.fullmatch(r"\w+", old) else re.escape(old)


def rename(path, text, rows, files, likes):
    wanted = {}
    for like in [path, *likes]:
        for scopes, old, new in rows:
            if in_scope(like, scopes):
                wanted.setdefault(old, new)
    for room, old, new in names_of(files):
        if room is None or room in path.split("/"):
            wanted.setdefault(old, new)
    if not wanted:
        return text
    ordered = sorted(wanted, key=len, reverse=True)
    expression = re.compile("|".join(pattern_of(old) for old in ordered))
    return expression.sub(lambda match: wanted[match.group(0)], text)


def main():
    rows, files, likes = read_tables(sys.argv[1:])
    for path in git("ls-files").splitlines():
        if path.startswith(("bench/results/", "scripts/moves/")) or path.endswith((".svg", ".png")) or os.path.islink(path):
            continue
        try:
            text = pathlib.Path(path).read_text()
        except UnicodeDecodeError:
            continue
        new = rename(path, text, rows, files, likes.get(path, []))
        if new != text:
            pathlib.Path(path).write_text(new)
    for old, new in files:
        pathlib.Path(new).parent.mkdir(parents=True, exist_ok=True)
        git("mv", old, new)
    code = [p for p in git("ls-files").splitlines() if p.endswith((".hpp", ".cuh", ".cpp", ".cu")) and "/golden/" not in p]
    subprocess.run(["clang-format", "-i", *code], check=True)


main()
