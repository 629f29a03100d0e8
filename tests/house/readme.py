#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""readme.py root: passes if README.md is shorter than other pages, and shows programs and what they print."""

import pathlib
import re
import sys

import pages

MAX_WORDS, MAX_NUMBERS = 800, 40
NUMBER = re.compile(r"(?<![\w.-])\d[\d.]*")  # those in names, as x86-64, are none


def faults_of_length(text):
    shown = pages.LINK.sub("]", text)
    words, numbers = len(text.split()), len(NUMBER.findall(shown))
    if words > MAX_WORDS:
        yield f"README.md has {words} words; at most {MAX_WORDS}"
    if numbers > MAX_NUMBERS:
        yield f"README.md has {numbers} numbers; at most {MAX_NUMBERS}"


def faults_of_blocks(root, text):
    """Plain text is what an example prints, as examples/CMakeLists.txt has it; pages.py compares C++ and CMake."""
    printed = re.findall(r'^set\(output_of_\w+ "\^(.*?)\$"\)$', (root / "examples/CMakeLists.txt").read_text(), re.M)
    printed = [line.replace("\\n", "\n") for line in printed]
    blocks = pages.blocks_of(text)
    for language, block in blocks:
        if language == "text" and block not in printed:
            yield f"README.md: no example prints this:\n{block}"
        if language not in ("cpp", "cmake", "text", "sh"):
            yield f"README.md: a block of '{language}', which is compared with nothing"
    for needed in ("cpp", "cmake", "text"):
        if needed not in (language for language, _ in blocks):
            yield f"README.md has no block of {needed}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    text = (root / "README.md").read_text()
    faults = [*faults_of_length(text), *faults_of_blocks(root, text)]
    print("\n".join(faults) or f"README.md has {len(text.split())} words, {len(NUMBER.findall(pages.LINK.sub(']', text)))} numbers")
    sys.exit(bool(faults))


main()
