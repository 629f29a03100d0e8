#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/reference/commands*.md from what the programs of a build tell of themselves.

  scripts/command-pages.py BUILD          writes the pages, for which all programs have to be there
  scripts/command-pages.py BUILD --check  fails if a page differs from what the programs that are there tell"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Each page: its title, its first sentence, and its programs; a program stands under the name of its file.
PAGES = {
    "commands.md": ("Commands and their options", "What `ballast` and the programs that measure take.",
                    ["ballast", "ballast-bench", "ballast-cluster"]),
    "commands-apps.md": ("Options of the applications", "What `md`, `nanodroplet` and `connect4` take.",
                         ["ballast-md", "ballast-nanodroplet", "ballast-connect4"]),
    "commands-jobs.md": ("Options of programs made of jobs", "What `matmul`, `ep` and `hotspot` take, and the translator `mesicc`.",
                         ["ballast-matmul", "ballast-ep", "ballast-hotspot", "mesicc"]),
}
MOST_VALUES = 12


def tree_of(program):
    told = subprocess.run([program, "--print-tree"], check=True, capture_output=True, text=True)
    return json.loads(told.stdout)


def in_a_cell(text):
    return text.replace("|", "\\|")


def row(option):
    names = ", ".join(option["names"])
    value = f" {option['value']}" if option["value"] and not names == option["value"] else ""
    facts = [option["meaning"]]
    listed = option["values"] if "|" not in option["value"] and not option["takes_list"] else []
    if listed and len(listed) <= MOST_VALUES and not all(word in option["meaning"] for word in listed):
        facts.append(" (" + ", ".join(f"`{word}`" for word in listed) + ")")
    if option["usual"] and option["value"]:
        facts.append(f" [`{option['usual']}`]")
    if option["is_required"]:
        facts.append(" (required)")
    return f"| `{in_a_cell(names + value)}` | {in_a_cell(''.join(facts))} |"


def synopsis(tree):
    words = [tree["called"], "[OPTIONS]"]
    for one in tree["arguments"]:
        name = one["names"][0] + ("..." if one["may_repeat"] else "")
        words.append(name if one["is_required"] else f"[{name}]")
    return " ".join(words + (["[COMMAND]"] if tree["commands"] else []))


def lines_of(tree, shared, level=2):
    yield f"{'#' * level} {tree['called']}\n\n{tree['summary']}.\n\n`{synopsis(tree)}`\n\n"
    yield "```sh\n" + "".join(f"{line}\n" for line in tree["examples"]) + "```\n"
    options = [one for one in tree["arguments"] + tree["options"] if one["group"] != "Help" and row(one) not in shared]
    if options:
        yield "\n| option | meaning |\n|---|---|\n" + "".join(f"{row(one)}\n" for one in options)
    yield "\n"
    for one in tree["commands"]:
        yield from lines_of(one, shared, level + 1)


def shared_rows(trees):
    """Rows that three programs of the page have."""
    rows = [row(one) for tree in trees for one in tree["options"] if one["group"] != "Help"]
    return list(dict.fromkeys(one for one in rows if rows.count(one) >= 3))


def page(name, trees):
    title, first, _ = PAGES[name]
    text = f"# {title}\n\n{first}\n`scripts/command-pages.py` writes this page from what the programs tell of themselves, as their help texts, manual\n"
    text += "pages and completions are. A default stands in brackets. All have `--help` and `--version`.\n"
    text += "[cli.md](../cli.md) explains devices, errors and signals, [errors.md](errors.md) exit codes.\n\n"
    shared = shared_rows(trees)
    if shared:
        text += "Several programs of this page have these:\n\n| option | meaning |\n|---|---|\n"
        text += "".join(f"{one}\n" for one in shared) + "\n"
    text += "".join(line for tree in trees for line in lines_of(tree, shared))
    return text.rstrip("\n") + "\n"


def is_true(text, trees):
    """Whether the page has what these programs tell, though others of it may be missing."""
    shared = [line for line in text.split("\n## ")[0].splitlines() if line.startswith("| `")]
    return all("".join(lines_of(tree, shared)).strip() in text for tree in trees)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    differing = []
    for name, (_, _, programs) in PAGES.items():
        target = ROOT / "docs/reference" / name
        files = [asked.build / program for program in programs]
        missing = [str(file) for file in files if not file.is_file()]
        trees = [tree_of(file.resolve()) for file in files if file.is_file()]
        if missing:
            print(f"{name}: there is no {', '.join(missing)}")
        if not asked.check and not missing:
            target.write_text(page(name, trees))
        elif asked.check and not (is_true(target.read_text(), trees) if missing else target.read_text() == page(name, trees)):
            differing.append(name)
    if differing:
        sys.exit(f"{', '.join(differing)}: not what the programs tell; run scripts/command-pages.py {asked.build}")


if __name__ == "__main__":
    main()
