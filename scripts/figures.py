#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what a reader has to find the way through: scripts/figures.py [--list FIGURE | --record] [--recorded FILE]
[--components PROGRAM].

Prints each figure with what it was when it was recorded and with its target, and fails where one has become worse than recorded.
scripts/figures.tsv has both. --record writes down what has become better. A commit that makes a recorded figure worse does nothing else,
says what that bought, and only an issue may allow it.

Functions and names are found by universal-ctags (Debian package universal-ctags). Golden files, which mesicc has printed, are left out.

With --components PROGRAM it counts only the files of the library that the host executes for one submission, by callgrind. PROGRAM is ballast_host_costs
without optimisation and with -g1, as preset cuda-check compiles it."""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = (".hpp", ".cuh", ".cpp", ".cu")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
RUN = 6  # lines that make a repetition
RECORDED = ROOT / "scripts/figures.tsv"
DIALECT = {'"who" or "whom"': r"\bwhom?\b", '"told" or "tells"': r"\b(?:told|tells?)\b", '"so many"': r"\bso many\b", '"room"': r"\brooms?\b"}
WAYS = {"components a task executes": "tasks", "components a grid executes": "jobs", "components a launch executes": "launches"}


def tracked(*folders):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *folders], cwd=ROOT, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.splitlines() if name.endswith(CODE) and "golden" not in name and (ROOT / name).is_file()]


def text_of(name):
    return (ROOT / name).read_text()


def public_headers():
    return [name for name in tracked("include/ballast") if "/detail/" not in name]


def library_files():
    return tracked("include", "src")


def tags_of(names, kinds):
    command = ["ctags", "--output-format=json", "--languages=C++", "--langmap=C++:+.cuh.cu", f"--kinds-C++={kinds}", "--fields=+ne{access}{scope}",
               "-I", "BALLAST_HD,BALLAST_API,BALLAST_HIDDEN", "-f", "-", *names]
    found = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in found.splitlines()]


def public_names():
    """Those that public headers declare for users: of types, functions, members, values and macros, each once."""
    names = set()
    for tag in tags_of(public_headers(), "cdefgmpstuvx"):
        is_hidden = "detail" in tag.get("scope", "").split("::") or tag.get("access") in ("private", "protected")
        if not is_hidden and re.fullmatch(r"(?!operator\b|__)[A-Za-z]\w*", tag["name"]):
            names.add(tag["name"])
    return sorted(names)


def unused(names):
    """Of public names those that stand in no application, tool, benchmark, example, nor as code in a page; tests do not count."""
    programs = [text_of(name) for name in tracked("apps", "tools", "bench", "examples") if "/tests/" not in name]
    code = [part for name in pages() for part in re.findall(r"```.*?```|`[^`]*`", text_of(name), re.DOTALL)]
    words = {word for text in programs + code for word in re.findall(r"[A-Za-z_]\w*", text)}
    return [name for name in names if name not in words]


def function_lengths():
    """(lines, place) of each function of the library, the programs and the applications without their tests."""
    names = [name for name in tracked("include", "src", "tools", "apps") if "/tests/" not in name]
    return sorted((tag["end"] - tag["line"] + 1, f'{tag["path"]}:{tag["line"]} {tag["name"]}') for tag in tags_of(names, "f") if "end" in tag)


def code_lines(name):
    """Of a file, without comments and blank lines."""
    text = re.sub(r"/\*.*?\*/", "", text_of(name), flags=re.S)
    return sum(1 for line in text.splitlines() if line.strip() and not line.lstrip().startswith("//"))


def all_tracked(*folders):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *folders], cwd=ROOT, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def pages():
    """Without those that a script writes, and says so."""
    return [name for name in all_tracked("docs", "README.md") if name.endswith(".md") and "writes this page" not in text_of(name)[:400]]


def dialect(pattern):
    """Places in pages and in comments of the library where a native engineer would mostly use another word."""
    found = []
    for name in library_files() + pages():
        for number, line in enumerate(text_of(name).splitlines(), 1):
            text = line if name.endswith(".md") else line.partition("//")[2]
            found += [f"{name}:{number}: {text.strip()}"] * len(re.findall(pattern, text, re.I))
    return found


def megabytes(*folders):
    return round(sum((ROOT / name).stat().st_size for name in all_tracked(*folders)) / 1e6, 1)


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


def measured():
    """Of each figure its value, and what is counted."""
    lengths, hello = function_lengths(), hello_lines()
    numbers = [lines for lines, _ in lengths]
    names, library = public_names(), library_files()
    by_lines = sorted(((code_lines(name), name) for name in library), reverse=True)
    by_words = sorted(((len(text_of(name).split()), name) for name in pages()), reverse=True)
    def listed(pairs):
        return [f"{value} {name}" for value, name in pairs]

    counted = {"public headers": public_headers(), "public names": names, "public names that no program or page uses": unused(names), "library files": library,
               "private headers with one user": lone_headers(), "classes in more than two sources": spread_classes(),
               f"repeated runs of {RUN} lines": repeated_runs()} | {
                   f"times {word}": dialect(pattern) for word, pattern in DIALECT.items()}
    return {name: (len(items), items) for name, items in counted.items()} | {
        "hundreds of lines of library code": (round(sum(lines for lines, _ in by_lines) / 100), listed(by_lines)),
        "hundreds of words of pages": (round(sum(words for words, _ in by_words) / 100), listed(by_words)),
        "median of lines of a function": (statistics.median(numbers), [place for _, place in lengths]),
        "90th percentile of lines of a function": (numbers[len(numbers) * 9 // 10], listed(lengths[-len(lengths) // 10 :])),
        "lines of a first example": (hello[-1][0], listed(hello)),
        "MB of the tree": (megabytes(), []),
        "MB of bench/results": (megabytes("bench/results"), []),
    }


def files_executed(program, way):
    """Those of the library in which one submission costs an instruction, between its call and its return."""
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["valgrind", "--tool=callgrind", "--fair-sched=try", f"--toggle-collect={way}", f"--callgrind-out-file={out.name}", program, way, "1"],
                       check=True, capture_output=True)
        lines = pathlib.Path(out.name).read_text().splitlines()
    names, file, found = {}, "", set()
    for before, line in zip(["", *lines], lines):
        named = re.match(r"(c?)f[lie]=(\(\d+\))(?: (.+))?", line)  # a name stands beside its number once
        if named:
            names.setdefault(named[2], named[3])
            file = file if named[1] else names[named[2]]
        elif re.match(r"[-+*\d]", line) and not line.endswith(" 0") and not before.startswith("calls="):
            found.add(re.sub(r".*(?:/rooms/\w+/|\binclude/|/(?=src/))", "", file))
    executed = [name for name in library_files() if name.removeprefix("include/") in found]
    return executed or sys.exit(f"callgrind knows no source of {program} in {way}: it has to be compiled with -g1")


def components(program):
    if not shutil.which("valgrind"):
        print("valgrind was not found (Debian package valgrind)")
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    executed = {name: files_executed(program, way) for name, way in WAYS.items()}
    return {name: (len(files), files) for name, files in executed.items()}


def recorded(file):
    """Of each figure the recorded value and the target."""
    rows = [line.split("\t") for line in file.read_text().splitlines()[1:]]
    return {name: (float(value), float(target)) for name, value, target in rows}


def record(file, now):
    lines = [f"{name}\t{min(value, now.get(name, [value])[0]):g}\t{target:g}" for name, (value, target) in recorded(file).items()]
    file.write_text("\n".join(["figure\trecorded\ttarget", *lines]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", metavar="FIGURE", help="what is counted, one line each")
    parser.add_argument("--record", action="store_true", help="write down what has become better")
    parser.add_argument("--recorded", metavar="FILE", type=pathlib.Path, default=RECORDED, help="default scripts/figures.tsv")
    parser.add_argument("--components", metavar="PROGRAM", help="count what ballast_host_costs executes")
    chosen = parser.parse_args()
    now = components(chosen.components) if chosen.components else measured()
    before = {name: row for name, row in recorded(chosen.recorded).items() if (name in WAYS) == bool(chosen.components)}
    if now.keys() != before.keys():
        sys.exit(f"{chosen.recorded} does not have these figures: {', '.join(sorted(now.keys() ^ before.keys()))}")
    if chosen.record:
        record(chosen.recorded, now)
    worse = 0
    for name, (value, items) in now.items():
        most, target = before[name]
        worse += value > most
        distance = f", {value - target:g} beyond the target of {target:g}" if value > target else ""
        print(f"{value:6g} {name} (recorded {most:g}{distance}){'  WORSE' if value > most else ''}")
        if chosen.list == name:
            print("\n".join(f"       {item}" for item in items))
    sys.exit(1 if worse else 0)


main()
