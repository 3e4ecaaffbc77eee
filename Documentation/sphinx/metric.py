# SPDX-License-Identifier: GPL-2.0
"""What tools/metrics/knc.json has of a metric

    .. metric:: cpi
"""

import json
import os
import re

from docutils import nodes
from docutils.parsers.rst import Directive

BOUNDS = {"from": "from {} on", "above": "above {}", "below": "below {}"}


def metrics(path):
    """name: metric"""
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"^\s*//.*", "", f.read(), flags=re.M)
    return {metric["name"]: metric for metric in json.loads(text)["metrics"]}


def limit(of):
    """A limit as a sentence"""
    when = " and ".join(text.format(of[key]) for key, text in BOUNDS.items() if key in of)
    source = of["source"] + (", unverified" if of.get("unverified") else "")
    return f"{of['verdict']} {when}: {of['says']}" + ("" if "LIKWID" in source else f" ({source})")


class Metric(Directive):
    """The formula, meaning and limits of a metric"""

    required_arguments = 1

    def run(self):
        env = self.state.document.settings.env
        path = os.path.join(os.path.dirname(env.srcdir), "tools", "metrics", "knc.json")
        env.note_dependency(path)
        name = self.arguments[0]
        metric = metrics(path)[name]
        lines = [f"{metric['title']}; in {metric['unit']}. {metric.get('says', '')}"]
        lines += ["No source gives limits."] if "limits" not in metric else [limit(one) for one in metric["limits"]]
        definition = nodes.definition("", nodes.paragraph("", "", nodes.literal("", metric["formula"])),
                                      *(nodes.paragraph("", line[0].upper() + line[1:]) for line in lines))
        item = nodes.definition_list_item("", nodes.term("", "", nodes.strong("", name)), definition)
        target = nodes.target("", "", ids=[nodes.make_id("metric-" + name)])
        self.state.nested_parse(self.content, self.content_offset, definition)
        return [target, nodes.definition_list("", item)]

    has_content = True


def setup(app):
    """Register with Sphinx"""
    app.add_directive("metric", Metric)
    return {"version": "1", "parallel_read_safe": True}
