"""Curves along a plan or a search as one SVG: rows with scales of their own above a common axis."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.pages.story import Curve

WIDTH, ROW, LEFT, RIGHT, TITLE, PAD = 720, 92, 44, 12, 20, 8


def chart(curves: Sequence[Curve], at: Sequence[int], along: str, name: str) -> str:
    """The rows; the script of the page moves the line with the class `cursor`.

    `at` are the places of the values on the common axis, `along` says what this is, and `name`
    is for the script.
    """
    last = max(1, at[-1])
    height = ROW * len(curves) + 24
    wide = WIDTH - LEFT - RIGHT

    def x(step: float) -> float:
        return round(LEFT + wide * step / last, 1)

    parts = []
    for number, curve in enumerate(curves):
        finite = [value for value in curve.values.tolist() if math.isfinite(value)]
        low, high = min([*finite, 0.0]), max([*finite, 0.0])
        if high - low < 1e-9:
            high = low + 1
        top, bottom = ROW * number + TITLE, ROW * (number + 1) - PAD
        scale = (bottom - top) / (high - low)
        points = [
            (x(step), round(bottom - (value - low) * scale, 1))
            for step, value in zip(at, curve.values.tolist(), strict=True)
            if math.isfinite(value)
        ]
        line = "M" + "L".join(f"{a:g} {b:g}" for a, b in points) if points else ""
        dots = "".join(
            f'<circle cx="{a:g}" cy="{b:g}" r="2.5"/>' for a, b in points if len(points) <= 80
        )
        parts.append(
            f'<g class="row l{number + 1}"><text class="title" x="{LEFT}" y="{top - 6}">'
            f"{escape(curve.title)}</text>"
            f'<path class="grid" d="M{LEFT} {top}h{wide}M{LEFT} {bottom}h{wide}"/>'
            f'<text class="tick" x="{LEFT - 6}" y="{top + 4}">{number_text(high)}</text>'
            f'<text class="tick" x="{LEFT - 6}" y="{bottom + 4}">{number_text(low)}</text>'
            f'<path class="line" d="{line}"/>{dots}</g>'
        )
    marks = sorted({round(at[-1] * part / 5) for part in range(6)})
    ticks = "".join(
        f'<text class="tick{" x" * (step < 1000 or step < at[-1])}" x="{x(step):g}"'
        f' y="{height - 6}">{step:,}</text>'
        for step in marks
    )
    words = "; ".join(
        f"{curve.title} from {number_text(curve.values[0])} to {number_text(curve.values[-1])}"
        for curve in curves
    )
    return (
        f'<svg class="chart" id="{name}" viewBox="0 0 {WIDTH} {height}" role="img"'
        f' aria-label="{escape(along)}: {escape(words)}" data-left="{LEFT}" data-wide="{wide}"'
        f' data-last="{last}">'
        f'{"".join(parts)}{ticks}<path class="cursor" d="M0 0V{height - 20}"'
        f' transform="translate({LEFT} 0)"/></svg>'
    )


def number_text(value: float) -> str:
    """A number in few digits.

    >>> number_text(3.0), number_text(-12.3456), number_text(float("inf"))
    ('3', '-12.3', '∞')
    """
    value = float(value)
    if not math.isfinite(value):
        return "∞" if value > 0 else "–"
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 1000 else f"{value:.3g}"
