# SPDX-License-Identifier: Apache-2.0
"""Values of records: what an expression of docs/results/figures.json says of the records in bench/results.

An expression has numbers, + - * / **, comparisons, [i], [i:j], functions of a record and functions of a list.
Of a record, `r` unless one is named as in `c8.median("queue", 4)`:
  median least most lower upper count_of(series[, x])   of a series by its name, or by its curve and x
  xs(curve), derived(name), parameter(name)
  text("pattern")    the numbers of a text record that the pattern's group matches
A list comes from a name with *, from x `every`, and from a name for several records. Operators go through lists.
Of a list: least_of most_of mid count sum_of over_first."""

import ast
import fnmatch
import json
import operator
import pathlib
import re
import statistics

STATISTICS = {"median": "median", "least": "min", "most": "max", "lower": "lower_quartile", "upper": "upper_quartile", "count_of": "count"}
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.Pow: operator.pow,
             ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
OF_LISTS = {"least_of": min, "most_of": max, "mid": statistics.median, "count": lambda values: sum(map(bool, values)), "sum_of": sum,
            "over_first": lambda values: [value / values[0] for value in values]}
EVERY = object()  # x of any value


class Fault(Exception):
    """What is wrong with a rule or with what it names."""


def why_no_evidence(record):
    """As why_no_evidence() of tools/report/run_record.cpp, by the rule of bench/SCHEMA.md; empty if the record is evidence."""
    source, command = record.get("source") or {}, record.get("command") or [""]
    program = pathlib.PurePath(command[0]).name
    if (record.get("answer") or {}).get("verified") is not True:
        return "its answer was not verified"
    if not source.get("commit"):
        return "its program is of an unknown commit"
    if source.get("clean") is not True:
        return "its program was built of changed files"
    if program != "ballast" and not program.startswith("ballast-"):
        return f"its program is called '{program}'"
    return "it is of version 0" if record.get("version") == "0" else ""


class Record:
    """One file of bench/results."""

    def __init__(self, file):
        self.file = file
        self.words = file.read_text() if file.suffix != ".json" else None
        self.data = json.loads(file.read_text()) if file.suffix == ".json" else {}

    def why_no_evidence(self):
        return why_no_evidence(self.data) if self.data.get("schema") == "ballast-run/1" else ""

    def statistic(self, which, series, x=None):
        found = [one for one in self.data.get("series", ()) if self.is_meant(one, series, x)]
        if not found:
            raise Fault(f"{self.file.name} has no series '{series}'" + ("" if x in (None, EVERY) else f" at {x}"))
        values = [one["summary"][STATISTICS[which]] for one in found]
        if "*" in series or x is EVERY:
            return values
        if len(values) > 1:
            raise Fault(f"{self.file.name} has {len(values)} series '{series}'; which x?")
        return values[0]

    @staticmethod
    def is_meant(one, series, x):
        name = one["name"] if x is None else one.get("curve")
        named = fnmatch.fnmatchcase(name, series) if "*" in series else name == series
        return named and (x in (None, EVERY) or one.get("x") == x)

    def xs(self, curve):
        return [one["x"] for one in self.data.get("series", ()) if one.get("curve") == curve]

    def derived(self, name):
        values = self.data.get("derived", {})
        if "*" in name:
            return [value for key, value in values.items() if fnmatch.fnmatchcase(key, name)]
        if name not in values:
            raise Fault(f"{self.file.name} derives no '{name}'")
        return values[name]

    def parameter(self, name):
        return self.data["parameters"][name]

    def text(self, pattern):
        found = [float(number.replace(" ", "")) for number in re.findall(pattern, self.words or self.file.read_text(), re.M)]
        if not found:
            raise Fault(f"{self.file.name} has no text '{pattern}'")
        return found if len(found) > 1 else found[0]


class Values:
    """Evaluates expressions over records that have names."""

    def __init__(self, records, default, where=None):
        self.records, self.default, self.where = records, default, where or {}  # a name's records are a list

    def of(self, expression):
        try:
            return self.value(ast.parse(expression, mode="eval").body)
        except (SyntaxError, TypeError, ValueError, KeyError, ZeroDivisionError, IndexError, AttributeError) as error:
            raise Fault(f"'{expression}': {type(error).__name__} {error}") from error

    def value(self, node):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name) and node.id == "every":
            return EVERY
        if isinstance(node, ast.Name) and node.id in self.where:
            return self.of(self.where[node.id])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return combine(operator.sub, 0, self.value(node.operand))
        if isinstance(node, ast.BinOp):
            return combine(OPERATORS[type(node.op)], self.value(node.left), self.value(node.right))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return combine(OPERATORS[type(node.ops[0])], self.value(node.left), self.value(node.comparators[0]))
        if isinstance(node, ast.List):
            return [self.value(one) for one in node.elts]
        if isinstance(node, ast.Subscript):
            return self.value(node.value)[self.place(node.slice)]
        if isinstance(node, ast.Call):
            return self.call(node.func, [self.value(one) for one in node.args])
        raise Fault(f"'{ast.unparse(node)}' is no part of an expression")

    def place(self, node):
        if isinstance(node, ast.Slice):
            return slice(*(bound and self.value(bound) for bound in (node.lower, node.upper)))
        return self.value(node)

    def call(self, function, arguments):
        if isinstance(function, ast.Name) and function.id in OF_LISTS:
            return OF_LISTS[function.id](flat(arguments))
        named = isinstance(function, ast.Attribute)
        name, which = (function.value.id, function.attr) if named else (self.default, function.id)
        if name not in self.records:
            raise Fault(f"no record has the name '{name}'")
        values = [self.call_of_one(record, which, arguments) for record in self.records[name]]
        return values[0] if len(values) == 1 else values

    @staticmethod
    def call_of_one(record, which, arguments):
        if which in STATISTICS:
            return record.statistic(which, *arguments)
        if which in ("xs", "derived", "parameter", "text"):
            return getattr(record, which)(*arguments)
        raise Fault(f"there is no function '{which}'")


def combine(function, left, right):
    """The operator, element by element where there are lists."""
    if isinstance(left, list) and isinstance(right, list):
        if len(left) != len(right):
            raise Fault(f"lists of {len(left)} and {len(right)} values do not fit")
        return [combine(function, a, b) for a, b in zip(left, right)]
    if isinstance(left, list):
        return [combine(function, a, right) for a in left]
    if isinstance(right, list):
        return [combine(function, left, b) for b in right]
    return function(left, right)


def flat(values):
    return [one for value in values for one in flat(value)] if isinstance(values, list) else [values]
