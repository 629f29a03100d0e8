#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""exported.py LIBRARY ROOT: passes if libballast.so shows what the headers of ROOT declare, and nothing else.

Each symbol that a program can be linked to belongs to namespace ballast, and a header that is installed declares it. Each function
that a header for users declares, and that a source of the library defines, can be linked to: libballast.a beside it tells those
from inline ones."""

import json
import pathlib
import re
import subprocess
import sys

LEAST = 300  # symbols, below which nm has not been understood
TABLE = re.compile(r"(?:typeinfo name|typeinfo|vtable|VTT) for (.*)")


def lines_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def symbols(library, *options):
    """(kind, name with its arguments) of each symbol that the library defines."""
    parts = [line.split(" ", 2) for line in lines_of("nm", "-C", "--defined-only", *options, str(library))]
    return [(kind, name) for _, kind, name in (part for part in parts if len(part) == 3)]


def without_arguments(name):
    name = re.sub(r"\[abi:\w+\]", "", name)
    depth = 0
    for index, letter in enumerate(name):
        if letter == "(" and depth == 0 and not name.startswith(("operator()", "(anonymous"), max(0, index - 8)):
            return name[:index] if not name.endswith("operator") else name
        depth += {"<": 1, ">": -1}.get(letter, 0)
    return name


def declared(root):
    """{name: headers} of the functions, classes and members of these that installed headers declare."""
    found = {}
    macros = "BALLAST_API,BALLAST_HIDDEN,BALLAST_HD"
    command = ("ctags", "-R", "--output-format=json", "--languages=C++", "--langmap=C++:+.cuh", "-I", macros, "--kinds-C++=pfcsm",
               "--fields=+s", "-f", "-", str(root / "include/ballast"))
    for tag in map(json.loads, lines_of(*command)):
        own = tag["name"].replace("operator ", "operator")
        name = f"{tag['scope']}::{own}" if "scope" in tag else own
        found.setdefault(name, []).append((tag["kind"], pathlib.Path(tag["path"]).relative_to(root / "include/ballast")))
    return found


def main():
    library, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    known = declared(root)
    shown = {without_arguments(name) for _, name in symbols(library, "-D")}
    wrong = []
    for name in sorted(shown):
        table = TABLE.fullmatch(name)
        of = table.group(1) if table else name
        if not of.startswith("ballast::"):
            wrong.append(f"{name} is not of ballast and can be linked to")
        elif of not in known:
            wrong.append(f"{name} can be linked to, but no installed header declares it")
    of_sources = {without_arguments(name) for kind, name in symbols(library.with_suffix(".a")) if kind == "T"}
    for name in sorted(of_sources - shown):
        headers = [str(header) for kind, header in known.get(name, []) if kind == "prototype" and header.parts[0] != "detail"]
        if headers:
            wrong.append(f"{name} cannot be linked to: BALLAST_API is missing in {headers[0]}")
    if len(shown) < LEAST:
        wrong.append(f"only {len(shown)} symbols were found in {library}")
    print("\n".join(wrong) if wrong else f"{library.name} shows {len(shown)} names, which installed headers declare")
    return bool(wrong)


sys.exit(main())
