# SPDX-License-Identifier: GPL-2.0
"""A terminal for tools/knc-vm --shell"""
import fcntl
import os
import pty
import re
import select
import struct
import termios
import time

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIMIT = 300     # seconds without any output, after which the test fails


class Terminal:
    """knc-vm on a terminal of its own"""

    def __init__(self, lines, columns, *options, **environment):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            env = dict(os.environ, SHELL='/bin/sh', PS1='card> ', TERM='vt100', **environment)
            os.execve(REPO + '/tools/knc-vm', ['knc-vm', *options, '--shell'], env)
        self.resize(lines, columns)
        self.text = ''
        self.before = ''

    def resize(self, lines, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', lines, columns, 0, 0))

    def wait(self, regex):
        """Wait for a text; the output up to it is moved to self.before; None if it did not come"""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            found = re.search(regex, self.text)
            if found:
                self.before = self.text[:found.start()]
                self.text = self.text[found.end():]
                return found
            if not select.select([self.fd], [], [], 1)[0]:
                continue
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                break
            self.text += data.decode(errors='replace')
        return None

    def type(self, text):
        # typed text is echoed before its output, and contains none of the awaited texts
        os.write(self.fd, text.encode())

    def ask(self, command, regex):
        self.type(command + '\n')
        return self.wait(regex)

    def status(self):
        """Wait until it has ended"""
        self.wait('never')     # wait until the terminal is closed
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
