#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what a reader has to find the way through, and fails where a limit is passed: scripts/figures.py [--list FIGURE].

Functions are counted by universal-ctags (Debian package universal-ctags). Golden files, which mesicc has printed, are left out."""

import argparse
import collections
import json
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = (".hpp", ".cuh", ".cpp", ".cu")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
RUN = 6  # lines that make a repetition


def tracked(*folders):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *folders], cwd=ROOT, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.splitlines() if name.endswith(CODE) and "golden" not in name and (ROOT / name).is_file()]


def text_of(name):
    return (ROOT / name).read_text()


def public_headers():
    return [name for name in tracked("include/ballast") if name.count("/") == 2]


def library_files():
    return tracked("include", "src")


def function_lengths():
    """(lines, place) of each function of the library, the programs and the applications without their tests."""
    names = [name for name in tracked("include", "src", "tools", "apps") if "/tests/" not in name]
    command = ["ctags", "--output-format=json", "--languages=C++", "--langmap=C++:+.cuh.cu", "--kinds-C++=f", "--fields=+ne", "-f", "-", *names]
    found = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    tags = [json.loads(line) for line in found.splitlines()]
    return sorted((tag["end"] - tag["line"] + 1, f'{tag["path"]}:{tag["line"]} {tag["name"]}') for tag in tags if "end" in tag)


def lone_headers():
    """Private headers that one file includes beside their own source and the tests."""
    users = collections.defaultdict(set)
    names = tracked("src", "tools", "apps", "bench")
    private = [name for name in names if name.endswith((".hpp", ".cuh"))]
    by_name = collections.defaultdict(list)
    for header in private:
        by_name[pathlib.Path(header).name].append(header)
    for name in names:
        if "/tests/" in name:
            continue
        for included in INCLUDE.findall(text_of(name)):
            fitting = [header for header in by_name[pathlib.Path(included).name] if f"/{header}".endswith(f"/{included}")]
            near = [header for header in fitting if header.startswith(str(pathlib.Path(name).parent))] or fitting
            for header in near[:1]:
                if pathlib.Path(header).with_suffix("") != pathlib.Path(name).with_suffix(""):
                    users[header].add(name)
    return [f"{header} <- {next(iter(users[header]))}" for header in private if "/tests/" not in header and len(users[header]) == 1]


def spread_classes():
    """Classes whose members are defined in more than two sources and whose header gives no reason ("source files")."""
    places = collections.defaultdict(set)
    for name in tracked("src", "tools", "apps"):
        if name.endswith(".cpp") and "/tests/" not in name:
            for owner in re.findall(r"^(?=\w)(?!return)[\w:<>,&* \[\]]*?\b([a-z]\w+)::~?[a-z_]\w*\(", text_of(name), re.M):
                places[str(pathlib.Path(name).parent), owner].add(name)
    reasons = "".join(text_of(name) for name in tracked("src", "include", "tools") if name.endswith(".hpp") and "source files" in text_of(name))
    return [f"{owner}: {' '.join(sorted(files))}" for (_, owner), files in places.items()
            if len(files) > 2 and not re.search(rf"^(?:class|struct) {owner}\b", reasons, re.M) and not is_namespace(owner)]


def is_namespace(owner):
    return owner in ("std", "detail", "ranges", "fmt")


def repeated_runs():
    """Pairs of places that share RUN lines or more, without includes, blank lines and lone braces."""
    seen, pairs = {}, {}
    for name in tracked("include", "src", "tools", "apps", "bench"):
        lines = [(number, " ".join(line.split())) for number, line in enumerate(text_of(name).splitlines(), 1)]
        lines = [(number, line) for number, line in lines if len(line) > 3 and not line.startswith(("#", "//", "namespace", "using ", "}"))]
        last = None
        for i in range(len(lines) - RUN + 1):
            window = tuple(line for _, line in lines[i : i + RUN])
            first = seen.setdefault(window, (name, lines[i][0]))
            if first != (name, lines[i][0]) and last != i - 1:
                pairs[first[0], name] = f"{first[0]}:{first[1]} and {name}:{lines[i][0]}"
            last = i if first != (name, lines[i][0]) else last
    return list(pairs.values())


def hello_lines():
    """(lines, file) of each first example, without blank lines and comments."""
    names = tracked("examples/00_*")
    return sorted((sum(not re.match(r"\s*(//.*)?$", line) for line in text_of(name).splitlines()), name) for name in names)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", metavar="FIGURE", help="what is counted, one line each")
    chosen = parser.parse_args().list
    lengths = function_lengths()
    numbers = [lines for lines, _ in lengths]
    hello = hello_lines()
    # Name, the limit, what is counted, and the number if it is not how many these are.
    figures = [
        ("headers for users", 33, public_headers(), None),
        ("library files", 335, library_files(), None),
        ("median of lines of a function", 6, [place for lines, place in lengths], statistics.median(numbers)),
        ("90th percentile of lines of a function", 15, [f"{lines} {place}" for lines, place in lengths[-len(lengths) // 10 :]],
         numbers[len(numbers) * 9 // 10]),
        ("private headers with one user", 100, lone_headers(), None),
        ("classes in more than two sources", 3, spread_classes(), None),
        (f"repeated runs of {RUN} lines", 10, repeated_runs(), None),
        ("lines of a first example", 25, [f"{lines} {name}" for lines, name in hello], hello[-1][0]),
    ]
    passed = True
    for name, limit, items, value in figures:
        value = len(items) if value is None else value
        passed &= value <= limit
        print(f"{value:6g} {name} (at most {limit}){'' if value <= limit else '  TOO MANY'}")
        if chosen == name:
            print("\n".join(f"       {item}" for item in items))
    sys.exit(0 if passed else 1)


main()
