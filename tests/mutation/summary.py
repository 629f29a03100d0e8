#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what became of planted errors.

summary.py FOLDER...   of rooms, as build/mutate/ROOM: a table from each one's results.tsv, a row for each operator and one for
                       all of them, and below it the survivors of each function and operator. What was neither reached nor
                       tried says nothing of the tests.
"""

import collections
import os
import sys

COLUMNS = ("planted", "unreached", "not tried", "tried", "killed", "by time", "survived")


def counts_of(results):
    """How many there are of each column."""
    words = collections.Counter(result.split(" (")[0] for result in results)
    tried = words["killed"] + words["survived"]
    assert tried + words["unreached"] + words["not tried"] == len(results), "results.tsv has other words: %s" % words
    return (len(results), words["unreached"], words["not tried"], tried, words["killed"], results.count("killed (time)"),
            words["survived"])


def read(folder):
    """Of each error: its room, what became of it, file, line, function, operator."""
    for row in open(os.path.join(folder, "results.tsv")):
        yield [os.path.basename(os.path.normpath(folder))] + row.rstrip("\n").split("\t")[:5]


def table(errors):
    rows = [("room", "operator") + COLUMNS]
    for room in dict.fromkeys(error[0] for error in errors):
        of_room = [error for error in errors if error[0] == room]
        for operator in sorted({error[5] for error in of_room}):
            rows.append((room, operator) + counts_of([error[1] for error in of_room if error[5] == operator]))
        rows.append((room, "all") + counts_of([error[1] for error in of_room]))
    if len({error[0] for error in errors}) > 1:
        rows.append(("all", "all") + counts_of([error[1] for error in errors]))
    return rows


def survivors(errors):
    found = collections.defaultdict(list)
    for room, result, file, line, function, operator in errors:
        if result == "survived":
            found[room, function, operator, file].append(int(line))
    rows = [("room", "survivors", "function", "operator", "lines")]
    for (room, function, operator, file), lines in sorted(found.items()):
        rows.append((room, len(lines), function, operator, file + ":" + ",".join(str(line) for line in sorted(lines))))
    return rows


def print_aligned(rows):
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    numeric = [all(row[column].isdigit() for row in rows[1:]) for column in range(len(rows[0]))]
    for row in rows:
        cells = [cell.rjust(width) if right else cell.ljust(width) for cell, width, right in zip(row, widths, numeric)]
        print("  ".join(cells).rstrip())


def main(folders):
    errors = [error for folder in folders for error in read(folder)]
    print_aligned(table(errors))
    found = survivors(errors)
    if len(found) > 1:
        print()
        print_aligned(found)
    untried = counts_of([error[1] for error in errors])[2]
    if untried:
        print("\nThe time was over before %d of %d were tried." % (untried, len(errors)))


if __name__ == "__main__":
    main(sys.argv[1:]) if len(sys.argv) > 1 else sys.exit(__doc__)
