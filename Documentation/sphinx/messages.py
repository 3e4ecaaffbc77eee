# SPDX-License-Identifier: GPL-2.0
"""The messages of the tools and of the module, from their sources

    .. messages:: tools/ctl/stat tools/ctl/cmd/grant.c

lists all that these files can print, in the order of the alphabet.
"""

import glob
import os
import re

from docutils import nodes
from docutils.parsers.rst import Directive

# Functions that print a message, or make one that others print
CALL = re.compile(r"\b(pr_(?:err|warn|notice|info)|complain|usage_error|kncpmu_fail|fail|skip|metric_problem|found|mend|(?:merge_)?problem|(?:perf_)?damaged|tell|die|"
                  r"parser\.error|Failure|say|fprintf|fputs|snprintf|asprintf|intern_format|print_line)\s*\(")
# Of these only what goes to standard error
PRINTERS = "fprintf", "fputs"
# Of these only sentences: they also make names and numbers
MAKERS = "snprintf", "asprintf", "intern_format", "print_line"
# The same where no function is called: why = "...", return "...", and the remarks below tables
ALONE = re.compile(r"(?:(?<!summary )=|\breturn|[?:])\s*")
STRING = r'f?"(?:\\.|[^"\\\n])*"'
# Strings beside each other, with macros in between, are one
JOINED = re.compile(rf"(?:[A-Z_]{{3,}}\s+)*{STRING}(?:\s*(?:{STRING}|[A-Z_]{{3,}}\b(?!\s*\()))*")
# The placeholders of explain.c, as its first comment has them
EXPLAINED = {"D": "/dev/knc_pmu", "C": "N", "E": "EVENT", "F": "EVENT", "N": "0", "K": "N", "P": "pid PID (NAME)", "O": "CPUS",
             "A": "CPUS", "X": "PROGRAM", "M": "MAJOR MINOR", "U": "family N model N", "B": "/sys/devices/system/cpu",
             "T": "pid PID (NAME)", "W": "PID", "S": "ERROR"}


def macros(top):
    """Macros that are strings"""
    found = {}
    for path in glob.glob(os.path.join(top, "uapi", "*.h")) + glob.glob(os.path.join(top, "tools", "**", "*.[ch]"), recursive=True):
        with open(path, encoding="utf-8") as f:
            found.update(re.findall(rf"^#define ([A-Z_]{{3,}})\s+((?:[A-Z_]{{3,}} )?{STRING})$", f.read(), re.M))
    return {name: join(text, found) for name, text in found.items()}


def arguments(text, start):
    """The text of a call from its opening parenthesis on"""
    depth = 0
    for token in re.finditer(rf"{STRING}|'(?:\\.|[^'\\])'|[()]", text[start:]):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if not depth:
            return text[start:start + token.end()]
    return text[start:]


def readable(message, explained=False):
    """A message as it is printed, with words for what changes"""
    message = message.replace('\\"', '"').replace("\\\\", "\\").replace("\\n", "")
    if explained:
        message = re.sub("%([A-Z])", lambda m: EXPLAINED[m[1]], message)
    message = re.sub(r"%[-+#0 ]*[*\d]*(?:\.[*\d]+)?(?:hh|h|ll|l|z)?([a-zA-Z%])",
                     lambda m: {"s": "...", "c": "C", "%": "%"}.get(m[1], "N"), message)
    return re.sub(r"(\.\.\. ?){2,}", "... ", re.sub(r"\{[^{}]*\}", "...", message)).strip()


def join(text, known):
    """Strings and macros beside each other as one string"""
    return "".join(part[1:-1] if part.startswith('"') else part[2:-1] if part.startswith('f"') else
                   known.get(part, '"..."').strip('"')
                   for part in re.findall(rf"{STRING}|[A-Z_]{{3,}}", text))


def messages(path, known):
    """The messages of a source"""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    calls = []
    for call in CALL.finditer(text):
        inside = arguments(text, call.end() - 1)
        if call[1] not in PRINTERS or "stderr" in inside:
            calls.append((inside, 4 if call[1] in MAKERS else 2))
    explained = os.path.basename(path) == "explain.c"
    if explained:
        calls = [(entry, 3) for entry in re.findall(r"\{ (?:KNCPMU_OP|ANY).*?\n\t\}", text, re.S)]
    else:
        alone = ALONE if path.endswith(".c") else re.compile(r"\bfailure = ")
        strings = (JOINED.match(text, found.end()) for found in alone.finditer(text))
        calls += [(string[0], 5) for string in strings if string]
        calls += [(table, 5) for table in re.findall(r"remarks\[\w*\] = \{(.*?)\n\};", text, re.S)]
    prefix = "knc_pmu: " if "/src/" in path else ""
    for inside, words in calls:
        for match in JOINED.finditer(inside):
            message = readable(join(match[0], known), explained)
            # fewer are an argument of the message
            if len(re.findall(r"[A-Za-z]{2,}", message)) >= words and message.count(" ") > 1:
                yield prefix + message


SHELL = re.compile(r'^\s*(?:.*(?:\|\||&&|\)|\{) )?(?:die|later|say|refuse|needs \w+|echo|printf) ((?:"(?:\\.|[^"\\])*"(?:\s*\\\n\s*)?\s?)+)', re.M)


def shell_messages(path):
    """The messages of a script: sentences that its functions print"""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    for call in SHELL.finditer(text):
        message = " ".join(re.findall(r'"((?:\\.|[^"\\])*)"', call[1]))
        message = re.sub(r"\$\{[^{}]*\}|\$\([^()]*\)|\$[\w*]+|%s", "...", message.replace('\\"', '"').replace("\\n", ""))
        message = re.sub(r"(\.\.\. ?){2,}", "... ", message).strip()
        if len(re.findall(r"[A-Za-z]{2,}", message)) >= 4 and "#include" not in message:
            yield message


def sources(top, names):
    """The files of these names, and those in folders of these names"""
    for name in names:
        path = os.path.join(top, name)
        if not os.path.exists(path):
            raise FileNotFoundError(path)
        yield from sorted(glob.glob(os.path.join(path, "**", "*.c"), recursive=True)) if os.path.isdir(path) else [path]


class Messages(Directive):
    """A list of messages"""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        env = self.state.document.settings.env
        top = os.path.dirname(env.srcdir)
        known, found = macros(top), set()
        for path in sources(top, self.arguments[0].split()):
            env.note_dependency(path)
            found.update(messages(path, known) if path.endswith((".c", ".h", ".py")) or "knc-vm" in path else shell_messages(path))
        return [nodes.bullet_list("", *(nodes.list_item("", nodes.paragraph("", "", nodes.literal(text, text)))
                                        for text in sorted(found, key=lambda m: (m.startswith("..."), m.lower()))), classes=["messages"])]


def setup(app):
    """Register with Sphinx"""
    app.add_directive("messages", Messages)
    return {"version": "1", "parallel_read_safe": True}
