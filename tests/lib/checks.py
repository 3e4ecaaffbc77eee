# SPDX-License-Identifier: GPL-2.0
"""What the tests in Python share: a line for each test, as tests/run reads it, and which tests were
asked for

    test(name, good, why)       passes if it is good
    wrong(name, why)            passes if there is nothing wrong: no text, or an empty list
    equal(name, got, wanted), has(name, text, regex), skip(name, why)
    run_parts({function: 'FIRST FIRST'}, argument...)
                                the functions of a script that were asked for: those with names of
                                tests that begin with such a word; "# FUNCTION: N s" is their time
    make_tools(target...)       make these, unless tests/run has made them
    own_tools(directory)        what make tools builds, where make finds all of it up to date (O=)
    until(good, seconds)        wait for what good() returns
    end()                       the exit status
"""
import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
import time

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
# printed before each name; and the most characters of a reason
PREFIX = ''
LENGTH = 400
STATE = {'failed': False, 'firsts': None}
sys.dont_write_bytecode = True


def test(name, good, why=''):
    """Passes if @good is true"""
    if good and STATE['firsts'] and name.split('.')[0] not in STATE['firsts']:
        good, why = False, f"run_parts() is not told that such names begin with '{name.split('.')[0]}'"
    STATE['failed'] |= not good
    why = str(why).replace('\n', ' | ')[:LENGTH]
    print(f'ok {PREFIX}{name}' if good else f'not ok {PREFIX}{name}: {why}', flush=True)


def wrong(name, why=None):
    """Passes if there are no complaints"""
    test(name, not why, '; '.join(why) if isinstance(why, (list, set, tuple)) else why)


def equal(name, got, wanted):
    """Passes if both are equal; of dictionaries only the differences are shown"""
    differ = got, wanted
    if isinstance(wanted, dict) and isinstance(got, dict):
        differ = [{k: v for k, v in a.items() if k not in b or b[k] != v} for a, b in ((got, wanted), (wanted, got))]
    test(name, got == wanted, '%r instead of %r' % tuple(differ))


def has(name, text, regex):
    """Passes if a line of the text matches"""
    test(name, re.search(regex, text, re.M), f'no {regex!r} in {text!r}')


def skip(name, why):
    """A test that can't run here"""
    print(f'skip {PREFIX}{name}: {why}', flush=True)


def only():
    """The names that the user of tests/run asked for; none for all"""
    return [one for one in os.environ.get('KNC_TEST_ONLY', '').split('|') if one]


def asked_for(*names):
    """Should one of these tests run, or one below it?"""
    return not only() or any((one + '.').startswith(name + '.') or (name + '.').startswith(one + '.')
                             for one in only() for name in names)


def until(good, seconds=300):
    """What good() returns when it is true; None if that does not come"""
    end = time.monotonic() + seconds
    while not (found := good()):
        if time.monotonic() > end:
            return None
        time.sleep(0.1)
    return found


def run_parts(parts, *arguments):
    """Call functions that make tests whose names begin with these words"""
    for part, firsts in parts.items():
        STATE['firsts'] = firsts.split()
        if any(asked_for(PREFIX + first) for first in STATE['firsts']):
            began = time.monotonic()
            part(*arguments)
            print(f'# {part.__name__}: {time.monotonic() - began:.1f} s', flush=True)
    STATE['firsts'] = None


def seed(own):
    """The seed of random numbers: KNC_TEST_SEED, or the script's own"""
    number = int(os.environ.get('KNC_TEST_SEED') or own)
    print(f'# KNC_TEST_SEED={number}')
    return number


def load(path):
    """Import a script of this tree as a module, although it has no suffix"""
    name = os.path.basename(path).replace('-', '_')
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(REPO, path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def line_of(*argv):
    """The one line that a program of the tree prints"""
    return subprocess.run(argv, cwd=REPO, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def make_tools(*targets):
    """Even if nothing has changed, make takes seconds, because it tries each library"""
    if not os.environ.get('KNC_TEST_TOOLS'):
        subprocess.run(['make', '-s', '-C', REPO, *targets], check=True, stdout=sys.stderr)


def own_tools(path):
    """Copy the tools to the test's own directory, because a build takes half a minute of CPU"""
    make_tools('tools')
    subprocess.run(['cp', '-a', REPO + '/tools/build', path], check=True)


def end():
    """Print a summary; returns the exit status"""
    return int(STATE['failed'])
