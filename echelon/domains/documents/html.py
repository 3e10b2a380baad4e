"""HTML in: headings, lists, tables and paragraphs in their order, as plain Markdown."""

from __future__ import annotations

from html.parser import HTMLParser

_SKIPPED = frozenset({"script", "style", "nav", "template", "noscript", "svg", "head"})
_BLOCKS = frozenset(
    {
        "p",
        "div",
        "section",
        "article",
        "main",
        "header",
        "footer",
        "blockquote",
        "pre",
        "dl",
        "dt",
        "dd",
        "ul",
        "ol",
        "table",
        "form",
        "figure",
        "figcaption",
        "address",
        "br",
        "hr",
    }
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


def read_html(text: str) -> tuple[str, str | None]:
    """Text and title of an HTML page. Scripts, styles and navigation are left out. Raises nothing."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    reader.end_line()
    return "\n".join(reader.lines) + "\n", " ".join(reader.title.split()) or None


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self.title = ""
        self._text = ""
        self._prefix = ""
        self._skipping = 0
        self._in_title = False
        self._lists: list[list[int]] = []
        self._cells: list[str] | None = None
        self._rows = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title":
            self._in_title = True
        elif tag in _SKIPPED:
            self._skipping += 1
        elif tag in _HEADINGS:
            self.end_line(blank=True)
            self._prefix = "#" * _HEADINGS[tag] + " "
        elif tag in {"ul", "ol"}:
            self.end_line()
            self._lists.append([0] if tag == "ol" else [-1])
        elif tag == "li":
            self.end_line()
            self._prefix = self._item_prefix()
        elif tag == "tr":
            self.end_line()
            self._cells = []
        elif tag in {"td", "th"} and self._cells is not None:
            self._text = ""
        elif tag == "table":
            self.end_line(blank=True)
            self._rows = 0
        elif tag in _BLOCKS and self._cells is None:
            self.end_line(blank=tag != "br")

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        elif tag in _SKIPPED:
            self._skipping = max(0, self._skipping - 1)
        elif tag in {"td", "th"} and self._cells is not None:
            self._cells.append(" ".join(self._text.split()).replace("|", "/"))
            self._text = ""
        elif tag == "tr":
            self._end_row()
        elif tag in {"ul", "ol"}:
            self.end_line()
            if self._lists:
                self._lists.pop()
        elif (tag in _BLOCKS or tag in _HEADINGS or tag == "li") and self._cells is None:
            self.end_line(blank=tag != "li")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._skipping:
            self._text += data

    def end_line(self, blank: bool = False) -> None:
        """Write what was collected as one line."""
        text = " ".join(self._text.split())
        self._text = ""
        if text:
            self.lines.append(self._prefix + text)
            self._prefix = ""
        if blank and self.lines and self.lines[-1]:
            self.lines.append("")

    def _item_prefix(self) -> str:
        if not self._lists:
            return "- "
        indent = "  " * (len(self._lists) - 1)
        counter = self._lists[-1]
        if counter[0] < 0:
            return f"{indent}- "
        counter[0] += 1
        return f"{indent}{counter[0]}. "

    def _end_row(self) -> None:
        if self._cells is not None and any(self._cells):
            self.lines.append(f"| {' | '.join(self._cells)} |")
            self._rows += 1
            if self._rows == 1:
                self.lines.append(f"|{'---|' * len(self._cells)}")
        self._cells = None
