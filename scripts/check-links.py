#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check-links.py FOLDER: passes if there are HTML files in FOLDER and every link in them to another of its files leads to a file, and a
place in it, that is there. Places in the page itself are its maker's own affair."""

import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The links of a page, and the places in it that others can link to."""

    def __init__(self, file):
        super().__init__()
        self.links, self.places = set(), set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.places.update(values[key] for key in ("id", "name") if values.get(key))
        self.links.update(values[key] for key in ("href", "src") if values.get(key))


def faults(folder):
    pages = {file: Page(file) for file in folder.rglob("*.html")}
    if not pages:
        yield f"{folder} has no page"
    for file, page in pages.items():
        for link in sorted(page.links):
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else file
            place = urllib.parse.unquote(parts.fragment)
            if not target.is_file():
                yield f"{file.relative_to(folder)}: {link} is not there"
            elif place and target != file and target in pages and place not in pages[target].places:
                yield f"{file.relative_to(folder)}: {link} is no place in that page"


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    found = list(faults(folder))
    print("\n".join(found) or f"{len(list(folder.rglob('*.html')))} pages, every link of theirs leads somewhere")
    sys.exit(bool(found))


main()
