# SPDX-License-Identifier: GPL-2.0
"""From the counters of knc_coverage.ko to counts of blocks and their lines, by the compiler's .gcno files.

gcov does the same, but it adds up all copies of a function, also one that never runs because all
calls were inlined."""
import collections
import os
import struct

PREFIX = "__gcov0."
# of .gcno: tags, and flags of an arc that has no counter
FUNCTION, ARCS, LINES = 0x01000000, 0x01430000, 0x01450000
ON_TREE = 1
ENTRY, EXIT = 0, 1


class Broken(Exception):
    """Files that do not belong together"""


def symbols(path):
    """The symbols of an ELF file of 64 bits: (name, type, size)"""
    with open(path, "rb") as file:
        data = file.read()
    at, = struct.unpack_from("<Q", data, 0x28)
    size, number = struct.unpack_from("<HH", data, 0x3a)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, at + n * size) for n in range(number)]
    table = next(section for section in sections if section[1] == 2)
    names = sections[table[6]][4]
    for place in range(table[4], table[4] + table[5], 24):
        name, info, _, _, _, length = struct.unpack_from("<IBBHQQ", data, place)
        yield data[names + name:data.index(b"\0", names + name)].decode(), info & 15, length


def key(names):
    """The hash that knc_coverage.c writes"""
    value = 0xcbf29ce484222325
    for byte in "".join(names).encode():
        value = (value ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return f"{value:016x}"


class Notes:
    """A .gcno"""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        if self.data[:4] != b"oncg" or self.data[4:8] != b"*22B":
            raise Broken(f"{path}: not a file of gcc 12")
        self.functions = {}     # name -> Function
        # header, directory, a flag
        self.at = 16
        self.text()
        self.at += 4
        while self.at < len(self.data):
            tag, length = self.word(), self.word()
            self.record(tag, self.at + length)

    def word(self):
        """The next number"""
        self.at += 4
        return struct.unpack_from("<I", self.data, self.at - 4)[0]

    def text(self):
        """The next string"""
        size = self.word()
        self.at += size
        return self.data[self.at - size:self.at].rstrip(b"\0").decode()

    def record(self, tag, end):
        """A function, or a part of the last one"""
        if tag == FUNCTION:
            self.at += 12
            name = self.text()
            self.functions[name] = Function(name)
        elif self.functions:
            now = next(reversed(self.functions.values()))
            if tag == ARCS:
                block = self.word()
                while self.at < end:
                    now.arcs.append((block, self.word(), self.word()))
            elif tag == LINES:
                block, file = self.word(), ""
                while self.at < end:
                    line = self.word()
                    if line:
                        now.lines.append((block, file, line))
                    else:
                        file = self.text()
        self.at = end


class Function:
    """A copy of a function in one object, with what was inlined"""

    def __init__(self, name):
        self.name = name
        self.arcs = []          # (from block, to block, flags)
        self.lines = []         # (block, file, line)

    def solve(self, counters):
        """Counts of the blocks. Only arcs that are not on a spanning tree have counters; what flows into a block
        flows out of it."""
        given = iter(counters)
        known = [None if flags & ON_TREE else next(given) for _, _, flags in self.arcs]
        sides = collections.defaultdict(list)   # (block, side) -> arcs
        for number, (start, end, _) in enumerate(self.arcs):
            sides[start, 1].append(number)
            sides[end, 0].append(number)
        counts = {}
        changed = True
        while changed:
            changed = False
            for (block, _), arcs in sides.items():
                open_arcs = [arc for arc in arcs if known[arc] is None]
                if not open_arcs and block not in counts:
                    counts[block] = sum(known[arc] for arc in arcs)
                elif len(open_arcs) == 1 and block in counts:
                    known[open_arcs[0]] = counts[block] - sum(known[arc] or 0 for arc in arcs)
                else:
                    continue
                changed = True
        return counts

    def executed(self, counters):
        """The count of the function, and blocks: (count, (file, line)...)"""
        counts = self.solve(counters)
        blocks = collections.defaultdict(set)
        for block, file, line in self.lines:
            blocks[block].add((file, line))
        return counts[ENTRY], [(counts[block], lines) for block, lines in blocks.items()]


class Module:
    """A module's objects and their counters"""

    def __init__(self, path):
        """path: of the .ko; the .mod that names its objects is beside it, a .gcno beside each object"""
        self.directory = os.path.dirname(path)
        self.functions = []         # (object, function, number of counters)
        with open(path[:-2] + "mod", encoding="ascii") as file:
            objects = iter([line.strip() for line in file if line.strip().endswith(".o")])
        now = None
        for name, kind, size in symbols(path):
            if kind == 4 and not name.endswith(".mod.c"):
                now = next(objects, "")
                if os.path.basename(now) != name[:-1] + "o":
                    raise Broken(f"{path}: symbols of {name} where those of {now} should be")
            if name.startswith(PREFIX):
                self.functions.append((now, name[len(PREFIX):], size // 8))
        self.key = key(PREFIX + name for _, name, _ in self.functions)
        self.counts = [[0] * n for _, _, n in self.functions]

    def add(self, index, values):
        """What one unloading has counted"""
        mine = self.counts[index]
        if len(mine) != len(values):
            raise Broken(f"{self.functions[index][1]}: {len(values)} counters instead of {len(mine)}")
        self.counts[index] = [a + b for a, b in zip(mine, values)]

    def notes(self, path):
        """The .gcno of an object, whose path is that of its build"""
        name = path[:-1] + "gcno"
        for start in range(len(name.split("/"))):
            here = os.path.join(self.directory, *name.split("/")[start:])
            if os.path.isfile(here):
                return Notes(here)
        raise Broken(f"there is no {name} below {self.directory}")

    def copies(self):
        """Each copy of a function: name, count, blocks"""
        notes = {}
        for (path, name, _), counts in zip(self.functions, self.counts):
            if path not in notes:
                notes[path] = self.notes(path)
            if name not in notes[path].functions:
                raise Broken(f"{path} has no function {name}")
            yield name, *notes[path].functions[name].executed(counts)
