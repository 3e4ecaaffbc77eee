# SPDX-License-Identifier: GPL-2.0
"""Dot plots of bench.rst's tables, as SVG: a line for each row, a mark for each column, a logarithmic axis."""

import math
from xml.sax.saxutils import escape

THEMES = {
    "light": {"paper": "#ffffff", "ink": "#222222", "grid": "#d8d8d8", "marks": ["#0b63b5", "#c4460e", "#2c7a31", "#7b3fa0"]},
    "dark": {"paper": "#131416", "ink": "#e3e3e3", "grid": "#3a3d42", "marks": ["#6db3f2", "#ff9466", "#7fce85", "#c79be6"]},
}
LINE = 24           # pixels from row to row
TOP = 58            # title and legend
RIGHT = 30
CHARACTER = 7.3     # width of a character in labels, at most
PLOT = 430


def mark(shape, x, y, colour):
    """A mark, whose shape differs too, not only its colour."""
    if shape == 0:
        return f'<circle cx="{x:.1f}" cy="{y}" r="5" fill="{colour}"/>'
    if shape == 1:
        return f'<rect x="{x - 4.5:.1f}" y="{y - 4.5}" width="9" height="9" fill="{colour}"/>'
    corners = f"{x:.1f},{y - 6} {x + 6:.1f},{y + 5} {x - 6:.1f},{y + 5}" if shape == 2 else \
        f"{x:.1f},{y - 6} {x + 6:.1f},{y} {x:.1f},{y + 6} {x - 6:.1f},{y}"
    return f'<polygon points="{corners}" fill="{colour}"/>'


def power_of_ten(power):
    """A label of the axis: 10, 1,000, and from a million on with an exponent"""
    return f"{10 ** power:,}" if power < 6 else f'10<tspan dy="-5" font-size="9">{power}</tspan>'


def plot(title, unit, names, rows, theme):
    """An SVG picture. @rows: (label, [value or None for each of names])."""
    look = THEMES[theme]
    values = [value for _, row in rows for value in row if value]
    low = math.floor(math.log10(min(values)))
    high = max(low + 1, math.ceil(math.log10(max(values))))
    left = 20 + CHARACTER * max(len(label) for label, _ in rows)
    width, bottom = left + PLOT + RIGHT, TOP + LINE * len(rows) + 8

    def at(value):
        return left + PLOT * (math.log10(value) - low) / (high - low)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {bottom + 42}" width="{width:.0f}" height="{bottom + 42}" '
           'font-family="DejaVu Sans, Helvetica, Arial, sans-serif" font-size="12">',
           "<!-- SPDX-License-Identifier: GPL-2.0 -->", "<!-- written by make bench -->", f"<title>{escape(title)}</title>",
           f'<rect width="{width:.0f}" height="{bottom + 42}" fill="{look["paper"]}"/>',
           f'<text x="12" y="22" font-size="14" font-weight="bold" fill="{look["ink"]}">{escape(title)}</text>']
    x = left
    for shape, name in enumerate(names):
        out += [mark(shape, x + 5, TOP - 20, look["marks"][shape]), f'<text x="{x + 16:.1f}" y="{TOP - 16}" fill="{look["ink"]}">{escape(name)}</text>']
        x += 40 + CHARACTER * len(name)
    for power in range(low, high + 1):
        x = at(10 ** power)
        out += [f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}" stroke="{look["grid"]}"/>',
                f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle" fill="{look["ink"]}">{power_of_ten(power)}</text>']
    out.append(f'<text x="{left + PLOT / 2:.1f}" y="{bottom + 34}" text-anchor="middle" fill="{look["ink"]}">{escape(unit)}</text>')
    for i, (label, row) in enumerate(rows):
        y = TOP + LINE * i + LINE // 2
        out += [f'<line x1="{left}" y1="{y}" x2="{left + PLOT}" y2="{y}" stroke="{look["grid"]}"/>',
                f'<text x="{left - 10:.1f}" y="{y + 4}" text-anchor="end" fill="{look["ink"]}">{escape(label)}</text>']
        out += [mark(shape, at(value), y, look["marks"][shape]) for shape, value in reversed(list(enumerate(row))) if value]
    return "\n".join(out + ["</svg>", ""])
