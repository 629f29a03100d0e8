#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the time lines of README.md, one step of a trace that `ballast md --trace` wrote, before and after balancing, on one
scale: scripts/time-lines.py. With --check it fails where the picture is not that of the trace."""

import collections
import html
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TRACE, STEP = ROOT / "bench/results/amd-epyc-2-cores/md-trace-e7e8bb93.json", 1
PICTURE = ROOT / "docs/pictures/time-lines.svg"
WAYS = {"S1 forces": "Before: each device gets half of the atoms",
        "TQ forces": "With ballast: a device that is free takes the next task"}
LEFT, WIDTH, LANE, GAP, TITLE, TOP = 92, 640, 26, 8, 26, 6
STYLE = """text { font: 13px system-ui, sans-serif; fill: #24292f } .title { font-weight: 600 } .lane { fill: #8c959f; opacity: .22 }
.a { fill: #d1701f } .b { fill: #1f7ad1 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }"""


def spans_of(trace, step):
    """The names of the devices, and of each label the spans (device, begin, end) in microseconds since its first."""
    names, found = {}, collections.defaultdict(list)
    for event in trace["traceEvents"]:
        if event["name"] == "process_name":
            names[event["pid"]] = event["args"]["name"]
        elif event["ph"] == "X" and event["args"]["step"] == step:
            found[event["name"]].append((event["pid"], event["ts"], event["ts"] + event["dur"]))
    for label, spans in found.items():
        first = min(begin for _, begin, _ in spans)
        found[label] = sorted((pid, begin - first, end - first) for pid, begin, end in spans)
    return names, found


def panel(title, spans, names, top, scale):
    """One way: a title, and a line for each device with the share of the time in which it worked."""
    last = max(end for _, _, end in spans)
    yield f'<text class="title" x="0" y="{top + 15}">{html.escape(title)}: {last / 1000:.0f} ms</text>'
    for lane, (pid, name) in enumerate(sorted(names.items())):
        y = top + TITLE + lane * (LANE + GAP)
        mine = [(begin, end) for device, begin, end in spans if device == pid]
        busy = sum(end - begin for begin, end in mine) / last
        yield f'<text x="0" y="{y + 18}">{html.escape(name)}</text>'
        yield f'<rect class="lane" x="{LEFT}" y="{y}" width="{last * scale:.1f}" height="{LANE}"/>'
        for begin, end in mine:
            width = max((end - begin) * scale - 0.7, 0.5)  # what is left out parts neighbours
            yield f'<rect class="{"ab"[lane % 2]}" x="{LEFT + begin * scale:.1f}" y="{y}" width="{width:.1f}" height="{LANE}"/>'
        yield f'<text x="{LEFT + last * scale + 8:.1f}" y="{y + 18}">{100 * busy:.0f} % busy</text>'


def picture(trace):
    names, found = spans_of(trace, STEP)
    scale = WIDTH / max(end for label in WAYS for _, _, end in found[label])
    each = TITLE + len(names) * (LANE + GAP) + 16
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 90} {TOP + each * len(WAYS)}">']
    lines.append(f"<style>{STYLE}</style>")
    for number, (label, title) in enumerate(WAYS.items()):
        lines += panel(title, found[label], names, TOP + number * each, scale)
    return "\n".join(lines + ["</svg>", ""])


def main():
    drawn = picture(json.loads(TRACE.read_text()))
    if sys.argv[1:] == ["--check"]:
        sys.exit(None if PICTURE.read_text() == drawn else f"{PICTURE} is not what {TRACE} shows; run scripts/time-lines.py")
    if sys.argv[1:]:
        sys.exit(__doc__)
    PICTURE.write_text(drawn)


main()
