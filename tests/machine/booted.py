# SPDX-License-Identifier: GPL-2.0
"""A card that has booted is kept, and started from there the next time.

Kept is QEMU's migration stream of the card as it was when its init had asked for
orders.  The first card of a kind leaves a mark, the second is kept: most kinds are
wanted once.
"""

import hashlib
import json
import os
import shutil
import socket
import tempfile
import time

CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "knc-pmu")
# bytes that kept cards may take together; the one unused for the longest time goes first
LIMIT = 6 << 30
SECONDS = 60        # that QEMU may take to write one


class Refused(Exception):
    """QEMU could not write the card."""


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
    """What a file of the boot is known by."""
    info = os.stat(path)
    return f"{os.path.realpath(path)} {info.st_size} {info.st_mtime_ns}"


class Booted:
    """The kept card of one kind: all that the guest can know of its machine."""

    def __init__(self, kind):
        digest = hashlib.sha256("\0".join(kind).encode()).hexdigest()[:16]
        self.path = os.path.join(CACHE, f"booted-{digest}")
        self.mark = self.path + ".once"

    def open(self):
        """The stream as a file, and the console's text until then; None if it is not kept."""
        try:
            with open(os.path.join(self.path, "console"), "rb") as console:
                text = console.read()
            state = open(os.path.join(self.path, "state"), "rb")
            os.utime(self.path)
        except OSError:
            return None
        return state, text

    def is_wanted(self):
        """Is the card that boots now to be kept?  Not if it is the first of its kind."""
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
        """Write the card that runs behind the monitor @sock; it goes on afterwards."""
        monitor = Monitor(sock)
        self.wait_until_stopped(monitor)
        work = tempfile.mkdtemp(prefix="tmp.booted.", dir=CACHE)
        try:
            with open(os.path.join(work, "state"), "wb") as state:
                self.migrate(monitor, state)
            shutil.copyfile(console, os.path.join(work, "console"))
            os.rename(work, self.path)      # fails if another card was faster
        finally:
            shutil.rmtree(work, ignore_errors=True)
            monitor.execute("cont")
        self.make_room()

    @staticmethod
    def wait_until_stopped(monitor):
        """It stops by itself, at the instruction at which the others start."""
        limit = time.monotonic() + SECONDS
        while monitor.execute("query-status").get("running"):
            if time.monotonic() > limit:
                raise Refused("it did not stop")
            time.sleep(0.02)

    @staticmethod
    def migrate(monitor, state):
        # a card that stands still has no rate to keep to
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
