"""Plots as SVG text: no script, no font, no request. Every mark has a title that says its figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

WIDTH = 720
"""Units of the drawings; the page scales them to its width."""
LINE = 46
LEFT, RIGHT = 16, 16
INK, SOFT, ACCENT, WRONG = "var(--ink)", "var(--soft)", "var(--accent)", "var(--wrong)"


@dataclass(frozen=True)
class Bar:
    """An estimate with its interval; without an interval `low` and `high` are None."""

    label: str
    estimate: float | None
    low: float | None
    high: float | None
    says: str
    strong: bool = False


@dataclass(frozen=True)
class Dot:
    """An arm in the plane of cost and quality."""

    label: str
    x: float
    y: float
    low: float | None
    high: float | None
    says: str


def intervals(bars: Sequence[Bar], shown: Callable[[float], str], title: str) -> str:
    """Estimates with their intervals around a line at 0, one below the other, each under its label."""
    ends = [v for b in bars for v in (b.low, b.high, b.estimate, 0.0) if v is not None and math.isfinite(v)]
    reach = max((abs(v) for v in ends), default=0.0) * 1.08 or 1.0
    height = LINE * len(bars) + 34

    def x(value: float) -> float:
        return LEFT + (value + reach) / (2 * reach) * (WIDTH - LEFT - RIGHT)

    parts = [_line(x(0), 4, x(0), height - 28, SOFT, dashed=True)]
    for n, bar in enumerate(bars):
        parts += _bar(bar, LINE * n + 18, x)
    for value in (-reach / 1.08, 0.0, reach / 1.08):
        parts.append(_text(x(value), height - 8, shown(value), _anchor(x(value)), SOFT))
    return _svg(height, title, parts)


def _bar(bar: Bar, y: float, x: Callable[[float], float]) -> list[str]:
    colour = ACCENT if bar.strong else INK
    middle = y + 16
    parts = [_text(LEFT, y, bar.label, "start", INK)]
    if bar.low is not None and bar.high is not None:
        parts.append(_line(x(bar.low), middle, x(bar.high), middle, colour, width=3))
        parts += [_line(x(v), middle - 6, x(v), middle + 6, colour, width=2) for v in (bar.low, bar.high)]
    if bar.estimate is not None and math.isfinite(bar.estimate):
        parts.append(f'<circle cx="{x(bar.estimate):.1f}" cy="{middle:.1f}" r="6" fill="{colour}"/>')
    return [f"<g><title>{escape(bar.label)}: {escape(bar.says)}</title>{''.join(parts)}</g>"]


def plane(dots: Sequence[Dot], x_title: str, y_title: str, shown_x: Callable[[float], str]) -> str:
    """Arms by what they cost (to the right) and how often they succeed (upwards), with the intervals of the latter."""
    height, top, bottom, left = 350, 40, 296, 88
    most = max((d.x for d in dots), default=0.0) * 1.15 or 1.0

    def x(value: float) -> float:
        return left + value / most * (WIDTH - left - RIGHT - 40)

    def y(share: float) -> float:
        return bottom - share * (bottom - top)

    parts = [_line(left, bottom, WIDTH - RIGHT, bottom, SOFT), _line(left, top, left, bottom, SOFT)]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts += [_line(left, y(share), WIDTH - RIGHT, y(share), SOFT, dashed=True)] if share else []
        parts.append(_text(left - 8, y(share) + 5, f"{share:.0%}", "end", SOFT))
    parts += [_text(x(v), bottom + 24, shown_x(v), _anchor(x(v)), SOFT) for v in (0.0, most / 2.3, most / 1.15)]
    parts.append(_text(WIDTH - RIGHT, bottom + 50, x_title, "end", SOFT))
    parts.append(_text(0, 18, y_title, "start", SOFT))
    for n, dot in enumerate(dots):
        parts.append(_dot(dot, x(dot.x), y, above=n % 2 == 0))
    return _svg(height, f"{y_title} against {x_title}", parts)


def _dot(dot: Dot, x: float, y: Callable[[float], float], above: bool) -> str:
    parts = [f"<title>{escape(dot.label)}: {escape(dot.says)}</title>"]
    if dot.low is not None and dot.high is not None:
        parts.append(_line(x, y(dot.low), x, y(dot.high), ACCENT, width=2))
    parts.append(f'<circle cx="{x:.1f}" cy="{y(dot.y):.1f}" r="7" fill="{ACCENT}"/>')
    anchor, dx = ("end", -11) if x > WIDTH * 0.6 else ("start", 11)
    parts.append(_text(x + dx, y(dot.y) + (-9 if above else 19), dot.label, anchor, INK))
    return f"<g>{''.join(parts)}</g>"


def stacked(rows: Sequence[tuple[str, Sequence[tuple[str, int]]]], colours: dict[str, str], title: str) -> str:
    """Counts as bars one below the other, each made of named pieces; all bars share one scale."""
    most = max((sum(n for _, n in pieces) for _, pieces in rows), default=0) or 1
    height = LINE * len(rows) + 6
    parts: list[str] = []
    for row, (label, pieces) in enumerate(rows):
        y, x = LINE * row + 18, float(LEFT)
        parts.append(_text(LEFT, y, label, "start", INK))
        for name, count in pieces:
            wide = count / most * (WIDTH - LEFT - RIGHT)
            if count:
                fill = colours.get(name, SOFT)
                title_ = f"<title>{escape(label)}: {escape(name)} {count}</title>"
                parts.append(
                    f'<rect x="{x:.1f}" y="{y + 6}" width="{max(wide - 1, 1):.1f}" height="16" fill="{fill}">{title_}</rect>'
                )
                if wide > 26:
                    parts.append(_text(x + wide / 2, y + 19, str(count), "middle", "var(--paper)"))
            x += wide
    return _svg(height, title, parts)


def _anchor(x: float) -> str:
    return "start" if x < LEFT + 40 else "end" if x > WIDTH - RIGHT - 40 else "middle"


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1, dashed: bool = False) -> str:
    dash = ' stroke-dasharray="3 4"' if dashed else ""
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width}"{dash}/>'


def _text(x: float, y: float, text: str, anchor: str, colour: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'


def _svg(height: float, title: str, parts: Sequence[str]) -> str:
    start = f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title, quote=True)}">'
    return f"{start}{''.join(parts)}</svg>"
