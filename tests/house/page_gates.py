#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""page_gates.py root: passes if pages.py and scripts/check-links.py pass what is right, and see each error planted here."""

import pathlib
import subprocess
import sys
import tempfile

RIGHT = """# A page

[One](docs/b.md "title"), [two](<docs/b.md#a-heading>),
[three][my-ref], [four][], <a href="docs/b.md">five</a>, [six](docs); a[i][j] is none.

[my-ref]: docs/b.md
[four]: docs/b.md "title"

```cpp
int i;
```

1. In a list:
   ```cuda
   matmul<<[N, N]>>(a);
   ```

```cmake
project(p)
```

```
anything
```
"""
SAID_THERE = "A sentence of docs/b.md is long enough for a reader to see that it stands in another page as well."
WRONG = {  # what is planted, and what must be said of it
    '[x](nowhere.md "title")': "nowhere.md is not there",
    "[x](<nowhere.md>)": "nowhere.md is not there",
    "[another-ref]: nowhere.md": "nowhere.md is not there",
    "[x][undefined]": "[undefined] is not defined",
    "[undefined][]": "[undefined] is not defined",
    '<a href="nowhere.md">x</a>': "nowhere.md is not there",
    "<img src='nowhere.svg'>": "nowhere.svg is not there",
    "[x](../outside.md)": "../outside.md leads out of the repository",
    "[x](docs#a-heading)": "docs has no heading a-heading",
    "[x](docs/b.md#nothing)": "b.md has no heading nothing",
    "[x](examples/x.cpp#L1)": "x.cpp has no heading L1",
    "```c++\nint i;\n```": "a block of 'c++'",
    '```cpp title="x"\nint i;\n```': "a block of 'cpp title=\"x\"'",
    "```cuda\nint j;\n```": "no file of examples or tests has this",
    "```cpp\nint j;\n```": "no file of examples or tests has this",
    "```cpp\n```": "a block of 'cpp' that shows nothing",
    "```\n```": "a block of '' that shows nothing",
    "```cpp\n}\n```": "a block of 'cpp' that shows nothing",
    SAID_THERE: "says it, too",
    "~~~cpp\nint j;\n~~~": "a fence that is not of three `",
    "````cpp\nint j;\n````": "a fence that is not of three `",
}


def write(root, files):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def said_by(script, root):
    """Its exit code and what it printed, or None and how it ended if it did not by itself."""
    ended = subprocess.run([sys.executable, script, root], capture_output=True, text=True, timeout=60)
    return (None if ended.stderr else ended.returncode), ended.stdout + ended.stderr


def faults_of_pages(script, root):
    write(root.parent, {"outside.md": ""})
    write(root, {"README.md": RIGHT, "docs/b.md": f"# A heading\n\n{SAID_THERE}\n", "bench/SCHEMA.md": "", "examples/x.cpp": "int i;\n}\n",
                 "tests/a.mcu": "  matmul<<[N, N]>>(a);\n", "tests/CMakeLists.txt": "project(p)\n",
                 "tests/house/pages_to_mend.tsv": "bench/SCHEMA.md\tlost\n"})
    code, said = said_by(script, root)
    if code != 0:
        yield f"a page that is right fails: {said}"
    for planted, answer in WRONG.items():
        write(root, {"README.md": f"{RIGHT}\n{planted}\n"})
        code, said = said_by(script, root)
        if code != 1 or answer not in said:
            yield f"it must say \"{answer}\" of {planted!r}, but says: {said}"


def faults_of_site(script, root):
    for files, expected in (({}, 1), ({"a.html": "<a href='b.html#x'>", "b.html": "<p id='x'>"}, 0), ({"a.html": "<a href='c.html'>"}, 1),
                            ({"a.html": "<a href='b.html#y'>"}, 1)):
        write(root, files)
        code, said = said_by(script, root)
        if code != expected:
            yield f"check-links.py must end with {expected} after {files}, but says: {said}"


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        project, site = pathlib.Path(scratch).resolve() / "project", pathlib.Path(scratch).resolve() / "site"
        site.mkdir()
        faults = [*faults_of_pages(source / "tests/house/pages.py", project),
                  *faults_of_site(source / "scripts/check-links.py", site)]
    print("\n".join(faults) or f"{len(WRONG)} planted errors of pages are seen")
    sys.exit(bool(faults))


main()
