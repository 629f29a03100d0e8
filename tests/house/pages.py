#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pages.py root: passes if the pages of the project say nothing twice, show code that is built, and link to what is there.

A page that does not fit yet stands in pages_to_mend.tsv with what may be wrong with it: line, sentence, twice, code or
lost. scripts/figures.py counts the words of all pages. A row that is no longer needed fails, so the list only shrinks. --list prints the rows that are needed."""

import pathlib
import re
import sys
import textwrap

MAX_LINE, MAX_SENTENCE = 120, 40
RUN = 12  # words that two pages must not share
COMPARED, OTHERS = ("cpp", "cuda", "cmake"), ("", "sh", "text", "mermaid")  # languages of blocks
BLOCK = re.compile(r"^( *)```([^`\n]*)\n(.*?)^\1``` *$", re.M | re.S)
FENCE = re.compile(r"^[ >*-]*(?:```|~~~).*$", re.M)
CODE = re.compile(r"`[^`\n]*`")
TITLE = r"(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^)]*\)))?"
LINK = re.compile(rf"\]\(\s*<?([^)\s>]+)>?{TITLE}\s*\)|^ *\[[^]\n]+\]:\s+<?([^\s>]+)>?{TITLE} *$"
                  r"|\b(?:href|src)\s*=\s*[\"']?([^\"'\s>]+)", re.M)
DEFINITION = re.compile(r"^ *\[([^]\n]+)\]: ", re.M)
REFERENCE = re.compile(r"(?<![\w\]])\[([^][]+)\]\[([^][]*)\]")  # a[i][j] is none
NO_PROSE = re.compile(r"^ *(#|\||<|\[[^]\n]+\]: |-{3}).*$", re.M)
ITEM = re.compile(r"\n\s*\n|^ *(?:[-*]|\d+\.) ", re.M)
END_OF_SENTENCE = re.compile(r"(?<=[.!?])[)\"*_]*\s+|(?<=[.!?][)\"*_])\s+")


def pages_of(root):
    return [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md")), root / "bench/SCHEMA.md"]


def blocks_of(text):
    """What follows the fence and the text of each fenced block, which stands further right in a list."""
    return [(language, textwrap.dedent(block)) for _, language, block in BLOCK.findall(text)]


def prose_of(text):
    return CODE.sub("", BLOCK.sub("", text))


def faults_of_lines(text):
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


def runs_of(text):
    """Each run of RUN words of a page's prose, without tables and headings; what a link shows belongs to it."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", CODE.sub("`code`", BLOCK.sub("\n\n", text)))
    for paragraph in ITEM.split(NO_PROSE.sub("\n\n", text)):
        words = re.findall(r"[\w'-]+", paragraph.lower())
        for i in range(len(words) - RUN + 1):
            yield " ".join(words[i : i + RUN])


def repetitions(texts):
    """Pairs of a page and what it shares with one before: the first words of each shared run."""
    seen, found = {}, {}
    for name, text in texts.items():
        if name == "CHANGELOG.md" or "writes this page" in text[:400]:
            continue
        for run in runs_of(text):
            other = seen.setdefault(run, name)
            if other != name:
                found.setdefault((name, other), run)
    return found


def shows(source, block):
    """Whether block is whole lines of source, which may stand further right there."""
    first = block.split("\n", 1)[0]
    indents = {len(line) - len(first) for line in source.split("\n") if line.lstrip(" ") == first.lstrip(" ")}
    return any("\n" + textwrap.indent(block, " " * indent) in "\n" + source for indent in indents)


def faults_of_code(text, sources):
    for language, block in blocks_of(text):
        if language not in COMPARED + OTHERS:
            yield "code", f"a block of '{language}'; legal are {', '.join(filter(None, COMPARED + OTHERS))}, or nothing"
        elif not block.strip() or language in COMPARED and not re.search(r"\w", block):
            yield "code", f"a block of '{language}' that shows nothing"
        elif language in COMPARED and not any(shows(source, block) for source in sources):
            yield "code", "no file of examples or tests has this:\n" + textwrap.indent(block, "    ")
    for fence in FENCE.findall(BLOCK.sub("", text)):
        yield "code", f"a fence that is not of three ` with an end alike: {fence}"


def anchors_of(page):
    """The names that GitHub gives to headings."""
    titles = re.findall(r"^#+ (.*)$", BLOCK.sub("", page.read_text()), re.M)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower() for title in titles)
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in plain}


def links_of(text):
    return ["".join(forms) for forms in LINK.findall(text)]


def label(name):
    return " ".join(name.lower().split())


def faults_of_links(root, page, text):
    prose = prose_of(text)
    defined = {label(name) for name in DEFINITION.findall(prose)}
    for shown, name in REFERENCE.findall(prose):
        if label(name or shown) not in defined:
            yield "link", f"[{name or shown}] is not defined"
    for link in links_of(prose):
        path, _, anchor = link.partition("#")
        if re.match(r"\w+:", link):
            continue
        target = page.parent / path if path else page
        if not target.exists():
            yield "link", f"{link} is not there"
        elif not target.resolve().is_relative_to(root):
            yield "link", f"{link} leads out of the repository"
        elif anchor and (not target.is_file() or target.suffix != ".md" or anchor not in anchors_of(target)):
            yield "link", f"{target.name} has no heading {anchor}"


def pages_led_to(root):
    """README.md, and what a reader finds from there by links."""
    found, left = set(), [root / "README.md"]
    while left:
        page = left.pop()
        if page in found or page.suffix != ".md" or not page.is_file():
            continue
        found.add(page)
        links = (link.partition("#")[0] for link in links_of(page.read_text()))
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
    texts = {str(page.relative_to(root)): page.read_text() for page in pages_of(root)}
    for (name, other), run in repetitions(texts).items():
        found.setdefault((name, "twice"), []).append(f"{name}: {other} says it, too: {run} ...")
    for page in pages_of(root):
        name = str(page.relative_to(root))
        text = texts[name]
        for kind, fault in [*faults_of_lines(text), *faults_of_sentences(text), *faults_of_code(text, sources),
                            *faults_of_links(root, page, text)]:
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
