#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""tools/python/kncpmu.py on the card: prints lines of a name and numbers.

    python.py DIRECTORY     which has kncpmu.py
"""

import itertools
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
# pylint: disable=wrong-import-position,import-error
import kncpmu


def work(rounds):
    """Each round executes the same instructions"""
    for _ in itertools.repeat(None, rounds):
        pass


def measured(session, rounds):
    """A region of so many rounds"""
    with session.region(f"work-{rounds}"):
        work(rounds)


def refused(*events):
    """Why a session is refused"""
    try:
        kncpmu.Session(*events).close()
    except kncpmu.Error as error:
        return str(error)
    return "not refused"


def main():
    """All tests"""
    with kncpmu.Session("INSTRUCTIONS_EXECUTED", "BRANCHES:u") as session:
        # warm up: the interpreter makes code faster in steps if it is executed often
        for _ in range(200):
            measured(session, 10)
        for rounds in (2000, 3000, 4000, 5000) * 10:
            # a visit reuses the memory of the one before, which must therefore always be the same
            measured(session, 10)
            measured(session, rounds)
        for _ in range(5):
            with session.region("empty"):
                pass

        @session.region("called")
        def again(depth):
            work(1000)
            return again(depth - 1) if depth else "value"

        print("returned", again(2))
        try:
            with session.region("raised"):
                raise ValueError
        except ValueError:
            pass
    for name, region in session.regions.items():
        print(name, region.visits, *region.totals, *region.least, *region.most)
    print("closed", session.read() == session.read() is not None)
    session.report(sys.stdout)
    print("three:", refused("r16", "r12", "r00"))
    print("none:", refused("INSTRUCTIONS"))
    print("kernel:", refused("r16:k"))


main()
