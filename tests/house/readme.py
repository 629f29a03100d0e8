#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""readme.py root: passes if README.md is short, shows programs as the examples have them and what they print, and if what the
pages of the project link to is there."""

import pathlib
import re
import sys

MAX_WORDS, MAX_NUMBERS, MAX_LINE = 900, 40, 120
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(([^)\s]+)\)|^\[\w+\]: (\S+)$", re.M)
NUMBER = re.compile(r"(?<![\w.-])\d[\d.]*")  # those in names, as x86-64, are none


def faults_of_length(text):
    shown = LINK.sub("]", text)
    words, numbers = len(text.split()), len(NUMBER.findall(shown))
    if words > MAX_WORDS:
        yield f"README.md has {words} words; at most {MAX_WORDS}"
    if numbers > MAX_NUMBERS:
        yield f"README.md has {numbers} numbers; at most {MAX_NUMBERS}"
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > MAX_LINE:
            yield f"README.md:{number} has {len(line)} characters; at most {MAX_LINE}"


def faults_of_blocks(root, text):
    """C++ and CMake come from files of examples, and plain text from what those print, as examples/CMakeLists.txt has it."""
    sources = [file.read_text() for file in (root / "examples").rglob("*") if file.is_file()]
    printed = re.findall(r'^set\(output_of_\w+ "\^(.*?)\$"\)$', (root / "examples/CMakeLists.txt").read_text(), re.M)
    printed = [line.replace("\\n", "\n") for line in printed]
    blocks = BLOCK.findall(text)
    for language, block in blocks:
        if language in ("cpp", "cmake") and not any(block in source for source in sources):
            yield f"README.md: no file of examples has this:\n{block}"
        if language == "text" and block not in printed:
            yield f"README.md: no example prints this:\n{block}"
        if language not in ("cpp", "cmake", "text", "sh"):
            yield f"README.md: a block of '{language}', which is compared with nothing"
    for needed in ("cpp", "cmake", "text"):
        if needed not in (language for language, _ in blocks):
            yield f"README.md has no block of {needed}"


def anchors_of(page):
    """The names that GitHub gives to headings."""
    titles = re.findall(r"^#+ (.*)$", BLOCK.sub("", page.read_text()), re.M)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower() for title in titles)
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in plain}


def faults_of_links(root):
    for page in [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md")), root / "bench/SCHEMA.md"]:
        for link in ("".join(both) for both in LINK.findall(CODE.sub("", BLOCK.sub("", page.read_text())))):
            path, _, anchor = link.partition("#")
            if re.match(r"\w+:", link):
                continue
            target = page.parent / path if path else page
            if not target.exists():
                yield f"{page.relative_to(root)}: {link} is not there"
            elif anchor and anchor not in anchors_of(target):
                yield f"{page.relative_to(root)}: {target.name} has no heading {anchor}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    text = (root / "README.md").read_text()
    faults = [*faults_of_length(text), *faults_of_blocks(root, text), *faults_of_links(root)]
    print("\n".join(faults) or f"README.md has {len(text.split())} words, {len(NUMBER.findall(LINK.sub(']', text)))} numbers")
    sys.exit(bool(faults))


main()
