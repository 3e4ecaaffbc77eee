# SPDX-License-Identifier: GPL-2.0
"""A card that has what an owner puts there: a kernel, busybox, some files; reached by a serial line"""
import contextlib
import os
import re
import select
import shutil
import socket
import subprocess
import tempfile
import time

from checks import REPO, line_of, make_tools

MACHINE = os.path.join(REPO, 'tests', 'machine')
THREADS = 4
LIMIT = 100     # seconds for a command, after which it counts as hanging
# the kernel's command line; parameters as knc-vm gives them
APPEND = ('console=ttyS0 rdinit=/init panic=-1 oops=panic lpj=9200000 nmi_watchdog=0 mitigations=off tsc=reliable no_timer_check'
          ' acpi=noirq random.trust_cpu=on 8250.nr_uarts=2 loglevel=4 tsc_early_khz=1100000 knc_vm.icount=1')
# the owner's shell is on the second serial line, if there are two; the first has the kernel's messages
INIT = """#!/bin/busybox sh
# no pager: it would wait for a key
export PATH=/bin:/sbin:/root HOME=/root PAGER=
/bin/busybox --install -s /bin
mount -t devtmpfs dev /dev
mount -t proc proc /proc
mount -t sysfs sys /sys
while read -r m; do insmod /modules/$m.ko; done </modules/load
mount -t 9p -o trans=virtio,version=9p2000.L,cache=none data /data
ifconfig lo up
cd /root
setsid sh -c 'exec </dev/LINE >/dev/LINE 2>&1; stty -echo -onlcr; export PS1=; exec sh -i'
echo "init: the shell has ended with $?"
poweroff -f
"""


def own_archive(work, modules, files, line):
    """An initramfs of busybox and files: {path there: path here}; the owner has this serial line"""
    root = work + '/root'
    for name in 'bin', 'dev', 'proc', 'sys', 'data', 'root', 'tmp':
        os.makedirs(f'{root}/{name}')
    shutil.copytree(modules, root + '/modules')
    # the build of knc-vm's initramfs fetches it
    line_of(MACHINE + '/initramfs/build')
    cache = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    shutil.copy(cache + '/knc-pmu/busybox-static', root + '/bin/busybox')
    for there, path in files.items():
        shutil.copy(path, root + '/' + there)
    with open(root + '/init', 'w', encoding='ascii') as init:
        init.write(INIT.replace('LINE', line))
    os.chmod(root + '/init', 0o755)
    with open(work + '/cpio', 'wb') as archive:
        subprocess.run('find . | cpio -o -H newc -R 0:0 --quiet', shell=True, cwd=root, check=True, stdout=archive)
    return work + '/cpio'


class Guest:
    """The card, and the owner's end of its serial line"""

    def __init__(self, work, kernel='6.1', cpus=f'{THREADS},sockets=1,cores=1,threads={THREADS}', files=None, line='ttyS1'):
        files = {'root/knc_pmu.ko': line_of(MACHINE + '/module', kernel),
                 'root/knc-pmuctl': REPO + '/tools/build/static/knc-pmuctl', **(files or {})}
        qemu, kernel = line_of(MACHINE + '/build-qemu'), line_of(MACHINE + '/kernel', kernel)
        self.data = work + '/data'
        os.mkdir(self.data)
        self.line, theirs = socket.socketpair()
        self.seen, self.number, self.console = '', 0, work + '/console'
        argv = ['setpriv', '--pdeathsig', 'KILL', '--', qemu + '/bin/qemu-system-x86_64', '-L', qemu + '/share/qemu',
                '-no-user-config', '-nodefaults', '-display', 'none', '-no-reboot', '-machine', 'pc',
                '-accel', 'tcg,thread=single,tb-size=256', '-icount', 'shift=0,sleep=off', '-seed', '1',
                '-cpu', os.environ.get('KNC_CPU', 'knc'), '-smp', cpus, '-m', '576M',
                '-kernel', kernel + '/vmlinuz', '-initrd', own_archive(work, kernel + '/modules', files, line), '-append', APPEND,
                '-chardev', 'file,id=console,path=' + self.console, *(['-serial', 'chardev:console'] if line == 'ttyS1' else []),
                '-chardev', f'socket,id=owner,fd={theirs.fileno()}', '-serial', 'chardev:owner',
                '-fsdev', f'local,id=data,path={self.data},security_model=none', '-device', 'virtio-9p-pci,fsdev=data,mount_tag=data']
        self.qemu = subprocess.Popen(argv, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])   # pylint: disable=consider-using-with
        theirs.close()
        # what comes before the shell is lost
        self.wait_for('list of built-in commands', 'boot')

    def wait_for(self, regex, what, limit=LIMIT):
        """(what came before, what the groups of the regular expression matched)"""
        until = time.monotonic() + limit
        while True:
            found = re.search(regex, self.seen)
            if found:
                before, self.seen = self.seen[:found.start()], self.seen[found.end():]
                return before, found.groups()
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.line], [], [], left)[0]:
                raise TimeoutError(f'{what}: no end within {limit} s: {self.seen[-300:]}')
            data = self.line.recv(65536)
            if not data:
                raise EOFError(f'{what}: the card has ended: {self.text()[-6000:]}')
            self.seen += data.decode(errors='replace').replace('\r', '')

    def run(self, command, limit=LIMIT):
        """(status, what it said); the line carries both outputs, as a terminal does"""
        self.number += 1
        self.line.sendall(f'{command}\necho "-- {self.number} ended with $?"\n'.encode())
        said, (status,) = self.wait_for(rf'-- {self.number} ended with (\d+)\n', command, limit)
        return int(status), said.lstrip('\n')

    def text(self):
        """What the kernel has said"""
        with open(self.console, encoding='utf-8', errors='replace') as file:
            return file.read()

    def end(self):
        """Switch it off"""
        self.qemu.kill()
        self.qemu.wait()


@contextlib.contextmanager
def switched_on(*arguments):
    """A Guest until the end of the with statement"""
    make_tools('tools', 'static')
    with tempfile.TemporaryDirectory() as work:
        guest = Guest(work, *arguments)
        try:
            yield guest
        finally:
            guest.end()
