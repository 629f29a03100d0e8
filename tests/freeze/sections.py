#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sections.py folder...: of each *.cubin in the folders, a line for each section of machine code and of what a launch needs:
list (the folder's name), kind, bytes, hash of the contents, symbol."""

import hashlib
import pathlib
import struct
import sys

KINDS = (".text.", ".nv.info.", ".nv.constant0.", ".nv.shared.")


def sections_of(data):
    """Name, size and contents of each section of a 64-bit little-endian ELF file."""
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("no 64-bit little-endian ELF file")
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size) for i in range(count)]
    strings = headers[names][4]
    for name, kind, _, _, offset, length, *_ in headers:
        start = strings + name
        no_bits = kind == 8  # it has a size only
        yield data[start : data.index(b"\0", start)].decode(), length, b"" if no_bits else data[offset : offset + length]


def main():
    for folder in sys.argv[1:]:
        for cubin in sorted(pathlib.Path(folder).glob("*.cubin")):
            for name, length, contents in sections_of(cubin.read_bytes()):
                for kind in KINDS:
                    if name.startswith(kind):
                        digest = hashlib.sha256(contents).hexdigest()[:16]
                        print(cubin.parent.name, kind.strip("."), length, digest, name[len(kind) :], sep="\t")


if __name__ == "__main__":
    main()
