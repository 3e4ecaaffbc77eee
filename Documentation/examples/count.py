# SPDX-License-Identifier: GPL-2.0
# Regions of a Python program; kncpmu.py is beside it, or in PYTHONPATH
import kncpmu

session = kncpmu.Session("INSTRUCTIONS_EXECUTED", "BRANCHES")


@session.region("collatz")
def collatz(n):
    steps = 0
    while n != 1:
        n = 3 * n + 1 if n % 2 else n // 2
        steps += 1
    return steps


with session.region("all"):
    longest = max(range(1, 200), key=collatz)
print(longest)
session.report()
session.close()
