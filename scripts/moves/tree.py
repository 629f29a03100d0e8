#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Moves and merges files as a table says, and writes includes and namespaces anew.

scripts/moves/tree.py TABLE, once, in a clean checkout. Rows: `target<TAB>source source ...`, the first of which is moved and
the others appended to it; `cpp<TAB>file` puts a source into namespace ballast; `qualify<TAB>file<TAB>name...` writes
detail::name there; `macro<TAB>public<TAB>hidden<TAB>source` parts a header into its macros and the rest;
`text<TAB>file<TAB>old<TAB>new` replaces a text (after all else, \\n is an end of line). Headers of
include/ballast/ROOM without a row go to include/ballast/detail/ROOM. What lies in include/ballast/detail or src is namespace
ballast::detail, but for the sources that define what a public header declares; what lies in include/ballast is ballast."""

import collections
import pathlib
import re
import subprocess
import sys

CODE = (".hpp", ".cuh", ".cpp", ".cu", ".mcu")
PUBLIC_FOLDERS = ("mesi",)
OPENING = re.compile(r"^namespace ballast(?:::inline \w+|::detail)? \{\n", re.M)
CLOSING = re.compile(r"^\}  // namespace ballast.*$", re.M)
INCLUDE = re.compile(r'^(#\s*include\s+)(["<])([^">]+)([">])(.*)$', re.M)
TYPE = re.compile(r"^(?:class|struct|enum class|enum|union)\s+(?:alignas\(\w+\) )?(\w+)(?![^\n;{]*;)|^using (\w+) =|^concept (\w+) =", re.M)


def git(*words):
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout


def read_table(path):
    rows = collections.defaultdict(list)
    for line in path.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        kind, *rest = line.split("\t")
        if kind in ("cpp", "qualify", "text", "macro"):
            rows[kind].append(rest)
        else:
            rows["move"].append((kind, rest[0].split()))
    return rows


def all_moves(rows):
    moves = list(rows["move"])
    moves += [(hidden, [source]) for _, hidden, source in rows["macro"]]
    named = {source for _, sources in moves for source in sources}
    for path in git("ls-files", "include/ballast/report", "src/report", "tests/report").split():
        part = "tests/" if path.startswith("tests/") else ""
        moves.append((f"tools/report/{part}{path.split('/')[-1]}", [path]))
        named.add(path)
    for path in git("ls-files", "include/ballast").split():
        room = path.split("/")[2]
        if path not in named and path.count("/") >= 3 and room not in PUBLIC_FOLDERS + ("detail", "policy", "methods"):
            moves.append((path.replace("include/ballast/", "include/ballast/detail/"), [path]))
    return moves


def parts_of(text):
    """(includes, head, body, tail): what stands before the namespace beside includes, in it, and after it."""
    opening = OPENING.search(text)
    if not opening:
        return [m.group(0) for m in INCLUDE.finditer(text)], "", "", text
    closing = CLOSING.search(text, opening.end())
    before = text[: opening.start()]
    includes = [m.group(0) for m in INCLUDE.finditer(before)]
    head = INCLUDE.sub("", before).replace("// SPDX-License-Identifier: Apache-2.0\n", "").replace("#pragma once\n", "")
    return includes, head.strip(), text[opening.end() : closing.start()].strip("\n"), text[closing.end() :].strip("\n")


def merged(paths):
    includes, heads, bodies, tails = [], [], [], []
    for path in paths:
        own, head, body, tail = parts_of(pathlib.Path(path).read_text())
        includes += [line for line in own if line not in includes]
        guarded = head == "#if defined(__CUDACC__)" and tail == "#endif"
        if guarded:
            body, head, tail = f"{head}\n\n{body}\n\n#endif", "", ""
        if head and head not in heads:
            heads.append(head)
        bodies.append(body)
        if tail:
            tails.append(tail)
    standard, own = [[line for line in includes if bracket in line] for bracket in "<\""]
    includes = standard + ([""] if standard and own else []) + own
    start = "// SPDX-License-Identifier: Apache-2.0\n"
    if not paths[0].endswith((".cpp", ".cu")):
        start += "#pragma once\n"
    body = "\n\n".join(part for part in bodies if part)
    text = start + "\n" + "\n".join(includes) + "\n\n" + "\n\n".join(heads) + "\n\n"
    if body:
        text += f"namespace ballast {{\n\n{body}\n\n}}  // namespace ballast\n\n"
    return text + "\n\n".join(tails) + "\n"


def move(moves):
    for target, sources in moves:
        pathlib.Path(target).parent.mkdir(parents=True, exist_ok=True)
        text = merged(sources) if len(sources) > 1 else None
        if target != sources[0]:
            git("mv", sources[0], target)
        for source in sources[1:]:
            git("rm", "-qf", source)
        if text:
            pathlib.Path(target).write_text(text)


def part_macros(rows):
    for public, hidden, _ in rows:
        text = pathlib.Path(hidden).read_text()
        end = CLOSING.search(text).end()
        pathlib.Path(hidden).write_text(text[:end] + "\n")
        pathlib.Path(public).write_text("// SPDX-License-Identifier: Apache-2.0\n#pragma once\n\n"
                                        f'#include "{hidden[8:]}"\n\n' + text[end:].lstrip("\n"))
        git("add", public)


def include_names(moves):
    """Old names in #include lines, of public headers whole, of private ones within their room's folder: {name: new}."""
    names = {}
    for target, sources in moves:
        for source in sources:
            if source.startswith("include/"):
                names[source[8:]] = target[6:] if target.startswith("tools/") else target[8:]
    return names


def private_names(moves):
    """{(room, name): new name} for headers of src/ROOM."""
    names = {}
    for target, sources in moves:
        for source in sources:
            match = re.match(r"src/(\w+)/(.+\.(?:hpp|cuh))$", source)
            if match and target.startswith("src/"):
                names[match.group(1), match.group(2)] = target.split("/", 2)[2]
            elif match:
                names[match.group(1), match.group(2)] = target[8:]
    return names


def rewrite_includes(path, text, names, private):
    room = re.match(r"(?:src|tests)/(\w+)/", path)

    def new(match):
        start, left, name, right, rest = match.groups()
        if name in names:
            name = names[name]
        elif room and (room.group(1), name) in private:
            name = private[room.group(1), name]
        return f"{start}{left}{name}{right}{rest}"

    text = INCLUDE.sub(new, text)
    own = path[8:] if path.startswith("include/") else path.split("/", 2)[-1] if path.startswith("src/") else None
    seen, lines = set(), []
    for line in text.split("\n"):
        match = INCLUDE.match(line)
        if match and line.startswith("#include"):
            if line in seen or (match.group(3) == own and path.endswith((".hpp", ".cuh"))):
                continue
            seen.add(line)
        lines.append(line)
    return "\n".join(lines)


def rewrite_mentions(text, names):
    for old, new in sorted(names.items(), key=lambda one: -len(one[0])):
        text = re.sub(rf"(?<![\w/.-])(include/)?{re.escape(old)}(?![\w-])", lambda m: (m.group(1) or "") + new, text)
    return text


def namespace_of(path, public_sources):
    if path.startswith("include/ballast/detail/"):
        return "ballast::detail"
    if path.startswith("include/") or path in public_sources:
        return "ballast"
    return "ballast::detail"


def declared(paths, pattern):
    names = set()
    for path in paths:
        for match in pattern.finditer(parts_of(pathlib.Path(path).read_text())[2]):
            names.update(name for name in match.groups() if name)
    return names


FREE = re.compile(r"^(?!return|using|struct|class|enum|namespace|template|concept|friend|else|case)[\w:\[](?:[\w:<>,&*\[\]]| (?!operator))*[ &*>](\w+)\(", re.M)


def free_functions(paths):
    return {name for path in paths for name in FREE.findall(parts_of(pathlib.Path(path).read_text())[2])}


def anonymous(text):
    """The places in unnamed namespaces."""
    return {at for m in re.finditer(r"^namespace \{\n.*?^\}  // namespace$", text, re.S | re.M) for at in range(m.start(), m.end())}


def mentioned(paths):
    """What declarations at the outermost level may declare, rather too much."""
    names = set()
    for path in paths:
        for line in parts_of(pathlib.Path(path).read_text())[2].split("\n"):
            if line and not re.match(r"[\s/#}]", line):
                names.update(re.findall(r"\b(\w+)\b(?=\s*(?:\(|=|\{|;))", line))
    return names


def reaches_detail(path, room, seen):
    """Whether the file or what it includes opens namespace ballast::detail."""
    path = pathlib.Path(path)
    if path in seen or not path.is_file():
        return False
    seen.add(path)
    text = path.read_text()
    if re.search(r"^namespace ballast::detail \{", text, re.M):
        return True
    folders = [path.parent, "include", "tests/shared", f"src/{room}", f"tests/{room}", "apps", "bench", "tools"]
    return any(reaches_detail(pathlib.Path(folder) / name, room, seen) for _, _, name, _, _ in INCLUDE.findall(text) for folder in folders)


def main():
    rows = read_table(pathlib.Path(sys.argv[1]))
    moves = all_moves(rows)
    move(moves)
    part_macros(rows["macro"])
    names, private = include_names(moves), private_names(moves)
    names |= {source[8:]: public[8:] for public, _, source in rows["macro"]}
    tracked = [p for p in git("ls-files").split("\n") if p and pathlib.Path(p).is_file()]
    code = [p for p in tracked if p.endswith(CODE)]
    for path in code:
        text = pathlib.Path(path).read_text()
        pathlib.Path(path).write_text(rewrite_includes(path, text, names, private))
    for path in tracked:
        if path.endswith((".md", ".txt", ".cmake", ".sh", ".cpp", ".hpp", ".cuh", ".cu")) and not path.startswith("bench/results"):
            text = pathlib.Path(path).read_text()
            new = rewrite_mentions(text, names)
            if new != text:
                pathlib.Path(path).write_text(new)

    rooms = [p for p in code if p.startswith(("include/", "src/")) and not any(p.startswith(f"include/ballast/{f}/") or p.startswith(f"src/{f}/") for f in PUBLIC_FOLDERS)]
    public = [p for p in rooms if p.startswith("include/") and "/detail/" not in p]
    hidden = [p for p in rooms if p.startswith("include/ballast/detail/") or (p.startswith("src/") and p.endswith((".hpp", ".cuh")))]
    public_types, hidden_types = declared(public, TYPE), declared(hidden, TYPE)
    hidden_types -= public_types
    defines = re.compile(r"^[^\s/#}][^\n;]*?\b(\w+)::~?\w+(?:::~?\w+)*\(", re.M)
    public_free = free_functions(public) - free_functions(hidden)
    hidden_free = free_functions(hidden) - free_functions(public)
    public_sources = {row[0] for row in rows["cpp"]}
    for path in rooms:
        if path.startswith("src/") and path.endswith(".cpp"):
            body = parts_of(pathlib.Path(path).read_text())[2]
            stem = pathlib.Path(path).stem
            twins = {pathlib.Path(name).stem: "/detail/" not in "/" + new for name, new in names.items() if f"/{path.split('/')[1]}/" in name}
            if str(pathlib.Path(path).with_suffix(".hpp")) in hidden:
                is_public = False
            elif stem in twins:
                is_public = twins[stem]
            elif any(pathlib.Path(h).stem == stem and h.split("/")[1] == path.split("/")[1] for h in hidden):
                is_public = False
            else:
                is_public = any(m.group(1) in public_types for m in defines.finditer(body))
            outside = re.sub(r"^namespace \{\n.*?^\}  // namespace$", "", body, flags=re.S | re.M)
            if is_public or set(FREE.findall(outside)) & public_free:
                public_sources.add(path)

    for path in [p for p in code if p.startswith("tools/report/") and "/tests/" not in p]:
        text = pathlib.Path(path).read_text()
        pathlib.Path(path).write_text(CLOSING.sub("}  // namespace ballast", OPENING.sub("namespace ballast {\n", text)))
    public_sources |= {p for p in rooms if p.startswith("src/") and p.endswith(".hpp") and
                       set(re.findall(r"^(?:class|struct) (\w+)::\w+", pathlib.Path(p).read_text(), re.M)) & public_types}
    hidden_names = hidden_types | mentioned(hidden) - mentioned(public) - public_types
    for path in [p for p in code if p.startswith("tools/report/") and "/tests/" not in p]:
        text = pathlib.Path(path).read_text()
        pathlib.Path(path).write_text(CLOSING.sub("}  // namespace ballast", OPENING.sub("namespace ballast {\n", text)))
    public_sources |= {p for p in rooms if p.startswith("src/") and p.endswith(".hpp") and
                       set(re.findall(r"^(?:class|struct) (\w+)::\w+", pathlib.Path(p).read_text(), re.M)) & public_types}
    hidden_names = hidden_types | mentioned(hidden) - mentioned(public) - public_types
    if "--names" in sys.argv:
        for path in public:
            body = re.sub(r"//.*", "", parts_of(pathlib.Path(path).read_text())[2])
            found = {m for m in re.findall(r"(?<![\w:.])(?<!->)(\w+)\b", body) if m in hidden_names - hidden_types}
            print(path, *sorted(found))
    for path in rooms:
        text = pathlib.Path(path).read_text()
        where = namespace_of(path, public_sources)
        using = "\nusing namespace detail;\n" if path in public_sources else ""
        if path in public:
            forward = re.findall(r"^(?:class|struct) \w+;\n", text, re.M)
            forward = [line for line in forward if line.split()[1][:-1] in hidden_types]
            for line in forward:
                text = text.replace(line, "", 1) if f"\n{line}" in text else text
            text = qualified(text, hidden_types)
            if forward:
                text = OPENING.sub("namespace ballast::detail {\n" + "".join(sorted(set(forward))) + "}\n\nnamespace ballast {\n", text, count=1)
        else:
            forward = [line for line in re.findall(r"^(?:class|struct) \w+;\n", text, re.M) if line.split()[1][:-1] in public_types]
            for line in forward if where == "ballast::detail" else []:
                text = text.replace(f"\n{line}", "\n", 1)
            if forward and where == "ballast::detail":
                text = OPENING.sub("namespace ballast {\n" + "".join(sorted(set(forward))) + "}\n\nnamespace ballast::detail {\n", text, count=1)
        if path in public_sources:
            text = re.sub(FREE, lambda m: m.group(0) if m.group(1) not in hidden_free or m.start() in anonymous(text)
                          else m.group(0)[: -len(m.group(1)) - 1] + f"detail::{m.group(1)}(", text)
        if OPENING.search(text):
            if not re.search(r"^namespace ballast::detail \{\n", text, re.M):
                text = OPENING.sub(f"namespace {where} {{\n{using}", text)
            text = CLOSING.sub(f"}}  // namespace {where}", text)
        pathlib.Path(path).write_text(text)
    for path in [p for p in code if p.startswith(("include/", "src/", "tests/", "bench/", "apps/", "tools/", "examples/"))]:
        text = pathlib.Path(path).read_text()
        new = re.sub(r"(?<!\w)(::)?ballast::(\w+)\b", lambda m: (m.group(1) or "") + "ballast::detail::" + m.group(2)
                     if m.group(2) in hidden_names and m.group(2) not in ("detail", "test") else m.group(0), text)
        if any(f in path for f in ("include/ballast/mesi/", "src/mesi/")):
            new = qualified(new, hidden_types)
        if new != text:
            pathlib.Path(path).write_text(new)
    for path in code:
        text = pathlib.Path(path).read_text()
        parts = path.split("/")
        if path in public_sources and not reaches_detail(path, parts[1], set()):
            pathlib.Path(path).write_text(text.replace("\nusing namespace detail;\n", ""))
        mine = parts[0] == "tests" or INCLUDE_DETAIL.search(text) or re.search(r'^#include "(?!ballast/|\w+/)[^"]+"', text, re.M)
        if parts[0] in ("tests", "bench") and mine and reaches_detail(path, parts[1], set()):
            text = re.sub(r"namespace ballast::inline \w+(?= \{|$)", "namespace ballast::test", text, flags=re.M)
            opening = r"^(namespace ballast(?:::(?:test|bench)(?:::\w+)*)? \{\n)"
            pathlib.Path(path).write_text(re.sub(opening, r"\1using namespace detail;\n", text, count=1, flags=re.M))
    for row in rows["qualify"]:
        text = pathlib.Path(row[0]).read_text()
        pathlib.Path(row[0]).write_text(qualified(text, set(row[1].split())))
    for path, old, new in rows["text"]:
        text = pathlib.Path(path).read_text()
        old, new = old.replace("\\n", "\n"), new.replace("\\n", "\n")
        if old not in text:
            sys.exit(f"{path} does not hold {old!r}")
        pathlib.Path(path).write_text(text.replace(old, new))
    formatted = [p for p in git("ls-files").split("\n") if p.endswith(CODE[:4]) and "golden" not in p and pathlib.Path(p).is_file()]
    subprocess.run(["clang-format", "-i", *formatted], check=True)
    print(f"{len(moves)} files moved, {len(public)} public headers, {len(public_sources)} sources of ballast, {len(hidden_types)} types hidden")


INCLUDE_DETAIL = re.compile(r'^#include "ballast/detail/', re.M)


def is_declared(code, match):
    """Whether the match is what a declaration of a variable names, not a type."""
    before = re.search(r"([\w>&*]+)\s+$|[&*]\s*$", code[: match.start()])
    word = before.group(1) if before else None
    return before is not None and bool(re.match(r"\s*[=;,){]", code[match.end() :])) and \
        word not in ("class", "struct", "typename", "const", "friend", "return", "new", "public", "private")


def qualified(text, names):
    """detail::name for each type used, but where it is declared, qualified, a member's name or in a comment or string."""
    out = []
    for line in text.split("\n"):
        if INCLUDE.match(line) or re.match(r"\s*(///?|//)", line):
            out.append(line)
            continue
        cut = line.find("///<")
        code, comment = (line, "") if cut < 0 else (line[:cut], line[cut:])
        code = re.sub(r'(?<![\w:.>"])(?<!->)\b(\w+)\b(?!")', 
                      lambda m: "detail::" + m.group(1) if m.group(1) in names and not is_declared(code, m) else m.group(0), code)
        out.append(code + comment)
    return "\n".join(out)


main()
