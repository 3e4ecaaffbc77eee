#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""knc-pmuctl serve on the card, with 4 hardware threads: what its clients get, what hostile ones get,
counts that never decrease over eviction, hotplug and a restart. Prints a line for each test.

    serve.py
"""

import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '../../lib'))
# pylint: disable=wrong-import-position
import checks
from checks import test as check, until

SCRATCH = os.environ.get("KNC_VM_SCRATCH", "/dev/shm")
# a copy that every user can execute
TOOL = shutil.copy(os.environ["KNC_PMUCTL"], os.path.join(SCRATCH, "knc-pmuctl"))
PORT = 9477
SAMPLE = re.compile(r'(knc_pmu_\w+)(?:\{(.*)\})? (\S+)')
ONLINE = "/sys/devices/system/cpu/cpu3/online"
USER = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--inh-caps=+perfmon", "--ambient-caps=+perfmon"]


class Server:
    """knc-pmuctl serve"""

    def __init__(self, *options, prefix=()):
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen([*prefix, TOOL, "serve", *options], stdout=subprocess.PIPE, text=True)

    def begun(self):
        """What it says when it listens"""
        return self.process.stdout.readline()

    def end(self):
        """Its exit status, after SIGTERM"""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait()


def request(text, port=PORT, half=False):
    """The whole answer to a request"""
    with socket.create_connection(("127.0.0.1", port)) as s:
        s.sendall(text)
        if half:
            s.shutdown(socket.SHUT_WR)
        answer = b""
        try:
            while block := s.recv(65536):
                answer += block
        except ConnectionResetError:
            pass
        return answer.decode()


def scrape(accept="", port=PORT):
    """(type, text) of a scrape"""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/metrics", headers={"Accept": accept} if accept else {})
    answer = connection.getresponse()
    return answer.getheader("Content-Type"), answer.read().decode()


def samples(text):
    """{(name, labels): value}"""
    return {(m[1], m[2]): float(m[3]) for m in map(SAMPLE.fullmatch, text.splitlines()) if m}


def of(text, name, **labels):
    """{cpu: value} of a family's samples with these labels"""
    found = {}
    for (family, given), value in samples(text).items():
        have = dict(re.findall(r'(\w+)="([^"]*)"', given or ""))
        if family == name and all(have.get(key) == value for key, value in labels.items()):
            found[int(have["cpu"])] = value
    return found


def fresh():
    """A scrape with a new reading"""
    time.sleep(1.1)
    return scrape()[1]


def decreased(before, after):
    """Counters of both that are less in the second"""
    one, two = samples(before), samples(after)
    return [key for key in one if key in two and "_total" in key[0] and two[key] < one[key]]


def formats():
    """Content types, labels, all hardware threads"""
    kind, text = scrape()
    check("serve.text", kind.startswith("text/plain; version=0.0.4") and "# TYPE knc_pmu_events_total counter" in text, kind)
    kind, other = scrape("application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
    check("serve.openmetrics", kind.startswith("application/openmetrics-text") and "# TYPE knc_pmu_events counter" in other and
          other.endswith("# EOF\n"), kind)
    check("serve.threads", sorted(of(text, "knc_pmu_events_total", event="INSTRUCTIONS_EXECUTED")) == [0, 1, 2, 3], text[:300])
    check("serve.labels", 'card="mic0",pmu="knc",package="0",core="' in text, text[:300])
    check("serve.fresh", samples(scrape()[1])[("knc_pmu_readings_total", None)] <= samples(text)[("knc_pmu_readings_total", None)] + 1, "")
    with open(os.path.join(SCRATCH, "metrics"), "w", encoding="utf-8") as file:
        file.write(text)


def exact():
    """A program of known length on one hardware thread"""
    before = of(fresh(), "knc_pmu_events_total", event="INSTRUCTIONS_EXECUTED", cpu="2")
    subprocess.run(["taskset", "-c", "2", "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done"], check=True)
    after = of(fresh(), "knc_pmu_events_total", event="INSTRUCTIONS_EXECUTED", cpu="2")
    check("serve.counts", after[2] - before[2] > 1000000, f"{before} {after}")


def hostile():
    """Requests that are no scrape, clients that never end"""
    for name, text, status in (("post", b"POST /metrics HTTP/1.1\r\n\r\n", "405"), ("path", b"GET / HTTP/1.1\r\n\r\n", "404"),
                               ("above", b"GET /../metrics HTTP/1.1\r\n\r\n", "404"), ("long", b"GET /" + b"x" * 20000, "431"),
                               ("zero", b"GET /metrics\0 HTTP/1.1\r\n\r\n" + b"y" * 9000, "431")):
        got = request(text)
        check(f"serve.hostile.{name}", got.startswith(f"HTTP/1.1 {status} ") or not got, got[:60])
    check("serve.hostile.half", request(b"GET /metrics HTTP", half=True) == "", "an answer")
    silent = [socket.create_connection(("127.0.0.1", PORT)) for _ in range(40)]
    for s in silent[::2]:
        s.send(b"GET /metr")
    began = time.monotonic()
    check("serve.hostile.many", "knc_pmu_events_total" in scrape()[1], "no answer")
    check("serve.hostile.soon", time.monotonic() - began < 5, "it took longer than a connection may last")
    silent[-1].settimeout(60)
    check("serve.hostile.silent", silent[-1].recv(1) == b"", "not closed")
    for s in silent:
        s.close()
    check("serve.hostile.after", "knc_pmu_events_total" in scrape()[1], "no answer")


def eviction():
    """Counters that are taken away, kept by another session, and free again"""
    before = fresh()
    subprocess.run([TOOL, "reset", "-a", "--force"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = fresh()
    check("serve.evicted.again", len(of(after, "knc_pmu_events_total", event="INSTRUCTIONS_EXECUTED")) == 4, after[:300])
    check("serve.evicted.monotonic", not decreased(before, after), decreased(before, after))
    subprocess.run([TOOL, "reset", "-a", "--force"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with subprocess.Popen([TOOL, "stat", "-C", "1", "-e", "r00,r01", "-o", "/dev/null"]) as other:
        until(lambda: subprocess.run([TOOL, "info"], check=True, stdout=subprocess.PIPE, text=True).stdout.count("stat"), 30)
        text = fresh()
        check("serve.busy.absent", sorted(of(text, "knc_pmu_events_total", event="INSTRUCTIONS_EXECUTED")) == [0, 2, 3],
              of(text, "knc_pmu_events_total", event="INSTRUCTIONS_EXECUTED"))
        check("serve.busy.lost", of(text, "knc_pmu_lost") == {0: 0, 1: 1, 2: 0, 3: 0}, of(text, "knc_pmu_lost"))
        other.send_signal(signal.SIGINT)
    end = fresh()
    check("serve.busy.free", len(of(end, "knc_pmu_events_total", event="INSTRUCTIONS_EXECUTED")) == 4, end[:300])
    check("serve.busy.monotonic", not decreased(after, end), decreased(after, end))
    missing = of(end, "knc_pmu_missing_seconds_total")
    check("serve.busy.missing", missing[1] > 1, missing)


def switch(on):
    """CPU 3 goes, or comes"""
    with open(ONLINE, "w", encoding="ascii") as file:
        file.write("1" if on else "0")


def hotplug():
    """A hardware thread goes and comes"""
    before = fresh()
    switch(False)
    text = fresh()
    check("serve.offline.absent", sorted(of(text, "knc_pmu_events_total", event="INSTRUCTIONS_EXECUTED")) == [0, 1, 2], text[:300])
    check("serve.offline.lost", of(text, "knc_pmu_lost")[3] == 1, of(text, "knc_pmu_lost"))
    switch(True)
    after = fresh()
    check("serve.online.again", len(of(after, "knc_pmu_events_total", event="INSTRUCTIONS_EXECUTED")) == 4, after[:300])
    check("serve.online.monotonic", not decreased(before, after) and not decreased(text, after), "a counter has decreased")
    check("serve.online.missing", of(after, "knc_pmu_missing_seconds_total")[3] > 0.5, of(after, "knc_pmu_missing_seconds_total"))


def coming():
    """A hardware thread that comes after the server has begun"""
    switch(False)
    server = Server("--listen", "9478", "-e", "DATA_READ,DATA_WRITE,BRANCHES")
    server.begun()
    check("serve.coming.without", sorted(of(scrape(port=9478)[1], "knc_pmu_events_total", event="BRANCHES")) == [0, 1, 2], "")
    switch(True)
    time.sleep(1.1)
    text = scrape(port=9478)[1]
    check("serve.coming.with", sorted(of(text, "knc_pmu_events_total", event="BRANCHES")) == [0, 1, 2, 3], text[:300])
    counted = of(text, "knc_pmu_counted_seconds_total", event="BRANCHES")
    time.sleep(2)
    later = scrape(port=9478)[1]
    check("serve.turns", all(0.1 < value - counted[cpu] < 2 for cpu, value in
                             of(later, "knc_pmu_counted_seconds_total", event="BRANCHES").items()), f"{counted}")
    check("serve.coming.end", server.end() == 0, "")


def unix_socket():
    """A Unix socket: its mode, a file that an earlier server has left, no file at the end"""
    path = "/dev/shm/knc-pmu-socket"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(path)
    server = Server("--listen", f"unix:{path}")
    server.begun()
    check("serve.unix.mode", oct(os.stat(path).st_mode & 0o777) == "0o660", oct(os.stat(path).st_mode))
    got = subprocess.run(["curl", "-s", "--unix-socket", path, "http://card/metrics"], stdout=subprocess.PIPE, text=True, check=False).stdout
    check("serve.unix.curl", "knc_pmu_events_total{" in got, got[:200])
    check("serve.unix.end", server.end() == 0 and not os.path.exists(path), "the name is still there")


def textfile():
    """A file that is complete at every moment, and gone at the end"""
    path = os.path.join(SCRATCH, "knc.prom")
    server = Server("--textfile", path, "--interval", "1")
    check("serve.textfile", until(lambda: os.path.exists(path)), "no file")
    parts = 0
    for _ in range(200):
        with open(path, encoding="utf-8") as file:
            parts += not file.read().splitlines()[-1].startswith("knc_pmu_readings_total ")
    check("serve.textfile.whole", not parts, f"{parts} of 200 readings were not whole")
    check("serve.textfile.end", server.end() == 0 and not os.path.exists(path), "still there")


def sessions():
    """How many the machine has"""
    said = subprocess.run([TOOL, "info", "--json"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return int(re.search(r'"sessions": (\d+)', said)[1])


def main():
    """The exit status"""
    server = Server("--card", "mic0", prefix=USER)
    check("serve.begun", server.begun() == "counting; the counts are at 127.0.0.1:9477/metrics\n")
    formats()
    exact()
    hostile()
    again = subprocess.run([TOOL, "serve", "-e", "r01,r02"], stderr=subprocess.PIPE, text=True, check=False)
    check("serve.again", again.returncode == 1, again.stderr)
    eviction()
    hotplug()
    check("serve.end", server.end() == 0, "")
    check("serve.end.sessions", sessions() == 0, sessions())
    server = Server("--card", "mic0", prefix=USER)
    server.begun()
    first = scrape()[1]
    check("serve.restart", samples(first)[("knc_pmu_readings_total", None)] == 1 and
          len(of(first, "knc_pmu_events_total", event="INSTRUCTIONS_EXECUTED")) == 4, first[:300])
    server.end()
    coming()
    unix_socket()
    textfile()
    return checks.end()


sys.exit(main())
