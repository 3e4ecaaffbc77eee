# SPDX-License-Identifier: GPL-2.0
"""Names of pages are links: metrics.rst, Documentation/metrics.rst, knc-pmuctl-stat(1).

The sources are read in a terminal too: there the name of a file says more than a role.
"""

import glob
import os
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

# Text in these is shown as it is
LITERAL = nodes.literal_block, nodes.doctest_block, nodes.reference, nodes.title, addnodes.pending_xref, nodes.raw
PAGE = re.compile(r"(?:Documentation/)?\b(?P<rst>[a-z0-9-]+)\.rst\b|\b(?P<man>[a-z][\w.-]*)\((?P<section>[1-8])\)")


def man_pages(srcdir):
    """(name, section) of each man page of this project"""
    return {os.path.basename(path).rpartition(".")[::2] for path in glob.glob(os.path.join(srcdir, "man", "*.[1-8]"))}


class Links(SphinxTransform):
    """Make a link of each name of a page."""

    default_priority = 400

    def link(self, found):
        """The link for a match, or its text if the page is of another project"""
        if found["rst"]:
            target, explicit, text = f"/{found['rst']}", False, found[0]
        elif (found["man"], found["section"]) in self.pages:
            target, explicit, text = f"/man/{found['man']}", True, found[0]
        else:
            return nodes.Text(found[0])
        if target == "/" + self.env.docname:
            return nodes.Text(text)
        xref = addnodes.pending_xref("", nodes.inline("", text, classes=["doc"]), refdomain="std", reftype="doc",
                                     refdoc=self.env.docname, refexplicit=explicit, refwarn=True, reftarget=target)
        return xref

    def split(self, text):
        """The text as nodes; None: there is no name of a page in it"""
        parts, end = [], 0
        for found in PAGE.finditer(text):
            parts += [nodes.Text(text[end:found.start()]), self.link(found)]
            end = found.end()
        return parts + [nodes.Text(text[end:])] if parts else None

    def join(self):
        """Man pages have the name in bold, and the section after it in plain text."""
        for strong in list(self.document.findall(nodes.strong)):
            after = strong.next_node(descend=False, siblings=True)
            found = re.match(r"\([1-8]\)", after.astext()) if isinstance(after, nodes.Text) else None
            if found and (strong.astext(), found[0][1:-1]) in self.pages:
                after.parent.replace(after, nodes.Text(after.astext()[3:]))
                strong.parent.replace(strong, nodes.Text(strong.astext() + found[0]))

    def apply(self):
        self.pages = man_pages(self.app.srcdir)
        self.join()
        for node in list(self.document.findall(nodes.Text)):
            parent, literal = node.parent, False
            while parent is not None:
                literal |= isinstance(parent, LITERAL)
                parent = parent.parent
            parts = None if literal else self.split(node.astext())
            if not parts:
                continue
            # ``metrics.rst``: the whole literal becomes the link
            old = node.parent if isinstance(node.parent, nodes.literal) and len(parts) == 3 else node
            old.parent.replace(old, [part for part in parts if part.astext()])


def setup(app):
    """Register with Sphinx"""
    app.add_transform(Links)
    return {"version": "1", "parallel_read_safe": True}
