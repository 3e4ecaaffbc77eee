# SPDX-License-Identifier: GPL-2.0
"""The tables and plots of Documentation/bench.rst, from the figures of tests/bench/run: {machine: {who: {name: value}}}, but
{who: {name: value}} of one machine where nothing else is said."""

import plots

OWN = [("CONFIG (perf: open) to close", "open"), ("START + STOP", "start-stop"),
       ("START, and READ with STOP", "start-read-stop"), ("READ, stopped", "read-stopped"),
       ("READ, running", "read"), ("READ with times, running", "read-times")]
TASK = OWN[:1] + [("the same, another task is counted", "open-further")] + OWN[1:] + [("read in ring 3", "ring3")]
SAMPLES = [("one sample", "sample"), ("one sample with a call chain of 5", "sample-chain"),
           ("one sample with that chain and a copy of the stack", "sample-stack"), ("bytes of it", "sample-stack.bytes"),
           ("two at once", "samples")]
OVERFLOWS = [(f"{scope}: {title}", f"{key}.{name}") for scope, key in (("own task", "task"), ("hardware thread", "thread"))
             for title, name in SAMPLES]
SWITCHES = [("nothing is counted: all of it", "switch"), ("more: another task is counted", "switch.elsewhere"),
            ("more: 100 other tasks are counted", "switch.elsewhere.100"), ("more: 1,000 other tasks are counted", "switch.elsewhere.1000"),
            ("more: one of the two, one event", "switch.one-task.1"), ("more: one of the two, two events", "switch.one-task.2"),
            ("more: one of the two, and 100 others", "switch.one-more.100"),
            ("more: one of the two, and 1,000 others", "switch.one-more.1000"),
            ("more: both, inherited, one event", "switch.both-tasks.1"),
            ("more: both, inherited, two events", "switch.both-tasks.2"), ("more: some seconds after close", "switch.after")]
MANY = [("{threads} threads: START + STOP", "all.start-stop"), ("{threads} threads: READ", "all.read"),
        ("{threads} threads: a call that does nothing", "all.null-call"),
        ("of READ, for each thread, beyond that call", "all.read-of-each"),
        ("1,000 tasks: READ of their sum", "many.read-sum"), ("1,000 tasks: READ of each", "many.read-each")]
BYSTANDER = [("a context switch", "bystander.switch"), ("fork()", "bystander.fork"),
             ("exit of the child, until wait() returns", "bystander.exit")]
CROWDS = (0, 1000, 10000, 30000)
TOOLS = [("stat true", "tool.stat"), ("stat -e cycles,instructions true", "tool.stat-two"),
         ("stat -a -e cycles,instructions PROGRAM", "tool.stat-all"), ("record PROGRAM: 1,000 samples", "tool.record"),
         ("report of 100,000 samples", "tool.report.100000"), ("report of 1,000,000 samples", "tool.report.1000000"),
         ("script of 100,000 samples", "tool.script.100000"), ("script of 1,000,000 samples", "tool.script.1000000")]
SIX = ("cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses")
REFUSED = [("an ordinary user: kernel mode", "task.kernel-mode"), ("an ordinary user: a hardware thread", "task.hardware-thread"),
           ("all hardware threads in one call", "thread.all-in-one-call"), ("SPFLT on + off, ring 3", "task.spflt")]
PEERS_REFUSED = [("LIKWID's library, both events", "likwid", "thread.as-it-is"), ("likwid-perfctr -M 0", "likwid", "tool.direct"),
                 ("likwid-perfctr -M 1", "likwid", "tool.daemon"), ("rdmsr, an ordinary user", "msr", "task.open.1")]
# rows of a host, which has seven counters
HOST_SWITCHES = SWITCHES[:7] + [("more: one of the two, seven events", "switch.one-task.7")] + SWITCHES[7:]
HOST_MANY = MANY[4:]
HOST_SIZES = (1, 2, 7)
# rows of a host in a table beside the card's: title, who, name
BESIDE = [("own task: CONFIG to close, 2 events", "here", "task.open.2"), ("own task: START + STOP, 2 events", "here", "task.start-stop.2"),
          ("own task: READ, running, 1 event", "here", "task.read.1"), ("own task: READ, running, 2 events", "here", "task.read.2"),
          ("own task: read in ring 3, 1 event", "here", "task.ring3.1"), ("own task: read in ring 3, 2 events", "here", "task.ring3.2"),
          ("hardware thread: START + STOP, 2 events", "here", "thread.start-stop.2"),
          ("hardware thread: READ, running, 2 events", "here", "thread.read.2"),
          ("a sample of user mode, by a vector", "irq", "task.sample"), ("a sample, by an NMI", "nmi", "task.sample"),
          ("a context switch, more: one of the two, 1 event", "here", "switch.one-task.1"),
          ("a context switch, more: one of the two, 2 events", "here", "switch.one-task.2")]
MODES = (("here", "here"), ("nmi", "pmi=nmi"), ("irq", "pmi=irq"), ("perf", "perf"))
BOTH = (("here", "here"), ("perf", "perf"))
UNIT = "executed guest instructions"


def value_of(figures, who, name):
    """A figure, or None"""
    return figures.get(who, {}).get(name)


def cell(figures, who, name):
    """A figure as a table shows it"""
    value = value_of(figures, who, name)
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else value.replace("refused ", "")


def table(head, rows):
    """A simple table of reStructuredText"""
    cells = [head] + rows
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    edge = "  ".join("=" * width for width in widths)
    lines = ["  ".join([row[0].ljust(widths[0])] + [text.rjust(width) for text, width in zip(row[1:], widths[1:])]).rstrip()
             for row in cells]
    return "\n".join([edge, lines[0], edge] + lines[1:] + [edge])


def of_scope(figures, scope, rows, sizes=(1, 2)):
    """Columns for this module and perf, for each number of events"""
    return table([UNIT] + [f"{who}, {nr} event{'s' * (nr > 1)}" for nr in sizes for who in ("here", "perf")],
                 [[title] + [cell(figures, who, f"{scope}.{name}.{nr}") for nr in sizes for who in ("here", "perf")]
                  for title, name in rows])


def beside(figures, rows, columns=BOTH):
    """A column for each program"""
    return table([UNIT] + [title for _, title in columns],
                 [[title] + [cell(figures, who, name) for who, _ in columns] for title, name in rows])


def peers(figures, scope, columns):
    """A row for one event and for two"""
    return beside(figures, [(f"{title}, {text}", f"{scope}.{name}.{nr}") for title, name in OWN + [("read in ring 3", "ring3")]
                            for nr, text in ((1, "1 event"), (2, "2 events"))], columns)


def rates(figures):
    """The percentage that samples add to RATE_WORK (measure.h)"""
    rows = []
    for khz in 1, 10, 100:
        added = [value_of(figures, who, f"task.rate.{khz}") for who, _ in MODES]
        rows.append([f"{khz} kHz"] + [f"{value / 200000:.2f}" if value is not None else "-" for value in added])
    return table(["per cent"] + [title for _, title in MODES], rows)


def tools(figures):
    """Instructions in thousands, memory in kB"""
    rows = []
    for title, name in TOOLS:
        spent = [value_of(figures, who, name) for who, _ in BOTH]
        kb = [cell(figures, who, f"{name}.kb") for who, _ in BOTH]
        rows.append([title] + [f"{value // 1000:,}" if value else "-" for value in spent] +
                    [f"{spent[0] / spent[1]:.2f}" if all(spent) else "-"] + kb)
    alone = value_of(figures, "here", "tool.true")
    return table(["thousands of executed instructions", "here", "perf", "here / perf", "here, kB", "perf, kB"], rows) + \
        (f"\n\n``true`` alone takes {alone // 1000:,} thousand." if alone else "")


def bounds(figures):
    """The rows that exceed half of perf's cost, or a quarter for a whole tool"""
    names = [(f"{scope}: {title}, {nr} event{'s' * (nr - 1)}", f"{key}.{name}.{nr}", 0.5)
             for scope, key, rows in (("own task", "task", TASK), ("hardware thread", "thread", OWN))
             for title, name in rows for nr in (1, 2)]
    names += [(title.replace("more", "a context switch"), name, 0.5) for title, name in OVERFLOWS + SWITCHES[1:] + MANY]
    names += [(title, name, 0.25) for title, name in TOOLS]
    rows = []
    for title, name, limit in names:
        here, perf = value_of(figures, "here", name), value_of(figures, "perf", name)
        if here and perf and here > limit * perf:
            rows.append([title.format(threads=cell(figures, "here", "all.threads")), f"{here:,}", f"{perf:,}",
                         f"{here / perf:.2f}", f"{limit}"])
    return table([UNIT, "here", "perf", "here / perf", "bound"], rows)


def memory(figures):
    """Memory that the kernel has allocated"""
    rows = [["module, loaded", cell(figures, "here", "load.bytes"), "-"],
            ["module, per-CPU data of a hardware thread", cell(figures, "machine", "percpu"), "-"],
            ["two events on a hardware thread", cell(figures, "here", "all.memory"), cell(figures, "perf", "all.memory")]]
    return table(["bytes", "here", "perf"], rows)


def six(figures):
    """Six events at once, scaled by perf and the module, beside exact counts of one pass for each
    two"""
    ways = (("mainline", "mainline's perf"), ("perf", "repaired perf"), ("turns", "knc-pmuctl stat"))
    rows = []
    for tasks in (1, 5):
        for event in SIX:
            exact = value_of(figures, "here", f"six.{tasks}.{event}")
            values = [value_of(figures, who, f"six.{tasks}.{event}") for who, _ in ways]
            rows.append([f"{event}, {tasks} task{'s' * (tasks > 1)}", cell(figures, "here", f"six.{tasks}.{event}")] +
                        ["-" if value is None or not exact else f"{value / exact:.2f}" for value in values])
    return table(["user mode", "--passes"] + [title for _, title in ways], rows)


def host_beside_card(host, card):
    """The module's main figures on both machines, and perf's on a host"""
    rows = []
    for title, who, name in BESIDE:
        values = [value_of(card, who, name), value_of(host, who, name)]
        rows.append([title, cell(card, who, name), cell(host, who, name),
                     f"{values[1] / values[0]:.2f}" if all(values) else "-", cell(host, "perf", name)])
    return table([UNIT, "card", "host", "host / card", "perf, host"], rows)


def host_tables(host, card):
    """The tables of a host"""
    return {
        "host-task": of_scope(host, "task", TASK, HOST_SIZES),
        "host-thread": of_scope(host, "thread", OWN, HOST_SIZES),
        "host-overflow": beside(host, OVERFLOWS, MODES),
        "host-switch": beside(host, HOST_SWITCHES),
        "host-many": beside(host, HOST_MANY),
        "host-card": host_beside_card(host, card),
        "host-bounds": bounds(host),
    }


def tables(figures):
    """{marker: table} of the document. @figures: of all machines"""
    card = figures.get("knc", {})
    return {**card_tables(card), **host_tables(figures.get("arch3", {}), card)}


def card_tables(figures):
    """The tables of a card"""
    threads = cell(figures, "here", "all.threads")
    return {
        "machine": f"The kernel is {cell(figures, 'machine', 'kernel')}. A system call that does nothing (getppid) costs "
                   f"{cell(figures, 'here', 'getppid')} on it,\nan ioctl of a module that does nothing "
                   f"{cell(figures, 'here', 'null-ioctl')}.",
        "task": of_scope(figures, "task", TASK),
        "thread": of_scope(figures, "thread", OWN),
        "overflow": beside(figures, OVERFLOWS, MODES),
        "rate": rates(figures),
        "switch": beside(figures, SWITCHES),
        "many": beside(figures, [(title.format(threads=threads), name) for title, name in MANY]),
        "bystander": table([UNIT] + [f"{nr:,}" for nr in CROWDS],
                           [[title] + [cell(figures, "here", f"{name}.{nr}") for nr in CROWDS] for title, name in BYSTANDER]),
        "tools": tools(figures),
        "memory": memory(figures),
        "load": beside(figures, [("load", "load"), ("unload", "unload")], (("here", "here"), ("plain", "without its unwind table"), ("null", "an empty module"))),
        "peers-task": peers(figures, "task", BOTH + (("papi", "PAPI"), ("msr", "msr"))),
        "peers-thread": peers(figures, "thread", BOTH + (("papi", "PAPI"), ("likwid", "LIKWID"), ("msr", "msr"))),
        "peers-tools": beside(figures, [("count two events of 'true'", "tool.stat-two"), ("print the registers", "tool.registers")],
                              BOTH + (("likwid", "LIKWID"), ("msr", "rdmsr"))),
        "peers-refused": table(["tried", "what came"],
                               [[title, cell(figures, who, name)] for title, who, name in PEERS_REFUSED]),
        "refused": beside(figures, REFUSED),
        "bounds": bounds(figures),
    }


def pictures(figures):
    """{file name: SVG} of the card's main tables, light and dark. @figures: of all machines"""
    figures = figures.get("knc", {})

    def of(rows, columns):
        picked = [(title, [value_of(figures, who, name) for who, _ in columns]) for title, name in rows]
        return [(title, [value if isinstance(value, int) and value > 0 else None for value in row]) for title, row in picked
                if any(isinstance(value, int) and value > 0 for value in row)]

    def two(scope, rows):
        return [(f"{title}, {nr}", f"{scope}.{name}.{nr}") for title, name in rows for nr in (1, 2)]

    all_plots = {
        "task": ("The own task of a user, one event and two", UNIT, BOTH + (("papi", "PAPI"),), two("task", TASK)),
        "thread": ("One hardware thread, one event and two", UNIT,
                   BOTH + (("papi", "PAPI"), ("likwid", "LIKWID")), two("thread", OWN)),
        "overflow": ("Overflows with a sample", UNIT, MODES, [row for row in OVERFLOWS if not row[1].endswith(".bytes")]),
        "switch": ("Context switches: what is added to each", UNIT, BOTH,
                   [(title.replace("more: ", ""), name) for title, name in SWITCHES[1:-1]]),
        "tools": ("Whole tools", UNIT, BOTH, TOOLS),
    }
    drawn = {}
    for name, (title, unit, columns, rows) in all_plots.items():
        points = of(rows, columns)
        for theme in plots.THEMES if points else ():
            drawn[f"bench-{name}-{theme}.svg"] = plots.plot(title, unit, [text for _, text in columns], points, theme)
    return drawn
