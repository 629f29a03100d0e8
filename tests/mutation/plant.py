#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants errors in C++ sources, each behind a switch, so that one build holds all of them.

plant.py COUNT SEED FILE...   changes the files in place and writes what was planted to the standard output, one a line:
                              id, file, line, function, operator, the line before, the line after; between tabs
plant.py --remove LIST ID...  takes these errors out of the files again, and out of LIST

Operators: comparison (< and <=, > and >=, == and !=), and-or (&& and ||), off-by-one (+ 1 and - 1 become + 0),
negated-condition (of an if), dropped-call (a statement that is one call), swapped-order (two such statements),
dropped-assignment (to a member: of this object, x_, or of another, a.x and a->x; also += and ++), dropped-return (an early one: an if
guards it, and the function goes on after that).
What leaves the program on cores as it was, or makes it slower at most, is no error: which of two equal values a comparison
takes, what only GPUs evaluate, arguments of templates, barriers, when a thread naps, the order of relaxed writes to two words
or of two things that are made empty. A line holds one error at most. Sources must be laid out by clang-format: binary operators stand between spaces, and
brackets of templates do not.
"""

import random
import re
import sys

SWITCH = "::ballast_mutation::is_on(%d)"
BETWEEN_LINES = "\x1e"  # within a field
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
NOT_AT_RUN_TIME = re.compile(
    r"\b(constexpr|static_assert|template|requires|concept|case|enum|using|typename|noexcept|asm|operator|decltype|alignas|__builtin\w*)\b|^\s*#|^\s*//")
PARAMETER = re.compile(r"\w[&*]* [A-Za-z_]\w*[,)]")  # in the declaration of a constructor
CALL = re.compile(r"^(\s+)((?!return\b|throw\b|delete\b|co_)[A-Za-z_*][\w.:*>\-\[\]]*(?:\([^;{}]*\))[^;{}=]*;)$")
PLACE = r"\*?[A-Za-z_](?:[\w:.]|->|\[[^\[\]]*\]|\(\))*"  # that can be assigned to
IF = r"(?:(?:} )?else )?if \("
GUARD = IF + r".*\) "
ASSIGNMENT = re.compile(rf"^(\s+(?:{GUARD}|else )?)(?:(\+\+|--)({PLACE})|({PLACE}) (?:[-+*/%&|^]|<<|>>)?= [^=].*);$")
RETURN = re.compile(rf"^(\s+(?:{GUARD})?)(return\b[^;]*;)$")
FUNCTION = re.compile(r"\s*(?:[\w:<>,&*~\[\] ]+[ &*])?([\w:~]+)\((?!.*;$)")
BARRIER = re.compile(r"(?:(?:worker_group|block)\.sync|sync_warp|sync_block)\(\);")  # of a worker group that is one thread on cores
NAP = re.compile(r"(?:std::this_thread::(?:yield|sleep_for)|worker_group_?\.pause|pause_core)\([^;]*;$")
NAPS_ONLY = re.compile(r"^\s*(?:} else )?if \(.*\) " + NAP.pattern)
FOR_GPUS = re.compile(r"(?<!!)\bBALLAST_ON_GPU &&|!BALLAST_ON_GPU \|\|")
RELAXED_WRITE = re.compile(
    r"(.+)\.(?:(?:store_relaxed|add_relaxed|store_max|store_min)\((.*)\)|(?:store|fetch_add)\((.*), std::memory_order_relaxed\));$")
EMPTYING = ("clear", "fill", "zero", "resize", "reserve", "swap")
ENDS_AN_OPERAND = ("&&", "||", "(", ",", "?", "{", ";", "}")


def masked(line):
    """The line with the insides of its strings and characters, and its comment, made x, at the same columns."""
    def blank(match):
        return match.group()[0] + "x" * (len(match.group()) - 2) + match.group()[-1]
    line = re.sub(r'"(?:[^"\\]|\\.)*"|(?<![\w])\'(?:[^\'\\]|\\.)+\'', blank, line)
    return re.sub(r"//.*", lambda comment: "x" * len(comment.group()), line)


def is_balanced(text):
    depth = 0
    for c in text:
        depth += c in "([{"
        depth -= c in ")]}"
        if depth < 0:
            return False
    return depth == 0


def left_edge(text, at, stops):
    """Where the operand that ends before column `at` begins, or None if it is not known."""
    depth = 0
    for i in range(at - 1, -1, -1):
        c = text[i]
        if c in ")]}":
            depth += 1
        elif c in "([{":
            if depth == 0:
                return i + 1
            depth -= 1
        elif depth == 0:
            if c in ",;?" or (c == ":" and ":" not in (text[i - 1:i], text[i + 1:i + 2])):
                return i + 1
            if text[i:i + 2] in stops:
                return i + 2
            if re.match(r" = |[+\-*/]= ", text[i:i + 3]):
                return i + 3
            word = re.match(r"\b(return|throw) ", text[i:i + 7])
            if word and not text[i - 1:i].isalnum():
                return i + word.end()
    return None


def right_edge(text, at, stops):
    depth = 0
    for i in range(at, len(text)):
        c = text[i]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            if depth == 0:
                return i
            depth -= 1
        elif depth == 0 and (c in ",;?" or text[i:i + 2] in stops or
                             (c == ":" and ":" not in (text[i - 1:i], text[i + 1:i + 2]))):
            return i
    return None


def operands_of(line, before, operator, column, stops):
    """Where `a OP b` begins and ends, a and b; None where an operand goes on in another line."""
    text = masked(line)
    begin = left_edge(text, column, stops)
    if begin is None:
        if not before.rstrip().endswith(ENDS_AN_OPERAND):
            return None
        begin = len(line) - len(line.lstrip())
    end = right_edge(text, column + len(operator), stops)
    if end is None:
        if not text.rstrip().endswith(("&&", "||")):
            return None
        end = len(text.rstrip()) - 2
    a, b = line[begin:column].strip(), line[column + len(operator):end].strip()
    if not a or not b or not is_balanced(masked(a)) or not is_balanced(masked(b)) or re.search(r"\bauto\b", a):
        return None
    if "..." in (a, b):  # a fold
        return None
    return begin, end, a, b


def with_choice(line, operands, operator, other):
    """`a OP b` as a choice between it and `a OTHER b`."""
    begin, end, a, b = operands
    pad = " " if line[begin:begin + 1] == " " else ""
    tail = " " if line[end - 1:end] == " " else ""
    return (line[:begin] + pad + f"({SWITCH} ? ({a}) {other} ({b}) : ({a}) {operator} ({b}))" + tail + line[end:])


def outcomes(line, begin, end):
    """What the comparison there chooses between: of `? x : y`, or of `if (a > b) x = y;`; None if of something else."""
    rest = line[end:]
    if rest.startswith("? "):
        colon = right_edge(masked(rest), 1, ())
        stop = None if colon is None or rest[colon] != ":" else right_edge(masked(rest), colon + 1, ())
        return None if stop is None else (rest[1:colon].strip(), rest[colon + 1:stop].strip())
    assignment = re.match(r"\) ([\w.>\[\]-]+) = ([\w.>\[\]-]+);$", rest)
    return assignment.groups() if assignment and line[:begin].strip() == "if (" else None


def takes_either_of_equals(line, operator, operands):
    """Whether equal operands lead to the same, so that < and <= do: `a < b ? a : b`, `a > b ? a - b : 0`."""
    begin, end, a, b = operands
    found = outcomes(line, begin, end)
    if operator in ("==", "!=") or found is None or re.search(r"\+\+|--", a + b):
        return False
    as_a = [re.sub(rf"(?<![\w.>]){re.escape(b)}(?![\w(.\[])", lambda _: a, outcome) for outcome in found]
    return as_a[0] == as_a[1] or set(found) in ({"0", f"{a} - {b}"}, {"0", f"{b} - {a}"})


def is_for_gpus(text, column):
    return FOR_GPUS.search(text[:column]) is not None


def comparisons(lines, i):
    text = masked(lines[i])
    for match in re.finditer(r" (<=|>=|==|!=|<|>) ", text):
        operator, column = match.group(1), match.start(1)
        operands = operands_of(lines[i], lines[i - 1], operator, column, ("&&", "||"))
        if operands and not is_for_gpus(text, column) and not takes_either_of_equals(lines[i], operator, operands):
            yield "comparison", 1, [with_choice(lines[i], operands, operator, COMPARISONS[operator])]


def and_or(lines, i):
    for match in re.finditer(r" (&&|\|\|) ", masked(lines[i])):
        operator = match.group(1)
        other = "||" if operator == "&&" else "&&"
        operands = operands_of(lines[i], lines[i - 1], operator, match.start(1), (other,))
        if operands:
            yield "and-or", 1, [with_choice(lines[i], operands, operator, other)]
        return


def off_by_one(lines, i):
    text = masked(lines[i])
    for match in re.finditer(r" ([+-]) 1(?![\w.'>])", text):
        if not is_for_gpus(text, match.start()):
            yield "off-by-one", 1, [lines[i][:match.start()] + f" {match.group(1)} ({SWITCH} ? 0 : 1)" +
                                    lines[i][match.end():]]


def negated_condition(lines, i):
    text = masked(lines[i])
    match = re.match(r"^\s*(?:} else )?if \(", text)
    if not match:
        return
    end = right_edge(text, match.end(), ())
    if end is None or text[end] != ")":
        return
    condition = lines[i][match.end():end]
    if ";" in condition or re.search(r"\bauto\b|[^=!<>]=[^=]", masked(condition)):
        return
    yield "negated-condition", 1, [lines[i][:match.end()] + f"bool({condition}) != {SWITCH}" + lines[i][end:]]


def one_call(line):
    match = CALL.match(line)
    return match if match and is_balanced(masked(line)) and not PARAMETER.search(masked(line)) else None


def dropped_call(lines, i):
    match = one_call(lines[i])
    if match and (BARRIER.match(match.group(2)) or NAP.match(match.group(2))):
        return
    if match and begins_a_statement(lines, i):
        yield "dropped-call", 1, [f"{match.group(1)}{{ if (!{SWITCH}) {match.group(2)} }}"]


def word_written(statement):
    """The name of the word that a relaxed write changes, and what is written; None for another statement."""
    match = RELAXED_WRITE.match(statement)
    if not match:
        return None
    return re.findall(r"\w+", re.sub(r"\[[^\]]*\]", "", match.group(1)))[-1], match.group(2) or match.group(3)


def are_relaxed_writes(a, b):
    """To words of different names, of which neither depends on the other."""
    first, second = word_written(a), word_written(b)
    if not first or not second or first[0] == second[0]:
        return False
    return not any(re.search(rf"\b{word}\b|\+\+|--", value) for word, value in ((first[0], second[1]), (second[0], first[1])))


def empty_two_things(a, b):
    """Whether both are one call that makes a thing empty or of a size, and differ in the thing's name alone."""
    a_words, b_words = (re.findall(r"\w+|\S", statement) for statement in (a, b))
    callee = a_words[a_words.index("(") - 1]
    differences = {pair for pair in zip(a_words, b_words) if pair[0] != pair[1]}
    return (callee in EMPTYING and len(a_words) == len(b_words) and len(differences) == 1 and
            all(name.isidentifier() and name != callee for name in differences.pop()))


def may_swap(a, b):
    return not BARRIER.match(a) and not BARRIER.match(b) and not are_relaxed_writes(a, b) and not empty_two_things(a, b)


def swapped_order(lines, i):
    next_line = lines[i + 1] if i + 1 < len(lines) else ""
    first, second = one_call(lines[i]), None if NOT_AT_RUN_TIME.search(next_line) else one_call(next_line)
    before = lines[i - 1].strip()
    if not first or not second or first.group(1) != second.group(1) or not before.endswith((";", "{", "}")):
        return
    a, b = first.group(2), second.group(2)
    if may_swap(a, b):
        yield "swapped-order", 2, [f"{first.group(1)}if ({SWITCH}) {{ {b} {a} }} else {{ {a}", f"{second.group(1)}{b} }}"]


def begins_a_statement(lines, i):
    return lines[i - 1].rstrip().endswith((";", "{", "}", ")", ":", "else"))


def is_member(place):
    return re.search(r"\w_$|\.|->", re.sub(r"\[[^\]]*\]$", "", place)) is not None


def dropped_assignment(lines, i):
    match = ASSIGNMENT.match(masked(lines[i]))
    if not match or not is_balanced(masked(lines[i])) or not begins_a_statement(lines, i):
        return
    if is_member(match.group(3) or match.group(4)):
        begin = match.end(1)
        yield "dropped-assignment", 1, [f"{lines[i][:begin]}{{ if (!{SWITCH}) {lines[i][begin:]} }}"]


def indent_of(line):
    return len(line) - len(line.lstrip())


def head_of(lines, i):
    """The line whose statement line i is in, by indentation: an if, a loop, a function."""
    for j in range(i - 1, 0, -1):
        if lines[j].strip() and not lines[j].startswith("#") and indent_of(lines[j]) < indent_of(lines[i]):
            return j
    return 0


def goes_on_after(lines, i):
    """Whether a function goes on in another line once the statement that ends in line i, one of an if or a loop perhaps, is over."""
    for j in range(i + 1, len(lines)):
        text = lines[j].strip()
        if not text or text.startswith(("else", "} else", "case ", "default:", "#", "while")):
            return False
        if not text.startswith("}"):
            return True
        if not re.match(r"\s*(?:} else )?(?:if|for|while) \(|\s*else \{", lines[head_of(lines, j - 1)]):
            return False
    return False


def dropped_return(lines, i):
    match = RETURN.match(masked(lines[i]))
    if not match or not is_balanced(masked(lines[i])) or not begins_a_statement(lines, i):
        return
    if not match.group(1).strip():  # alone in its line
        head = masked(lines[head_of(lines, i)])
        if not re.match(r"\s*" + IF, head) or (head.rstrip().endswith("{") and lines[i + 1].strip() != "}"):
            return
    if goes_on_after(lines, i):
        begin = match.end(1)
        yield "dropped-return", 1, [f"{lines[i][:begin]}{{ if (!{SWITCH}) {lines[i][begin:]} }}"]


OPERATORS = [comparisons, and_or, off_by_one, negated_condition, dropped_call, swapped_order, dropped_assignment, dropped_return]


def function_at(lines, i):
    """The function that line i stands in, by indentation; ? where that does not tell."""
    indent = indent_of(lines[i])
    for line in reversed(lines[:i]):
        if not line.strip() or line.startswith("#") or indent_of(line) >= indent:
            continue
        indent = indent_of(line)
        head = FUNCTION.match(line)
        if head and head.group(1) not in ("if", "for", "while", "switch", "catch"):
            return head.group(1)
    return "?"


def lines_for_nvcc(lines):
    """The numbers of lines that only nvcc sees."""
    found, nested = set(), []
    for i, line in enumerate(lines):
        directive = re.match(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)", line)
        if directive and directive.group(1).startswith("if"):
            nested.append(re.search(r"__CUDA|BALLAST_ON_GPU", line) and not re.search(r"!|ifndef", line))
        elif directive and directive.group(1) in ("else", "elif") and nested:
            nested[-1] = False
        elif directive and nested:
            nested.pop()
        if any(nested):
            found.add(i)
    return found


def candidates(files):
    for file in files:
        lines = open(file).read().split("\n")
        unseen = lines_for_nvcc(lines)
        for i, line in enumerate(lines):
            if i == 0 or i in unseen or not line.startswith("  ") or NOT_AT_RUN_TIME.search(masked(line)):
                continue
            if NAPS_ONLY.match(line):
                continue
            for operator in OPERATORS:
                for name, length, new in operator(lines, i):
                    yield file, i, name, length, new


def chosen_among(found, count, seed):
    """As many of each operator as there are, in turn, and no two in one line; fewer swaps, as few of them matter."""
    shuffled = random.Random(seed)
    by_operator = {}
    for one in found:
        by_operator.setdefault(one[2], []).append(one)
    for some in by_operator.values():
        shuffled.shuffle(some)
    taken, chosen = set(), []
    turn = 0
    while len(chosen) < count and any(by_operator.values()):
        turn += 1
        for operator, some in by_operator.items():
            if operator == "swapped-order" and turn % 3 != 1 and len([s for s in by_operator.values() if s]) > 1:
                continue
            while some:
                one = some.pop()
                where = {(one[0], one[1] + n) for n in range(one[3])}
                if not where & taken:
                    taken |= where
                    chosen.append(one)
                    break
            if len(chosen) == count:
                break
    return sorted(chosen, key=lambda one: one[:2])


def plant(count, seed, files):
    texts = {file: open(file).read().split("\n") for file in files}
    original = {file: list(lines) for file, lines in texts.items()}
    for number, (file, i, name, length, new) in enumerate(chosen_among(candidates(files), count, seed), start=1):
        lines = [line.replace(SWITCH, SWITCH % number) for line in new]
        print("\t".join([str(number), file, str(i + 1), function_at(original[file], i), name,
                         BETWEEN_LINES.join(original[file][i:i + length]),
                         BETWEEN_LINES.join(lines)]))
        texts[file][i:i + length] = lines
    for file, lines in texts.items():
        open(file, "w").write("\n".join(lines))


def remove(table, numbers):
    kept = []
    for row in filter(None, open(table).read().split("\n")):
        number, file, line, _, _, before, _ = row.split("\t")
        if number not in numbers:
            kept.append(row)
            continue
        lines = open(file).read().split("\n")
        old = before.split(BETWEEN_LINES)
        lines[int(line) - 1:int(line) - 1 + len(old)] = old
        open(file, "w").write("\n".join(lines))
    open(table, "w").write("".join(row + "\n" for row in kept))


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "--remove":
        remove(sys.argv[2], set(sys.argv[3:]))
    elif len(sys.argv) > 3 and sys.argv[1].isdigit():
        plant(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
    else:
        sys.exit(__doc__)
