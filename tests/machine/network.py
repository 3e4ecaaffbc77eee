# SPDX-License-Identifier: GPL-2.0
"""A network of emulated cards: one Ethernet, whose wires are sockets in a directory.

Each card has a socket there with its name.  No port of this machine is taken, nobody who
can't write to the directory reaches a card, and a card that dies leaves the others as they are.
"""

import contextlib
import fcntl
import os
import socket
import struct
import threading

CARDS = 250             # 172.31.1.1 and on, as MPSS numbers them; its host is .254
PREFIX = "52:54:00:6b:6e:"
FRAME = 65536
WAIT = struct.pack("ll", 0, 100000)     # 0.1 s: a frame waits for a card which takes none; then it is lost


class Taken(Exception):
    """The card can't be on the network; the text says why."""


def name_of(number):
    return f"mic{number}"


def address_of(number):
    return f"172.31.1.{number + 1}"


def hosts():
    """Lines for /etc/hosts"""
    return "".join(f"{address_of(n)} {name_of(n)}\n" for n in range(CARDS))


class Network:
    """One card's end of the network."""

    def __init__(self, directory, number=None):
        try:
            # a socket's path has at most 107 bytes
            self.dir = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise Taken(f"{directory}: {error.strerror}") from error
        self.near = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.number = self.find_place(directory, number)
        # QEMU gets @theirs
        self.ours, self.theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, WAIT)

    def find_place(self, directory, number):
        """The card's number: @number, or the lowest free one"""
        fcntl.flock(self.dir, fcntl.LOCK_EX)
        try:
            for n in range(CARDS) if number is None else [number]:
                if self.take(n):
                    return n
        except OSError as error:
            raise Taken(f"{directory}: {error.strerror}") from error
        finally:
            fcntl.flock(self.dir, fcntl.LOCK_UN)
        raise Taken(f"{directory} has {CARDS if number is None else 'a card ' + name_of(number)} already")

    def path(self, name):
        return f"/proc/self/fd/{self.dir}/{name}"

    def take(self, number):
        """Take this number if it is free, and remove what a killed run has left"""
        path = self.path(name_of(number))
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as trial:
            try:
                trial.connect(path)
                return False
            except ConnectionRefusedError:
                os.unlink(path)
            except FileNotFoundError:
                pass
        self.near.bind(path)
        return True

    def options(self):
        """QEMU's arguments for the end that it inherits"""
        return ["-netdev", f"socket,id=network,fd={self.theirs.fileno()}",
                "-device", "virtio-net-pci,netdev=network,romfile=,mac=" + PREFIX + "ff"]

    def orders(self):
        """The card's name, its IP address and its Ethernet address"""
        return f"{name_of(self.number)} {address_of(self.number)} {PREFIX}{self.number:02x}"

    def start(self):
        """Pass on frames until the card ends"""
        for work in self.send, self.receive:
            threading.Thread(target=work, daemon=True).start()

    def receivers(self, frame):
        """Names of the cards that get a frame: one, or all"""
        if frame[:5] == bytes.fromhex(PREFIX.replace(":", "")):
            return [name_of(frame[5])]
        return [name for name in os.listdir(self.dir) if name != name_of(self.number)]

    def send(self):
        """Pass frames from this card to the others"""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, WAIT)
            while frame := self.ours.recv(FRAME):
                for name in self.receivers(frame):
                    try:
                        out.sendto(frame, self.path(name))
                    except OSError:
                        pass    # the receiver has gone or is too busy; Ethernet may lose frames

    def receive(self):
        """Pass frames from the others to this card"""
        while frame := self.near.recv(FRAME):
            try:
                self.ours.send(frame)
            except BlockingIOError:
                pass
            except OSError:
                return          # the card has ended

    def close(self):
        """The card has ended: remove it from the network"""
        with contextlib.suppress(OSError):
            os.unlink(self.path(name_of(self.number)))
        for end in self.near, self.ours:
            end.shutdown(socket.SHUT_RDWR)      # ends the threads
        os.close(self.dir)
