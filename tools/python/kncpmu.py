# SPDX-License-Identifier: GPL-2.0
"""Counting from inside a Python program on the card, through /dev/knc_pmu.

One file without ctypes, which a card's Python may lack: copy it beside the program.

    import kncpmu

    with kncpmu.Session("INSTRUCTIONS_EXECUTED", "BRANCHES") as session:
        with session.region("solve"):
            solve()
        print(session.read())
    session.report()

    @session.region("step")             # the same as a decorator
    def step():
        ...

A session counts one or two events of the thread that makes it, in user mode, from its begin to its
end. An event is a name of knc_pmu_events(7), or a code, such as "r16"; with ":k" it counts the kernel
instead, with ":uk" both: these take CAP_PERFMON. A region reads the counts at its begin and at its
end, by a system call each. What an empty region counts is subtracted.
"""

import array
import fcntl
import functools
import os
import struct
import sys

DEVICE = "/dev/knc_pmu"

# uapi/knc_pmu.h; tests/host/check-python compares these with it
IOC_CONFIG, IOC_START, IOC_STOP, IOC_READ = 0xC060BD01, 0xBD02, 0xBD03, 0x4018BD05
EVENT = struct.Struct("=QQQQIIII")
CONFIG = struct.Struct("=IIQQIIIiQIIIIIIIIIiII")
READ = struct.Struct("=QQII")
THREAD = struct.Struct("=IHHQQQQ16Q")
EVENT_USR, EVENT_OS = 1, 2
CONFIG_TASK = 8
THREAD_EVICTED = 0x10
# the place of a field in CONFIG and THREAD as they are unpacked
CONFIG_REASON, THREAD_FLAGS, THREAD_VALUE = 13, 1, 7

# code | unit mask << 8 of each row of include/knc/events.def
EVENTS = {
    "DATA_READ": 0x0000, "DATA_WRITE": 0x0001, "DATA_PAGE_WALK": 0x0002, "DATA_READ_MISS": 0x0003,
    "DATA_WRITE_MISS": 0x0004, "DATA_CACHE_LINES_WRITTEN_BACK": 0x0006,
    "MEMORY_ACCESSES_IN_BOTH_PIPES": 0x0009, "BANK_CONFLICTS": 0x000a, "CODE_READ": 0x000c,
    "CODE_PAGE_WALK": 0x000d, "CODE_CACHE_MISS": 0x000e, "L1_DATA_PF1": 0x0011, "BRANCHES": 0x0012,
    "PIPELINE_FLUSHES": 0x0015, "INSTRUCTIONS_EXECUTED": 0x0016,
    "INSTRUCTIONS_EXECUTED_V_PIPE": 0x0017, "L1_DATA_PF1_MISS": 0x001c, "L1_DATA_PF1_DROP": 0x001e,
    "PIPELINE_AGI_STALLS": 0x001f, "L1_DATA_HIT_INFLIGHT_PF1": 0x0020,
    "PIPELINE_SG_AGI_STALLS": 0x0021, "DATA_READ_OR_WRITE": 0x0028,
    "DATA_READ_MISS_OR_WRITE_MISS": 0x0029, "CPU_CLK_UNHALTED": 0x002a,
    "BRANCHES_MISPREDICTED": 0x002b, "MICROCODE_CYCLES": 0x002c, "FE_STALLED": 0x002d,
    "EXEC_STAGE_CYCLES": 0x002e, "L1_DATA_PF2": 0x0037, "L2_DATA_PF1_MISS": 0x0038,
    "LONG_DATA_PAGE_WALK": 0x003a, "LONG_CODE_PAGE_WALK": 0x003b, "HWP_L2HIT": 0x10c3,
    "HWP_L2MISS": 0x10c4, "L2_READ_HIT_E": 0x10c8, "L2_READ_HIT_M": 0x10c9,
    "L2_READ_HIT_S": 0x10ca, "L2_READ_MISS": 0x10cb, "L2_WRITE_HIT": 0x10cc,
    "L2_STRONGLY_ORDERED_STREAMING_VSTORES_MISS": 0x10ce,
    "L2_WEAKLY_ORDERED_STREAMING_VSTORE_MISS": 0x10cf, "L2_VICTIM_REQ_WITH_DATA": 0x10d7,
    "SNP_HITM_BUNIT": 0x10e3, "SNP_HIT_L2": 0x10e6, "SNP_HITM_L2": 0x10e7,
    "L2_CODE_READ_MISS_CACHE_FILL": 0x10f0, "L2_DATA_READ_MISS_CACHE_FILL": 0x10f1,
    "L2_DATA_WRITE_MISS_CACHE_FILL": 0x10f2, "L2_CODE_READ_MISS_MEM_FILL": 0x10f5,
    "L2_DATA_READ_MISS_MEM_FILL": 0x10f6, "L2_DATA_WRITE_MISS_MEM_FILL": 0x10f7,
    "L2_DATA_PF2": 0x10fc, "L2_DATA_PF2_DROP": 0x10fd, "L2_DATA_PF2_MISS": 0x10fe,
    "L2_DATA_HIT_INFLIGHT_PF2": 0x10ff, "VPU_DATA_READ": 0x2000, "VPU_DATA_WRITE": 0x2001,
    "VPU_DATA_READ_MISS": 0x2003, "VPU_DATA_WRITE_MISS": 0x2004, "VPU_STALL_REG": 0x2005,
    "VPU_INSTRUCTIONS_EXECUTED": 0x2016, "VPU_INSTRUCTIONS_EXECUTED_V_PIPE": 0x2017,
    "VPU_ELEMENTS_ACTIVE": 0x2018,
}


class Error(Exception):
    """Says what could not be done, why, and what to do"""


def event_of(text):
    """(code, flags) of NAME or rCODE, perhaps with :u, :k or :uk"""
    name, _, rings = text.partition(":")
    code = EVENTS.get(name)
    if code is None and name[:1] == "r":
        try:
            code = int(name[1:], 16)
        except ValueError:
            pass
    if code is None or not 0 <= code <= 0xFFFF:
        raise Error("there is no event %s: knc_pmu_events(7) has the names" % name)
    if rings not in ("", "u", "k", "uk", "ku"):
        raise Error("%s: a modifier is u, k or uk" % text)
    return code, (EVENT_USR if "u" in rings or not rings else 0) | (EVENT_OS if "k" in rings else 0)


class Region(object):
    """A part of the program, as context manager and as decorator; a region may contain itself"""

    def __init__(self, session, name):
        self.session, self.name = session, name
        self.visits, self.totals, self.least, self.most = 0, [0] * session.nr, None, None
        self.begun = []

    def __enter__(self):
        self.begun.append(self.session.raw())
        return self

    def __exit__(self, *_):
        now = self.session.raw()
        begun, now = self.session.counts(self.begun.pop()), self.session.counts(now)
        self.add([n - b - c for n, b, c in zip(now, begun, self.session.cost)])

    def add(self, counts):
        """A visit has ended"""
        counts = [max(n, 0) for n in counts]
        self.visits += 1
        self.totals = [a + b for a, b in zip(self.totals, counts)]
        self.least = [min(a, b) for a, b in zip(self.least or counts, counts)]
        self.most = [max(a, b) for a, b in zip(self.most or counts, counts)]

    def __call__(self, function):
        @functools.wraps(function)
        def counted(*args, **kwargs):
            with self:
                return function(*args, **kwargs)
        return counted


class Session(object):
    """Counts of the calling thread, from now to close(), or to the end of its with"""

    def __init__(self, *events):
        self.events = events or ("INSTRUCTIONS_EXECUTED",)
        self.nr, self.regions, self.last, self.descriptor = len(self.events), {}, None, None
        elements = array.array("B", b"".join(
            EVENT.pack(code, 0, 0, 0, flags, 0, 0, 0)
            for code, flags in map(event_of, self.events)))
        config = array.array("B", CONFIG.pack(
            0, CONFIG_TASK, 0, elements.buffer_info()[0], 0, self.nr, EVENT.size, *[0] * 14))
        self.record = array.array("B", bytes(bytearray(THREAD.size)))
        self.request = array.array("B", READ.pack(self.record.buffer_info()[0], THREAD.size, 0, 0))
        try:
            self.descriptor = os.open(DEVICE, os.O_RDWR)
            fcntl.ioctl(self.descriptor, IOC_CONFIG, config, True)
            fcntl.ioctl(self.descriptor, IOC_START)
        except EnvironmentError as error:
            reason = CONFIG.unpack(config.tobytes())[CONFIG_REASON]
            self.drop()
            raise Error("%s counts nothing: %s%s; knc-pmuctl doctor finds what is missing" % (
                DEVICE, error.strerror, ", reason %d of knc_pmu.h" % reason if reason else ""))
        self.cost = [0] * self.nr
        self.cost = self.empty()

    def empty(self):
        """The smallest counts of an empty region"""
        region = Region(self, "")
        for _ in range(20):
            with region:
                pass
        return region.least

    def raw(self):
        """A struct knc_pmu_thread for counts(), which executes as little as possible here"""
        if self.descriptor is None:
            raise Error("the session is closed: it has no counts of a region")
        try:
            fcntl.ioctl(self.descriptor, IOC_READ, self.request, True)
        except EnvironmentError as error:
            raise Error("the counts can't be read: %s" % error.strerror)
        return self.record.tobytes()

    def counts(self, record):
        """The count of each event in a record"""
        fields = THREAD.unpack(record)
        if fields[THREAD_FLAGS] & THREAD_EVICTED:
            raise Error("a session is evicted: its counters were taken away; begin another one")
        return list(fields[THREAD_VALUE:THREAD_VALUE + self.nr])

    def read(self):
        """The counts since the session began"""
        return self.last if self.descriptor is None else self.counts(self.raw())

    def region(self, name):
        """The region of this name"""
        if name not in self.regions:
            self.regions[name] = Region(self, name)
        return self.regions[name]

    def drop(self):
        """Close the file"""
        if self.descriptor is not None:
            os.close(self.descriptor)
        self.descriptor = None

    def close(self):
        """Stop counting; from now on read() returns the last counts"""
        if self.descriptor is not None:
            try:
                self.last = self.read()
            finally:
                self.drop()

    def report(self, file=None):
        """A table of all regions that were visited"""
        form = "%-20s %10s  %-26s %15s %15s %15s %15s\n"
        file = file or sys.stderr
        file.write(form % ("region", "visits", "event", "events", "mean", "min", "max"))
        for region in self.regions.values():
            for i, event in enumerate(self.events if region.visits else ()):
                total = region.totals[i]
                file.write(form % (region.name, region.visits, event, total,
                                   total // region.visits, region.least[i], region.most[i]))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
