# SPDX-License-Identifier: GPL-2.0
"""The book of this folder: make docs"""

import os
import sys

sys.path.insert(0, os.path.abspath("sphinx"))

project = "knc_pmu"
author = "the authors of knc_pmu"
extensions = ["links", "manual", "messages", "metric"]
# a man page is a page of the book
source_suffix = {".rst": "restructuredtext"} | {f".{n}": "man" for n in "13457"}
exclude_patterns = ["examples", "sphinx", "build-deps"]
nitpicky = True
highlight_language = "none"
# quotation marks and -- stay as they are typed: they are part of commands
smartquotes = False

html_theme = "furo"
html_title = "knc_pmu"
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_static_path = ["sphinx/static"]
html_css_files = ["book.css"]
