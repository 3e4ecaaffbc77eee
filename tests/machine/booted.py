# SPDX-License-Identifier: GPL-2.0
"""Snapshots of cards that have booted, from which later runs resume.

A snapshot is QEMU's migration stream of the card when its init has asked for orders. The first card
of a configuration leaves a mark, the second makes the snapshot: most are wanted only once.
"""

import hashlib
import json
import os
import shutil
import socket
import tempfile
import time

CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "knc-pmu")
# most bytes of all snapshots; the least recently used goes first
LIMIT = 6 << 30
SECONDS = 60        # the longest time for QEMU to write a snapshot


class Refused(Exception):
    """QEMU could not write the snapshot."""


class Monitor:
    """QEMU's machine protocol on a connected socket."""

    def __init__(self, sock):
        self.sock = sock
        self.sock.settimeout(SECONDS)
        self.held = b""
        self.receive()      # the greeting
        self.execute("qmp_capabilities")

    def receive(self):
        while b"\n" not in self.held:
            data = self.sock.recv(65536)
            if not data:
                raise Refused("QEMU has ended")
            self.held += data
        line, _, self.held = self.held.partition(b"\n")
        return json.loads(line)

    def execute(self, command, fd=None, **arguments):
        line = json.dumps({"execute": command, "arguments": arguments}).encode()
        socket.send_fds(self.sock, [line], [] if fd is None else [fd])
        while True:
            answer = self.receive()
            if "error" in answer:
                raise Refused(f"{command}: {answer['error'].get('desc')}")
            if "return" in answer:
                return answer["return"]


def identity(path):
    """What identifies a file that the boot uses."""
    info = os.stat(path)
    return f"{os.path.realpath(path)} {info.st_size} {info.st_mtime_ns}"


class Booted:
    """The snapshot of one configuration, which is all that the guest can know of its machine."""

    def __init__(self, kind):
        digest = hashlib.sha256("\0".join(kind).encode()).hexdigest()[:16]
        self.path = os.path.join(CACHE, f"booted-{digest}")
        self.mark = self.path + ".once"

    def open(self):
        """The snapshot as a file, and the console's text up to it; None if there is none."""
        try:
            with open(os.path.join(self.path, "console"), "rb") as console:
                text = console.read()
            state = open(os.path.join(self.path, "state"), "rb")
            os.utime(self.path)
        except OSError:
            return None
        return state, text

    def is_wanted(self):
        """Is a snapshot of the booting card wanted? Not of the first card of a configuration."""
        if os.path.exists(self.mark):
            return True
        try:
            os.makedirs(CACHE, exist_ok=True)
            with open(self.mark, "wb"):
                pass
        except OSError:
            pass
        return False

    def discard(self):
        shutil.rmtree(self.path, ignore_errors=True)

    def keep(self, sock, console):
        """Write a snapshot of the card behind the monitor @sock, which then continues."""
        monitor = Monitor(sock)
        self.wait_until_stopped(monitor)
        work = tempfile.mkdtemp(prefix="tmp.booted.", dir=CACHE)
        try:
            with open(os.path.join(work, "state"), "wb") as state:
                self.migrate(monitor, state)
            shutil.copyfile(console, os.path.join(work, "console"))
            os.rename(work, self.path)      # fails if another run was faster
        finally:
            shutil.rmtree(work, ignore_errors=True)
            monitor.execute("cont")
        self.make_room()

    @staticmethod
    def wait_until_stopped(monitor):
        """The card has stopped itself, at the instruction at which all others start."""
        limit = time.monotonic() + SECONDS
        while monitor.execute("query-status").get("running"):
            if time.monotonic() > limit:
                raise Refused("it did not stop")
            time.sleep(0.02)

    @staticmethod
    def migrate(monitor, state):
        # no rate limit, because the card is stopped
        monitor.execute("migrate-set-parameters", **{"max-bandwidth": 1 << 40})
        monitor.execute("getfd", fd=state.fileno(), fdname="state")
        monitor.execute("migrate", uri="fd:state")
        limit = time.monotonic() + SECONDS
        while True:
            status = monitor.execute("query-migrate").get("status")
            if status == "completed":
                return
            if status in ("failed", "cancelled") or time.monotonic() > limit:
                raise Refused(f"migration: {status}")
            time.sleep(0.02)

    def make_room(self):
        kept = []
        for entry in os.scandir(CACHE):
            if entry.name.startswith("booted-") and entry.is_dir(follow_symlinks=False):
                try:
                    size = os.stat(os.path.join(entry.path, "state")).st_size
                    kept.append((entry.stat().st_mtime, size, entry.path))
                except OSError:
                    pass
        room = LIMIT
        for _, size, path in sorted(kept, reverse=True):
            room -= size
            if room < 0 and path != self.path:
                shutil.rmtree(path, ignore_errors=True)
