"""A line for each group of a table's rows, as an SVG of its own that is light or dark as its reader
is."""

import math
from html import escape

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 84, 20, 36, 60
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8a8a"]
STYLE = """
text { font: 13px sans-serif; fill: #222 } .grid { stroke: #ddd } .axis { stroke: #555 }
.page { fill: #fff }
@media (prefers-color-scheme: dark) {
  text { fill: #ddd } .grid { stroke: #333 } .axis { stroke: #999 } .page { fill: #161616 } }
"""


def _ticks(low, high):
    """Four to ten round values from `low` to `high`."""
    span = high - low
    step = 10 ** math.floor(math.log10(span))
    for part in (0.1, 0.2, 0.5, 1):
        if span / (step * part) <= 8:
            step *= part
            break
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [i * step for i in range(first, last + 1)]


def _text(value):
    return f"{value:,.6g}" if abs(value) < 1e7 else f"{value:.3g}"


def _groups(table, x, y, by):
    groups = {}
    for row in table:
        if isinstance(row[x], (int, float)) and isinstance(row[y], (int, float)):
            groups.setdefault(None if by is None else row[by], []).append((row[x], row[y]))
    if not groups:
        raise ValueError(f"no row has numbers in both {x!r} and {y!r}")
    return {name: sorted(points) for name, points in groups.items()}


class _Scale:
    """From values to pixels."""

    def __init__(self, values, first, last, zero):
        low, high = min(values), max(values)
        if zero:
            low, high = min(low, 0), max(high, 0)
        if low == high:
            low, high = low - 0.5, high + 0.5
        self.low, self.high, self.first, self.last = low, high, first, last

    def at(self, value):
        part = (value - self.low) / (self.high - self.low)
        return self.first + part * (self.last - self.first)

    def ticks(self):
        return _ticks(self.low, self.high)


def _axes(xs, ys, x, y, units):
    def title(name):
        return escape(f"{name}, {units[name]}" if units.get(name) else name)

    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    for value in ys.ticks():
        at = ys.at(value)
        yield f'<line class="grid" x1="{LEFT}" y1="{at:.1f}" x2="{right}" y2="{at:.1f}"/>'
        yield f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{_text(value)}</text>'
    for value in xs.ticks():
        at = xs.at(value)
        yield f'<line class="axis" x1="{at:.1f}" y1="{bottom}" x2="{at:.1f}" y2="{bottom + 5}"/>'
        yield f'<text x="{at:.1f}" y="{bottom + 20}" text-anchor="middle">{_text(value)}</text>'
    yield f'<path class="axis" fill="none" d="M{LEFT} {TOP}V{bottom}H{right}"/>'
    yield f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 18}" text-anchor="middle">{title(x)}</text>'
    yield f'<text x="{LEFT}" y="{TOP - 14}">{title(y)}</text>'


def plot(table, x, y, by=None, file=None):
    """Draws column y over column x, a line for each value of column `by`.

    Returns the SVG's text and writes it to `file`, if one is given. Rows without numbers in both
    are left out; ValueError: no row is left.
    """
    for name in (x, y) + (() if by is None else (by,)):
        table[name]
    groups = _groups(table, x, y, by)
    points = [p for group in groups.values() for p in group]
    xs = _Scale([p[0] for p in points], LEFT, WIDTH - RIGHT, False)
    ys = _Scale([p[1] for p in points], HEIGHT - BOTTOM, TOP, True)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
           f"<title>{escape(y)} over {escape(x)}</title><style>{STYLE}</style>",
           f'<rect class="page" width="{WIDTH}" height="{HEIGHT}"/>']
    out += _axes(xs, ys, x, y, table.units)
    for i, (name, group) in enumerate(groups.items()):
        colour = COLOURS[i % len(COLOURS)]
        line = " ".join(f"{xs.at(a):.1f},{ys.at(b):.1f}" for a, b in group)
        out.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{line}"/>')
        for a, b in group:
            out.append(f'<circle cx="{xs.at(a):.1f}" cy="{ys.at(b):.1f}" r="3" fill="{colour}">'
                       f"<title>{_text(a)}: {_text(b)}</title></circle>")
        if by is not None:
            at = TOP + 6 + 18 * i
            out.append(f'<rect x="{WIDTH - 180}" y="{at - 9}" width="12" height="3" '
                       f'fill="{colour}"/><text x="{WIDTH - 162}" y="{at}">'
                       f"{escape(str(name))}</text>")
    text = "\n".join(out + ["</svg>"]) + "\n"
    if file is not None:
        with open(file, "w", encoding="utf-8") as f:
            f.write(text)
    return text
