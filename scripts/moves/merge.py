#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Merges files that hold one component, and writes the includes of them anew.

scripts/moves/merge.py TABLE, once, in a clean checkout. Rows: `target<TAB>source source ...`; what the sources hold follows in
this order, and the first is moved, so that its history stays. A target may be one of its sources."""

import os
import pathlib
import re
import subprocess
import sys

INCLUDE = re.compile(r'^(#\s*include\s+)(["<])([^">]+)([">])(.*)$')
OPENING = re.compile(r"^namespace [\w:]+ \{\n", re.M)
CODE = (".hpp", ".cuh", ".cpp", ".cu")


def git(*words):
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout


def parts_of(text):
    """(includes, what stands before the namespace, [(opening, body, closing), ...])."""
    opening = OPENING.search(text)
    before = text[: opening.start()] if opening else text
    lines = before.split("\n")
    includes = [line for line in lines if INCLUDE.match(line)]
    guarded = any(line.startswith("#if") for line in lines)
    if guarded:
        sys.exit("a conditional stands before the namespace: " + before)
    head = [line for line in lines if not INCLUDE.match(line) and line not in ("// SPDX-License-Identifier: Apache-2.0", "#pragma once")]
    blocks, rest = [], text[opening.start() :] if opening else ""
    while rest.strip():
        match = OPENING.match(rest)
        if not match:
            sys.exit("this stands outside of a namespace: " + rest[:300])
        end = closing_of(rest)
        blocks.append((match.group(0), rest[match.end() : end[0]].strip("\n"), rest[end[0] : end[1]]))
        rest = rest[end[1] :].lstrip("\n")
    return includes, "\n".join(head).strip("\n"), blocks


def closing_of(rest):
    """Where the brace lies that closes the namespace which `rest` begins with; only that of declarations has no comment."""
    short = re.match(r"namespace [\w:]+ \{\n((?:(?:class|struct) \w+;\n)+)\}\n", rest)
    if short:
        return short.end() - 2, short.end()
    depth = 0
    for match in re.finditer(r"^(?:namespace(?: [\w:]+)? \{|\}  // namespace.*)$", rest, re.M):
        depth += 1 if match.group(0).startswith("namespace") else -1
        if depth == 0:
            return match.start(), match.end() + 1
    sys.exit("a namespace is not closed: " + rest[:300])


def merged(sources):
    includes, heads, blocks = [], [], []
    for path in sources:
        own, head, bodies = parts_of(pathlib.Path(path).read_text())
        includes += [line for line in own if line not in includes]
        if head:
            heads.append(head)
        for opening, body, closing in bodies:
            if blocks and blocks[-1][0] == opening:
                using = "using namespace detail;\n"
                body = body[len(using) :].lstrip("\n") if body.startswith(using) and using in blocks[-1][1] else body
                blocks[-1] = (opening, blocks[-1][1] + "\n\n" + body, closing)
            else:
                blocks.append((opening, body, closing))
    standard, own = [sorted({line for line in includes if bracket in line}) for bracket in ("<", '"')]
    text = "// SPDX-License-Identifier: Apache-2.0\n"
    if sources[0].endswith((".hpp", ".cuh")):
        text += "#pragma once\n"
    if heads:
        text += "\n".join(heads) + "\n"
    text += "\n" + "\n".join(standard) + ("\n\n" if standard and own else "") + "\n".join(own) + "\n\n"
    return text + "\n".join(opening + "\n" + body + "\n\n" + closing for opening, body, closing in blocks)


def folders_of(path):
    """Where an include in quotes is looked for: beside the file, and what its target adds."""
    room = path.split("/")[1] if path.startswith(("src/", "tests/")) else ""
    return [os.path.dirname(path), "include", f"src/{room}", f"tests/{room}", "tests/shared", "tools", "apps", "bench", "tools/mesicc"]


def shortest(name, old, new):
    """The include of `new` written as `name`, which meant `old`, was."""
    folder = old[: len(old) - len(name)]
    return new[len(folder) :] if new.startswith(folder) else os.path.relpath(new, os.path.dirname(old))


def rewritten(path, text, new_place, before):
    seen, lines = [], []
    for line in text.split("\n"):
        match = INCLUDE.match(line)
        if match:
            start, left, name, right, rest = match.groups()
            for folder in folders_of(path):
                old = os.path.normpath(os.path.join(folder, name))
                if old in before:
                    if old in new_place:
                        name = shortest(name, old, new_place[old])
                        if new_place[old] == path:
                            name = None
                    break
            if name is None:
                continue
            new = f"{start}{left}{name}{right}{rest}"
            if new != line and new in text.split("\n") + seen:
                continue
            line = new
            seen.append(line)
        lines.append(line)
    return "\n".join(lines)


def main():
    rows = [line.split("\t") for line in pathlib.Path(sys.argv[1]).read_text().splitlines() if line and not line.startswith("#")]
    before = set(git("ls-files").split("\n"))
    new_place = {}
    for target, sources in rows:
        sources = sources.split()
        text = merged(sources)
        for source in sources:
            new_place[source] = target
        if sources[0] != target:
            if target in before and target not in sources:
                sys.exit(f"{target} is there and not among its sources")
            if target in sources:
                git("rm", "-qf", "--cached", target)
            pathlib.Path(target).parent.mkdir(parents=True, exist_ok=True)
            os.rename(sources[0], target)
        for source in sources:
            if source != target and pathlib.Path(source).exists():
                os.remove(source)
        pathlib.Path(target).write_text(text)
    git("add", "-A")
    changed = []
    for path in git("ls-files").split("\n"):
        if path.endswith(CODE) and not path.startswith("tests/mesicc/golden"):
            text = pathlib.Path(path).read_text()
            new = rewritten(path, text, {old: new for old, new in new_place.items() if old != new}, before)
            if new != text:
                pathlib.Path(path).write_text(new)
            if new != text or path in new_place.values():
                changed.append(path)
    subprocess.run(["clang-format", "-i", *changed], check=True)
    git("add", "-A")
    print(f"{sum(len(row[1].split()) for row in rows)} files became {len(rows)}; {len(changed)} changed")


main()
