# SPDX-License-Identifier: GPL-2.0
"""Cards that knc-vm starts for tests: tests/card/guest/card.sh runs commands there

    prepare(scratch)            build the tools and the programs, and say where they are
    start(scratch, prefix, options, commands)
                                run these on a card, and prefix the names of their tests
    monitor(scratch)            for tests that change the card meanwhile
    kernel_log(name, text, regex...)
                                a test: the kernel's log has no other warnings than these

tests/card/guest/lib.sh calls this file for shell scripts:

    cards.py start SCRATCH PREFIX OPTION... -- COMMANDLINE...
    cards.py kernel-log NAME FILE REGEX...
    cards.py asked COMMANDLINE...       succeeds if KNC_TEST_ONLY may ask for one of them
"""
import contextlib
import glob
import os
import re
import signal
import subprocess
import sys

import checks
from checks import REPO, line_of, make_tools, test
from messages import NOISE

GUEST = os.path.join(REPO, 'tests', 'card', 'guest')
# with KNC_COVERAGE the one that keeps what the module's code has counted
KNC_VM = os.path.join(REPO, 'tests/coverage/knc-vm' if os.environ.get('KNC_COVERAGE') else 'tools/knc-vm')
# test programs, but those of samples: of hardware threads, and of tasks
SYSTEM = ['counts', 'abi', 'released-oldest', 'released-last', 'own', 'change', 'hotplug', 'stress']
TASKS = ['task', 'set', 'rdpmc', 'prefer', 'leak', 'rights', 'spy', 'evicted', 'kept', 'crowd']


def text_of(path):
    """A file's text; none if there is no such file"""
    with contextlib.suppress(FileNotFoundError), open(path, encoding='utf-8', errors='replace') as file:
        return file.read()
    return ''


def show(path):
    """Print a file whose lines are no tests"""
    print(re.sub('^(?=.|\n)', '# ', text_of(path), flags=re.M), end='', flush=True)


def programs():
    """The directory of the test programs, which are built once for each change"""
    return line_of('bash', '-c', '. tests/card/guest/lib.sh && build_programs "$PWD"')


def prepare(scratch):
    """Must be called before start(). The static tool starts in a quarter of the other's time on a
    card; the shared one is for LD_PRELOAD."""
    def terminated(*_):
        # tests/run kills a group that hangs: show where
        show(scratch + '/output')
        sys.exit(1)

    os.chmod(scratch, 0o755)
    signal.signal(signal.SIGTERM, terminated)
    make_tools('tools', 'static')
    os.environ.update(KNC_PMUCTL=REPO + '/tools/build/static/knc-pmuctl', KNC_PMUCTL_SHARED=REPO + '/tools/build/knc-pmuctl',
                      KNC_TEST_BUILD=programs())


def built(command):
    """A command with the path of its program; scripts have theirs"""
    return command if command.startswith(('./', '/')) else os.environ['KNC_TEST_BUILD'] + '/' + command


def vm(*argv, **variables):
    """What a command of its own card prints"""
    return subprocess.run([KNC_VM, *argv], env={**os.environ, **variables}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False).stdout.rstrip('\n')


@contextlib.contextmanager
def monitor(scratch):
    """The socket of QEMU's monitor, at which the card's tests can have commands executed (KNC_TEST_MONITOR)"""
    socket, asked = scratch + '/monitor', scratch + '/ask'
    for path in glob.glob(asked + '.*'):
        os.remove(path)
    os.environ['KNC_TEST_MONITOR'] = asked
    with subprocess.Popen([REPO + '/tests/card/monitor-server', socket, asked], stdout=sys.stderr) as server:
        try:
            yield socket
        finally:
            server.kill()
            del os.environ['KNC_TEST_MONITOR']


def asked_below(prefix):
    """The names of KNC_TEST_ONLY without this prefix; None for all tests"""
    names = checks.only()
    # a name that is a part of the prefix asks for all these tests; every card has a test kernel-log
    if not names or any(prefix.startswith(name + '.') for name in names) or prefix + 'kernel-log' in names:
        return None
    return [name[len(prefix):] for name in names if name.startswith(prefix)]


def may_run(command, names):
    """May this command run a test of these names? A program contains the names of its tests; a script,
    or its table, their first words"""
    path = os.path.realpath(os.path.join(GUEST, command.split()[0]))
    if not path.endswith(('.sh', '/cli')):
        return any(name in text_of(path) for name in names)
    return any(name.split('.')[0] in text_of(path) + text_of(path + '.table') for name in names)


def choose(commands, names):
    """The commands with tests of these names, and those that are no tests, such as insmod; none if
    there is no test"""
    tests = [command for command in commands if may_run(command, names)]
    return [command for command in commands if command in tests or '/' not in command.split()[0]] if tests else []


def start(scratch, prefix, options, commands, variables=None):
    """Run commands on a card that knc-vm starts with these options; afterwards scratch/dmesg has the
    kernel's log, if a card was started. With KNC_TEST_ONLY only commands with such tests run. The
    card's threads run in parallel, which finds more races. With --by-cycles they run in turns, and the
    card's clock follows the model's cycles, whatever else runs on this machine: for tests that count
    events of several cores, which otherwise wait for each other."""
    log, output = scratch + '/dmesg', scratch + '/output'
    with contextlib.suppress(FileNotFoundError):
        os.remove(log)
    only = asked_below(prefix)
    if only is not None:
        commands = choose(commands, only)
    if not commands:
        return
    # those without a value are unset
    changed = {**(variables or {}), 'KNC_TEST_ONLY': '|'.join(only or [])}
    env = {name: value for name, value in {**os.environ, **changed}.items() if value or name not in changed}
    how = [] if '--by-cycles' in options or '--icount' in options else ['--realtime']
    with open(output, 'wb'):
        pass
    argv = [KNC_VM, '--group', '4242', '--timeout', '7200', '--dmesg', log, '--scratch', scratch,
            *how, *(option for option in options if option != '--by-cycles'), '--', GUEST + '/card.sh', *commands]
    with subprocess.Popen(argv, cwd=REPO, env=env, stdout=subprocess.PIPE, text=True, errors='replace') as process:
        for line in process.stdout:
            print(re.sub(r'^(ok|not ok|skip|#) ', rf'\1 {prefix}', line), end='', flush=True)
    checks.STATE['failed'] |= process.returncode != 0
    if process.returncode not in (0, 1):
        # the output of the command that did not end
        show(output)
        test(prefix + 'card', False, f'knc-vm ended with {process.returncode}')


def kernel_log(name, text, *allow):
    """A test: the text, in the format of dmesg -r, has no message at warning level or above after the
    tests began, except those that a regular expression allows"""
    _, begun, text = text.partition('knc-test: the tests begin')
    allowed = re.compile('|'.join([*NOISE, *allow]))
    bad = [line for line in text.split('\n')
           if re.match('<[0-9]+>', line) and int(line[1:line.index('>')]) % 8 <= 4 and not allowed.search(line)]
    print(''.join(line + '\n' for line in bad[:60]), end='')
    test(name, begun and not bad, ''.join(bad[:1]) or "the kernel's log is not complete")


def main():
    """For shell scripts: the exit status"""
    what, *argv = sys.argv[1:]
    if what == 'asked':
        return int(not choose(argv, checks.only()))
    if what == 'start':
        scratch, prefix, *options = argv
        at = options.index('--')
        start(scratch, prefix, options[:at], options[at + 1:])
    # no card was started if none of its tests was asked for
    elif os.path.exists(argv[1]) or not checks.only():
        kernel_log(argv[0], text_of(argv[1]), *argv[2:])
    return checks.end()


if __name__ == '__main__':
    sys.exit(main())
