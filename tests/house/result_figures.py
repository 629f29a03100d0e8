#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""result_figures.py root [--write | --count | --uncovered [PAGE] | --cited]: passes if each number of a page that a rule of
docs/results/figures.json names is what its record says, at the digits that the page shows.

  --write      puts the records' values into the pages
  --count      writes how many numbers of each page no rule names to docs/results/figures_uncovered.tsv; it may only fall
  --uncovered  prints those numbers, and each line that has some
  --cited      prints the records that the rules name

To set a new record behind a page: name it under "records", then --write.

Rules of a page are "records", which names records of bench/results by patterns with * and {a,b}; "sentences", each a list of the
name of a record, a sentence that has # in place of numbers, and an expression for each; "where", names for expressions; and "tables". A table is found by its first
header cell, "under" a heading. "rows" maps the texts of the first "keys" cells, and "columns" headers or places, to what
stands for {row} and {column} in the expressions of "cell", one for each number of a cell; what several of these share stands in "parts". An expression that gives a list stands for
as many numbers, and null for a number without a rule. `~3` behind an expression: the page shows three digits, not as many behind
the point as stand there. record_values.py says what expressions there are."""

import itertools
import json
import pathlib
import re
import sys

import page_numbers
import record_values
from record_values import Fault

RULES, COUNTS = "docs/results/figures.json", "docs/results/figures_uncovered.tsv"


def names_of(pattern):
    """A pattern without {a,b}: one for each choice."""
    parts = re.split(r"\{([^{}]*)\}", pattern)
    choices = [part.split(",") if i % 2 else [part] for i, part in enumerate(parts)]
    return ["".join(choice) for choice in itertools.product(*choices)]


def files_of(results, patterns):
    """The records that patterns name, in their order."""
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        for name in names_of(pattern):
            found = sorted(results.glob(name))
            if not found:
                raise Fault(f"bench/results has no {name}")
            yield from found


class Rules:
    """The rules of one page."""

    def __init__(self, root, name, rules, cache):
        self.name, self.rules, self.results = name, rules, root / "bench/results"
        self.file, self.cache = root / name, cache
        self.page = page_numbers.Page(self.file.read_text())
        self.covered, self.changes, self.faults = set(), [], []

    def records(self, alias):
        for file in files_of(self.results, self.rules["records"][alias]):
            if file not in self.cache:
                self.cache[file] = record_values.Record(file)
            yield self.cache[file]

    def files(self):
        return [file for patterns in self.rules["records"].values() for file in files_of(self.results, patterns)]

    def check(self):
        try:
            self.values = {alias: list(self.records(alias)) for alias in self.rules["records"]}
        except Fault as fault:
            self.faults.append(f"{self.name}: {fault}")
            return
        for where, numbers, default, expressions in itertools.chain(self.cells(), self.sentences()):
            try:
                self.compare(where, numbers, default, expressions)
            except Fault as fault:
                self.faults.append(f"{self.name}: {where}: {fault}")

    def cells(self):
        for rule in self.rules.get("tables", ()):
            try:
                yield from self.cells_of(rule)
            except (LookupError, Fault) as error:
                self.faults.append(f"{self.name}: table '{rule['table']}': {error}")

    def cells_of(self, rule):
        keys = rule.get("keys", 1)
        table = self.page.table(rule["table"], rule.get("under", ""), rule.get("occurrence", 0))
        rows = rule["rows"] if isinstance(rule["rows"], dict) else {key: key for key in rule["rows"]}
        for (key, row), (at, column) in itertools.product(rows.items(), columns_of(rule, table.header[keys:])):
            start, text = table.cell(key, keys, at)
            numbers = self.page.numbers_in(start, start + len(text))
            if numbers or not re.fullmatch(r"\s*(?:-|no room|)\s*", text):
                yield f"'{key}', column {at + 1}", numbers, rule.get("of", "r").format(row=row, column=column), expressions_of(rule, row, column)

    def sentences(self):
        for default, sentence, *expressions in self.rules.get("sentences", ()):
            try:
                yield f"'{sentence}'", self.page.numbers_of_sentence(sentence), default, expressions
            except LookupError as error:
                self.faults.append(f"{self.name}: {error}")

    def compare(self, where, numbers, default, expressions):
        expected = [value for expression in expressions for value in self.expected(default, expression)]
        if len(expected) != len(numbers):
            raise Fault(f"{len(numbers)} numbers on the page, {len(expected)} by the rule")
        for number, (value, digits) in zip(numbers, expected):
            if value is None:
                continue
            self.covered.add(number.start)
            if not number.shows(value, digits):
                self.faults.append(f"{self.name}: {where}: the page has {number.bare}, the record {value:.6g}")
                self.changes.append((number, number.written(value, digits)))

    def expected(self, default, expression):
        """What an expression says of numbers, and the digits that they show if it says so; None for a number without a rule."""
        if expression is None:
            return [(None, 0)]
        bare, _, digits = expression.partition("~")
        value = record_values.Values(self.values, default, self.rules.get("where")).of(bare.strip())
        return [(one, int(digits or 0)) for one in record_values.flat([value])]

    def write(self):
        text = self.page.text
        for number, value in sorted(self.changes, key=lambda change: -change[0].start):
            text = text[:number.start] + value + text[number.end:]
        self.file.write_text(text)

    def uncovered(self):
        return [number for number in self.page.numbers if number.start not in self.covered]


def columns_of(rule, header):
    """Where the columns stand, and what stands for {column} in their expressions."""
    if isinstance(rule["columns"], dict):
        missing = rule["columns"].keys() - set(header)
        if missing:
            raise LookupError(f"no columns {sorted(missing)}")
        return [(at, rule["columns"][name]) for at, name in enumerate(header) if name in rule["columns"]]
    return [(at, value) for at, value in enumerate(rule["columns"]) if value is not None]


def expressions_of(rule, row, column):
    """One for each number of a cell. What the column or the row says of its cells goes before what the table says."""
    cell = next((own["cell"] for own in (column, row) if isinstance(own, dict) and "cell" in own), rule.get("cell"))
    column = column.format(row=row) if isinstance(column, str) else column
    parts = {name: part.format(row=row, column=column) for name, part in rule.get("parts", {}).items()}
    return [one and one.format(row=row, column=column, **parts) for one in ([cell] if isinstance(cell, str) else cell)]


def pages_with_figures(root):
    """Those whose numbers are counted."""
    return ["README.md"] + sorted(str(file.relative_to(root)) for file in (root / "docs/results").glob("*.md"))


def faults_of_counts(root, counts):
    recorded = dict(line.split("\t") for line in (root / COUNTS).read_text().splitlines()) if (root / COUNTS).exists() else {}
    for name, count in counts.items():
        if count > int(recorded.get(name, 0)):
            yield f"{name}: {count} numbers have no rule in {RULES}, {recorded.get(name, 0)} when that was last counted"


def print_uncovered(pages, wanted):
    for page in pages:
        if wanted and not page.name.endswith(wanted[0]):
            continue
        text = page.page.text
        for line, numbers in itertools.groupby(page.uncovered(), lambda number: text.count("\n", 0, number.start)):
            print(f"{page.name}:{line + 1}: {', '.join(number.bare for number in numbers)}: {text.splitlines()[line][:120]}")


def main():
    root, mode = pathlib.Path(sys.argv[1]).resolve(), (sys.argv[2:] or [""])[0]
    rules, cache = json.loads((root / RULES).read_text()), {}
    counted = pages_with_figures(root)
    faults = [f"{RULES}: there is no page {name}" for name in rules if not (root / name).exists()]
    names = counted + [name for name in rules if name not in counted and (root / name).exists()]
    pages = [Rules(root, name, rules.get(name, {"records": {}}), cache) for name in names]
    for page in pages:
        page.check()
        faults += page.faults
    counts = {page.name: len(page.uncovered()) for page in pages if page.name in counted}
    if mode == "--write":
        for page in pages:
            page.write()
        print("the pages were written:")
    elif mode == "--count":
        (root / COUNTS).write_text("".join(f"{name}\t{count}\n" for name, count in counts.items() if count))
    elif mode == "--uncovered":
        print_uncovered(pages, sys.argv[3:])
        return 0
    elif mode == "--cited":
        print("\n".join(sorted({str(file.relative_to(root)) for page in pages for file in page.files()})))
        return 0
    else:
        faults += faults_of_counts(root, counts)
    covered = sum(len(page.covered) for page in pages)
    print("\n".join([*faults, f"{covered} numbers of pages have a rule, {sum(counts.values())} have none; {len(faults)} faults"]))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
