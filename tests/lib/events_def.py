# SPDX-License-Identifier: GPL-2.0
"""include/knc/events.def, read: rows() has a tuple for each event"""
import collections
import os
import re

PATH = os.path.join(os.path.dirname(os.path.realpath(__file__)), '../../include/knc/events.def')
# numbers of the first two columns after the name, words of the file in the others
Row = collections.namedtuple('Row', 'name code umask unit counters scope rate emulated cause sources what')
ROW = re.compile(r'^KNC_EVENT\((\w+), (0x\w+), (0x\w+), (\w+), (\w+), (\w+), (\w+), (\w+)(?:\(\w+\))?,'
                 r'\s+(\w+), ([^"]*?),\s+"((?:[^"\\]|\\.)*)"\)', re.M)


def rows():
    """The events in the order of the file"""
    with open(PATH, encoding='utf-8') as f:
        text = f.read()
    found = [Row(name, int(code, 16), int(umask, 16), *rest) for name, code, umask, *rest in ROW.findall(text)]
    if len(found) != text.count('\nKNC_EVENT('):
        raise ValueError('events.def has a row that tests/lib/events_def.py does not understand')
    return found
