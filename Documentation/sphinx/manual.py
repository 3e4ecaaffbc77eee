# SPDX-License-Identifier: GPL-2.0
"""Man pages as pages of the book: mandoc makes HTML of them, which has a dozen elements only."""

import os
import re
import subprocess

import bs4
from docutils import nodes
from sphinx.parsers import Parser

INLINE = {"b": nodes.strong, "i": nodes.emphasis, "code": nodes.literal}
BLOCKS = {"section": nodes.section, "p": nodes.paragraph, "ul": nodes.bullet_list, "li": nodes.list_item,
          "dl": nodes.definition_list, "dd": nodes.definition, "h1": nodes.title, "h2": nodes.title}
# Elements that mean nothing here: their contents go into the element around them
TRANSPARENT = {"div", "a", "span", "cite"}


def inline(element):
    """The text of an element, in docutils' nodes"""
    if isinstance(element, bs4.NavigableString):
        return [nodes.Text(re.sub(r"\s+", " ", element))]
    if element.name == "br":
        return [nodes.raw("", "<br>", format="html")]
    children = [node for child in element.children for node in inline(child)]
    return [INLINE[element.name]("", "", *children)] if element.name in INLINE else children


def blocks(element):
    """The blocks in an element; text that is directly in it becomes paragraphs"""
    result, text = [], []

    def flush():
        if "".join(node.astext() for node in text).strip():
            result.append(nodes.paragraph("", "", *text))
        text.clear()

    for child in element.children:
        name = getattr(child, "name", None)
        if name in ("table",) and child.get("class") in (["head"], ["foot"]):
            continue
        if name is None or name in INLINE or name == "br":
            text.extend(inline(child))
            continue
        if name == "a" and element.name != "div":
            text.extend(inline(child))
            continue
        flush()
        result.extend(block(child))
    flush()
    return result


def block(element):
    """An element of its own lines, in docutils' nodes"""
    if element.name in TRANSPARENT:
        return blocks(element)
    if element.name == "dl":
        return [definitions(element)]
    if element.name == "pre":
        text = element.get_text().strip("\n")
        return [nodes.literal_block(text, text, xml_space="preserve", language="none")]
    if element.name in ("p", "h1", "h2"):
        return [BLOCKS[element.name]("", "", *inline(element))]
    if element.name in BLOCKS:
        return [BLOCKS[element.name]("", *blocks(element))]
    raise ValueError(f"mandoc has an element that {__file__} does not know: {element.name}")


def definitions(element):
    """A list of terms; several terms may share a definition"""
    items, terms = [], []
    for child in element.find_all(["dt", "dd"], recursive=False):
        if child.name == "dt":
            terms.append(nodes.term("", "", *inline(child)))
        else:
            items.append(nodes.definition_list_item("", *terms, nodes.definition("", *blocks(child))))
            terms = []
    if terms:
        items.append(nodes.definition_list_item("", *terms, nodes.definition("", nodes.paragraph())))
    return nodes.definition_list("", *items)


class ManParser(Parser):
    """A parser of man pages"""

    supported = ("man",)

    def parse(self, inputstring, document):
        path = document["source"]
        done = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", "-W", "warning", path],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if done.stderr:
            document.reporter.warning(f"mandoc: {done.stderr.strip()}")
        name, _, number = os.path.basename(path).rpartition(".")
        page = nodes.section("", nodes.title("", f"{name}({number})"),
                             *blocks(bs4.BeautifulSoup(done.stdout, "html.parser")))
        document += page
        for section in document.findall(nodes.section):
            title = section.next_node(nodes.title)
            text = title.astext()
            # headings of man pages are capitals; below them are names of commands
            if text.isupper() and section.parent is page:
                text = text.capitalize()
                title.replace_self(nodes.title("", text))
            section["names"].append(nodes.fully_normalize_name(text))
            document.note_implicit_target(section, section)


def setup(app):
    """Register with Sphinx"""
    app.add_source_parser(ManParser)
    return {"version": "1", "parallel_read_safe": True}
