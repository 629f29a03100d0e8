# SPDX-License-Identifier: Apache-2.0
"""Which records of bench/results pages name.

A page names a record by a path in bench/results, by its file's name with or without .json, or by the end of a name behind `...` or
from its T on, as in `job-small_steps-20261128T000351Z`, `T000355Z`. The rest is then that of the name before. Names may have * and
{a,b}. Of files of one name in several machines' folders those count whose folder the paragraph names."""

import fnmatch
import re

from result_figures import names_of

WORD = re.compile(r"[\w.*{},\[\]/-]*[\w*}\]]")
STAMP = re.compile(r"-20\d{2,6}[\dT*]|[a-z_]-\*(?:\.json|\.jsonl|\.json\.gz|\.txt|\.tsv)?$")
END_OF_NAME = re.compile(r"(?:\.\.\.T?|T)\d{2,6}[\dT*]*Z?(?:-\d)?\*?(?:\.json)?")
EXAMPLE = "20260131T"  # of pages that say how records are named


class Files:
    """Those of bench/results, by their names in the folders of machines."""

    def __init__(self, results):
        self.by_name, self.machine_of = {}, {}
        for file in sorted(results.rglob("*")):
            if file.is_file():
                machine, *name = file.relative_to(results).parts
                self.machine_of[file] = machine
                self.by_name.setdefault("/".join(name), []).append(file)
        self.machines = sorted(set(self.machine_of.values()))

    def named(self, pattern):
        for whole in (pattern, pattern + ".json", pattern + "*"):
            found = [file for name, files in self.by_name.items() if fnmatch.fnmatchcase(name, whole) for file in files]
            if found:
                return found
        return []


class Citations:
    """What one page names."""

    def __init__(self, there, text):
        self.there, self.before, self.files, self.unresolved = there, "", {}, []
        line = 1
        for paragraph in re.split(r"(\n\s*\n)", text):
            self.read(paragraph, line)
            line += paragraph.count("\n")

    def read(self, paragraph, line):
        here = [machine for machine in self.there.machines if re.search(rf"(?<![\w-]){re.escape(machine)}(?![\w-])", paragraph)]
        for found in re.finditer(r"`([^`]+)`|\]\(([^)\s]+)|^\[[^\]]+\]: (\S+)|(bench/results/[^\s`)]+)", paragraph, re.M):
            span = next(group for group in found.groups() if group)
            for word in WORD.findall(span):
                self.read_word(word, here, line + paragraph.count("\n", 0, found.start()))

    def read_word(self, word, here, line):
        machine, _, name = word.split("bench/results/", 1)[-1].partition("/")
        if name and (machine in self.there.machines or "bench/results/" in word):
            self.note(word, name, [machine], line)
        elif "/" in word or EXAMPLE in word or word == "notes.md":
            return
        elif word in self.there.by_name or any(STAMP.search(one) for one in names_of(word)):
            self.note(word, word, here, line)
        elif END_OF_NAME.fullmatch(word) and self.before:
            self.note(word, f"{self.before}*{word.lstrip('.')}", here, line)

    def note(self, word, name, machines, line):
        for pattern in names_of(name):
            found = self.there.named(pattern)
            if "/" in word or len({self.there.machine_of[file] for file in found}) > 1:
                found = [file for file in found if self.there.machine_of[file] in machines]
            for file in found:
                self.files.setdefault(file, line)
            if not found and EXAMPLE not in word:
                self.unresolved.append((line, word))
        stamp = re.match(r"(.+?-)20\d{6}", name)
        if stamp:
            self.before = stamp[1]
