# SPDX-License-Identifier: Apache-2.0
"""Numbers of a page: where they stand, in which cell of which table, and how many digits they show."""

import math
import re

NUMBER = re.compile(r"(?:(?<=[\s(|\[/])-)?(?<![\w.^@])(?<![^\d\s]/)(?<![A-Za-z`]-)(?:\d{1,3}(?:\s+\d{3})+(?!\d|\.\d)|\d+(?:\.\d+)?)(?![\w^]|\.\d)")
NO_NUMBER = [re.compile(pattern, re.M | re.S) for pattern in (
    r"^```.*?^```$", r"`[^`\n]*(?:\n[^`\n]*)?`", r"\]\([^)]*\)", r"^\[[^\]]+\]: .*?$", r"^#.*?$", r"^\|[^\n]*\n\|[-|: ]+\|$", r"^\|[^|\n]*\|",
    r"\b20\d\d-\d\d-\d\d\b", r"x86-64", r"(?<=[A-Za-z.,;(] )(?:199\d|200[1-9]|201\d|202\d)\b(?!\.\d)", r"\b(?=[0-9a-f]*[a-f])[0-9a-f]{7,9}\b",
    r"\b(?:Figs?\.|[Ff]igures?|[Ss]ections?|sec\.|[Tt]ables?|[Dd]ecisions?|equation)\s+\d[\d.a-z]*(?:,? (?:and|to)\s+\d+[a-z]?)?",
    r"\b(?:CUDA|driver|Open MPI|StarPU-MPI|PCIe|clang|g\+\+|Debian)\s+\d[\d.]*")]


class Number:
    """One number of a page."""

    def __init__(self, start, text):
        self.start, self.end, self.text = start, start + len(text), text
        self.bare = re.sub(r"\s", "", text)
        self.value = float(self.bare)

    def step(self, digits):
        """What the last digit that is shown counts. A whole number of more than three digits may end in zeros that show nothing."""
        if digits and self.value:
            return 10.0 ** (math.floor(math.log10(abs(self.value))) + 1 - digits)
        if "." in self.bare:
            return 10.0 ** -len(self.bare.split(".")[1])
        zeros = len(self.bare) - len(self.bare.rstrip("0"))
        return 10.0 ** max(0, min(zeros, len(self.bare) - 3))

    def shows(self, value, digits):
        return abs(value - self.value) <= 0.5 * self.step(digits) * (1 + 1e-9) + 1e-12 * abs(value)

    def written(self, value, digits):
        """The value at the digits of this number."""
        if digits:
            text = f"{value:.{digits}g}"
            text = f"{float(text):.0f}" if "e" in text else text
        elif "." in self.bare:
            text = f"{value:.{len(self.bare.split('.')[1])}f}"
        else:
            text = f"{round(value / self.step(0)) * self.step(0):.0f}"
        whole = text.lstrip("-")
        if "." not in text and (len(whole) > 4 or len(whole) == 4 and re.search(r"\s", self.text)):
            text = text[:len(text) - len(whole)] + f"{int(whole):,}".replace(",", " ")
        return text


class Table:
    """A table of a page: its heading, its header and its rows, whose cells are (start, text)."""

    def __init__(self, heading, lines):
        self.heading = heading
        self.header = [plain(text) for _, text in cells_of(*lines[0])]
        self.rows = [cells_of(*line) for line in lines[2:]]

    def cell(self, key, keys, at):
        """In the row whose first `keys` cells are the key, an empty one being that of the row above. `key#2` is the second such row."""
        key, _, occurrence = key.partition("#")
        last, found = [""] * keys, []
        for cells in self.rows:
            last = [plain(text) or above for (_, text), above in zip(cells, last)]
            if "; ".join(last) == key:
                found.append(cells[keys:])
        if len(found) < int(occurrence or 1) or not occurrence and len(found) > 1:
            raise LookupError(f"{len(found)} rows '{key}'")
        row = found[int(occurrence or 1) - 1]
        if at >= len(row):
            raise LookupError(f"row '{key}' has no column {at + 1}")
        return row[at]


class Page:
    """A page's text, its numbers and its tables."""

    def __init__(self, text):
        self.text = text
        masked = text
        for pattern in NO_NUMBER:
            masked = pattern.sub(lambda found: re.sub(r"[^\n|]", "~", found[0]), masked)
        self.numbers = [Number(found.start(), found[0]) for found in NUMBER.finditer(masked)]
        self.tables = list(tables_of(text))

    def numbers_in(self, start, end):
        return [number for number in self.numbers if start <= number.start and number.end <= end]

    def table(self, first, under, occurrence=0):
        """That whose first header cell is `first`, under a heading that has `under`; of several the one that occurrence counts from 1."""
        found = [one for one in self.tables if one.header[0] == first and under in one.heading]
        if len(found) < max(1, occurrence) or not occurrence and len(found) > 1:
            raise LookupError(f"{len(found)} tables '{first}' under '{under}'")
        return found[occurrence - 1]

    def numbers_of_sentence(self, sentence):
        """Those that stand where the sentence has #; its words and all else must stand on the page once."""
        pattern = re.sub(r"(?:\\ |\\\n|\s)+", r"\\s+", re.escape(sentence)).replace(r"\#", f"({NUMBER.pattern})")
        found = list(re.finditer(pattern, self.text))
        if len(found) != 1:
            raise LookupError(f"{len(found)} times '{sentence}'")
        return [Number(found[0].start(i), found[0][i]) for i in range(1, len(found[0].groups()) + 1)]


def plain(text):
    return re.sub(r"\*\*|`", "", text).strip()


def cells_of(start, line):
    cells, at = [], start + 1
    for text in line[1:].rstrip().removesuffix("|").split("|"):
        cells.append((at, text))
        at += len(text) + 1
    return cells


def tables_of(text):
    heading, lines, at = "", [], 0
    for line in (text + "\n").splitlines(keepends=True):
        if line.startswith("|"):
            lines.append((at, line))
        else:
            if len(lines) > 2:
                yield Table(heading, lines)
            lines = []
        if line.startswith("#"):
            heading = line.strip("# \n")
        at += len(line)
