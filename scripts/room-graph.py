#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rooms as their includes say: scripts/room-graph.py prints a Mermaid diagram, and --check compares it with the one in
docs/rooms.md, and with what CMakeLists.txt lets each room see. An arrow stands for includes that no longer path explains. --check also
finds includes from a folder of a room to one that CMakeLists.txt lists to its right, and sources beside such folders."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROOM = re.compile(r"ballast_add_room\((\w+)([^)]*)\)")
INCLUDE = re.compile(r'^\s*#\s*include\s+"ballast/([^"]+)"', re.M)


def rooms_of_cmake():
    """Each room in order: (the rooms that it may include, its headers for users, its folders in order)."""
    rooms = {}
    for name, words in ROOM.findall((ROOT / "CMakeLists.txt").read_text()):
        parts = re.split(r"\b(DEPENDS|HEADERS|FOLDERS|HEADER_ONLY_LIBRARIES)\b", words)
        lists = {parts[i]: parts[i + 1].split() for i in range(1, len(parts), 2)}
        rooms[name] = lists.get("DEPENDS", []), lists.get("HEADERS", []), lists.get("FOLDERS", [])
    return rooms


def room_of(header, rooms):
    if header.startswith("detail/"):
        return header.split("/")[1]
    for room, (_, headers, _) in rooms.items():
        if any(header == mine or header.startswith(mine + "/") for mine in headers):
            return room
    sys.exit(f"ballast/{header} is a header of no room")


def files_of(room, headers):
    include = ROOT / "include/ballast"
    folders = [ROOT / "src" / room, include / "detail" / room] + [include / header for header in headers]
    for folder in folders:
        yield from (f for f in folder.rglob("*") if f.is_file()) if folder.is_dir() else [folder] if folder.is_file() else []


def included(rooms):
    edges = {room: set() for room in rooms}
    for room, (_, headers, _) in rooms.items():
        for file in files_of(room, headers):
            edges[room] |= {room_of(header, rooms) for header in INCLUDE.findall(file.read_text())} - {room}
    return edges


def includes_to_the_right(rooms):
    for room, (_, _, folders) in rooms.items():
        if folders:
            yield from (f"{file.relative_to(ROOT)} is in none of {' '.join(folders)}" for file in (ROOT / "src" / room).glob("*.?pp"))
        for place, folder in enumerate(folders):
            for file in sorted((ROOT / "src" / room / folder).rglob("*.?pp")):
                for other, header in re.findall(r'^\s*#\s*include\s+"(\w+)/(\S+)"', file.read_text(), re.M):
                    if other in folders[place + 1 :]:
                        yield f"{file.relative_to(ROOT)} includes {other}/{header}"


def reached(room, edges):
    return edges[room].union(*(reached(other, edges) for other in edges[room]))


def diagram(edges):
    lines = ["```mermaid", "graph RL"]
    for room, others in edges.items():
        for other in edges:
            if other in others and not any(other in reached(third, edges) for third in others):
                lines.append(f"  {room} --> {other}")
    return "\n".join(lines + ["```"])


def main():
    rooms = rooms_of_cmake()
    edges = included(rooms)
    drawn = diagram(edges)
    if sys.argv[1:] != ["--check"]:
        print(drawn)
        return
    allowed = {room: set(others) for room, (others, _, _) in rooms.items()}
    if diagram(allowed) != drawn or any(reached(room, edges) != reached(room, allowed) for room in rooms):
        sys.exit(f"CMakeLists.txt lets rooms see\n{diagram(allowed)}\nand they include\n{drawn}")
    if drawn not in (ROOT / "docs/rooms.md").read_text():
        sys.exit(f"docs/rooms.md does not hold what the includes say:\n{drawn}")
    if wrong := list(includes_to_the_right(rooms)):
        sys.exit("\n".join(wrong))
    print(f"{len(rooms)} rooms include what CMakeLists.txt and docs/rooms.md say")


main()
