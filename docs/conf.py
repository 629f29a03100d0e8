# SPDX-License-Identifier: Apache-2.0
# The site of the pages, by Sphinx: scripts/docs.sh builds it. The pages stay plain Markdown, which GitHub shows as well.

import os
import pathlib
import posixpath
import re

from docutils import nodes

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[([^][]*)\]\(([^()\s]+)\)")
DIAGRAM = re.compile(r"^```mermaid\ngraph (\w+)\n(.*?)^```$", re.M | re.S)
LOOK = 'bgcolor=transparent; node [style=filled fillcolor=white fontname="sans-serif"]; edge [color=gray];'

project = "ballast"
author = "The ballast authors"
copyright = author
extensions = ["myst_parser", "sphinx.ext.graphviz"]
graphviz_output_format = "svg"
include_patterns = ["*.md", "docs/**.md", "bench/*.md"]
exclude_patterns = ["build", ".git", "bench/results"]  # else Sphinx walks them too, with the roots of fresh systems in build
root_doc = "docs/README"
myst_heading_anchors = 6
html_theme = "furo"
html_title = "ballast"
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["site/site.css"]
html_css_files = ["site.css"]
templates_path = ["site/templates"]
html_sidebars = {"**": ["sidebar/brand.html", "sidebar/search.html", "sidebar/scroll-start.html", "sidebar/navigation.html",
                        "api.html", "sidebar/scroll-end.html"]}


def pages_linked_in(text, page):
    """The pages that text of a page links to, each once, as paths from that page's folder and without the ending."""
    links = (link.partition("#")[0] for _, link in LINK.findall(text) if ":" not in link)
    found = dict.fromkeys(link[:-len(".md")] for link in links if link.endswith(".md"))
    return [link for link in found if posixpath.normpath(posixpath.join(posixpath.dirname(page), link)) != page]


def contents(links, *options):
    return "\n".join(["", "```{toctree}", ":hidden:", *options, "", *links, "```", "", ""]) if links else ""


def map_with_contents(text):
    """Each part of the map names its pages: those that it links to, then the others of their folders, but for those with an index."""
    parts = re.split(r"^(?=## )", text, flags=re.M)
    files = [file for file in (ROOT / "docs").glob("*/*.md") if not (file.parent / "README.md").exists()]
    left = {f"{file.parent.name}/{file.stem}" for file in files}
    links_of = [pages_linked_in(part, root_doc) for part in parts]
    left -= {link for links in links_of for link in links}
    seen = set()
    for number, links in enumerate(links_of):
        links = [link for link in links if link not in seen]
        folders = {posixpath.dirname(link) for link in links}
        links += sorted(link for link in left if posixpath.dirname(link) in folders)
        left -= set(links)
        seen.update(links)
        caption = parts[number].split("\n", 1)[0].lstrip("# ")
        parts[number] += contents(links, f":caption: {caption}")
    return "".join(parts)


def is_page(file):
    folder = file.relative_to(ROOT).parent.as_posix() if file.is_relative_to(ROOT) else ""
    return file.suffix == ".md" and (folder in (".", "bench", "docs") or folder.startswith("docs/"))


def read_page(app, page, source):
    """A folder that a page links to is named only, and Markdown that is no page, as a raw record, is a file to fetch."""
    folder = ROOT / posixpath.dirname(page)

    def link_of(link):
        text, target = link.groups()
        file = pathlib.Path(os.path.normpath(folder / target))
        if file.suffix == ".md" and file.is_file() and not is_page(file):
            return f"{{download}}`{text.replace('`', '')} <{target}>`"
        return text if file.is_dir() else link.group()

    text = LINK.sub(link_of, source[0])
    text = DIAGRAM.sub(lambda it: f"```{{graphviz}}\ndigraph {{ rankdir={it.group(1)}; {LOOK}\n{it.group(2).replace('-->', '->')}}}\n```", text)
    if page == root_doc:
        text = map_with_contents(text)
    elif page.startswith("docs/") and page.endswith("/README"):
        text += contents(sorted(file.stem for file in folder.glob("*.md") if file.stem != "README"))
    source[0] = text


def link_headers(app, doctree, page):
    """A public header that a page names leads to its source in the reference of the API."""
    for name in list(doctree.findall(nodes.literal)):
        file = name.astext().split("/")[-1].replace("_", "__").replace(".", "_8") + "_source.html"
        if not re.fullmatch(r"(ballast/)?((methods|policy|mesi)/)?\w+\.(hpp|cuh)", name.astext()) or isinstance(name.parent, nodes.reference):
            continue
        if (pathlib.Path(app.outdir) / "api" / file).exists():
            uri = posixpath.relpath(f"api/{file}", posixpath.dirname(page) or ".")
            name.replace_self(nodes.reference("", "", name.deepcopy(), refuri=uri))


def setup(app):
    app.connect("source-read", read_page)
    app.connect("doctree-resolved", link_headers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
