#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pages.py root: passes if the pages of the project are short, show code that is built, and link to what is there.

A page that does not fit yet stands in pages_to_mend.tsv with what may be wrong with it: words, line, sentence, code or
lost. A row that is no longer needed fails, so the list only shrinks. --list prints the rows that are needed."""

import pathlib
import re
import sys
import textwrap

MAX_WORDS, MAX_LINE, MAX_SENTENCE = 1500, 120, 40
BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.M | re.S)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(([^)\s]+)\)|^\[\w+\]: (\S+)$", re.M)
NO_PROSE = re.compile(r"^ *(#|\||<|\[\w+\]: |-{3}).*$", re.M)
ITEM = re.compile(r"\n\s*\n|^ *(?:[-*]|\d+\.) ", re.M)
END_OF_SENTENCE = re.compile(r"(?<=[.!?])[)\"*_]*\s+|(?<=[.!?][)\"*_])\s+")


def pages_of(root):
    return [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md")), root / "bench/SCHEMA.md"]


def blocks_of(text):
    """The language and the text of each fenced block, which stands further right in a list."""
    return [(language, textwrap.dedent(block)) for _, language, block in BLOCK.findall(text)]


def faults_of_length(page, text):
    words = len(text.split())
    if words > MAX_WORDS and page.name != "CHANGELOG.md":  # which grows with each release
        yield "words", f"{words} words; at most {MAX_WORDS}"
    without_code = BLOCK.sub(lambda block: "\n" * block.group().count("\n"), text)
    for number, line in enumerate(without_code.split("\n"), 1):
        if len(line) > MAX_LINE and not line.startswith("|"):  # a row of a table is one line
            yield "line", f"line {number} has {len(line)} characters; at most {MAX_LINE}"


def faults_of_sentences(text):
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", CODE.sub("`code`", BLOCK.sub("\n\n", text)))
    for paragraph in ITEM.split(NO_PROSE.sub("\n", text)):
        for sentence in END_OF_SENTENCE.split(paragraph):
            words = [word for word in sentence.split() if re.search(r"\w", word)]
            if len(words) > MAX_SENTENCE:
                yield "sentence", f"a sentence has {len(words)} words; at most {MAX_SENTENCE}: {' '.join(words[:6])} ..."


def shows(source, block):
    """Whether block is whole lines of source, which may stand further right there."""
    first = block.split("\n", 1)[0]
    indents = {len(line) - len(first) for line in source.split("\n") if line.lstrip(" ") == first.lstrip(" ")}
    return any("\n" + textwrap.indent(block, " " * indent) in "\n" + source for indent in indents)


def faults_of_code(text, sources):
    for language, block in blocks_of(text):
        if language in ("cpp", "cmake") and not any(shows(source, block) for source in sources):
            yield "code", "no file of examples or tests has this:\n" + textwrap.indent(block, "    ")


def anchors_of(page):
    """The names that GitHub gives to headings."""
    titles = re.findall(r"^#+ (.*)$", BLOCK.sub("", page.read_text()), re.M)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower() for title in titles)
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in plain}


def faults_of_links(page, text):
    for link in ("".join(both) for both in LINK.findall(CODE.sub("", BLOCK.sub("", text)))):
        path, _, anchor = link.partition("#")
        if re.match(r"\w+:", link):
            continue
        target = page.parent / path if path else page
        if not target.exists():
            yield "link", f"{link} is not there"
        elif anchor and anchor not in anchors_of(target):
            yield "link", f"{target.name} has no heading {anchor}"


def pages_led_to(root):
    """README.md, and what a reader finds from there by links."""
    found, left = set(), [root / "README.md"]
    while left:
        page = left.pop()
        if page in found or page.suffix != ".md" or not page.is_file():
            continue
        found.add(page)
        links = ("".join(both).partition("#")[0] for both in LINK.findall(page.read_text()))
        left += [(page.parent / link).resolve() for link in links if link and ":" not in link]
    return found


def sources_of(root, *folders):
    files = (file for folder in folders for file in sorted((root / folder).rglob("*")))
    endings = (".cpp", ".hpp", ".cu", ".cuh", ".mcu", ".cmake", ".txt")
    return [file.read_text() for file in files if file.is_file() and file.suffix in endings]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    sources = sources_of(root, "examples", "tests")
    rows = (root / "tests/house/pages_to_mend.tsv").read_text().splitlines()
    allowed = {tuple(row.split("\t")) for row in rows}
    found = {(str(page.relative_to(root)), "lost"): [f"{page.relative_to(root)}: no link from README.md on leads here"]
             for page in set(pages_of(root)) - pages_led_to(root)}
    for page in pages_of(root):
        text, name = page.read_text(), str(page.relative_to(root))
        for kind, fault in [*faults_of_length(page, text), *faults_of_sentences(text), *faults_of_code(text, sources),
                            *faults_of_links(page, text)]:
            found.setdefault((name, kind), []).append(f"{name}: {fault}")
    if "--list" in sys.argv:
        print("\n".join("\t".join(key) for key in sorted(found)))
        return
    faults = [fault for key in sorted(found.keys() - allowed) for fault in found[key]]
    faults += [f"pages_to_mend.tsv: {page} has no such fault, remove it: {kind}" for page, kind in sorted(allowed - found.keys())]
    print("\n".join(faults) or f"{len(pages_of(root))} pages; {len(allowed)} faults to mend")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
