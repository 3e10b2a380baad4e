"""Requirements as files for people and for other tools: CSV, XLSX, ReqIF, Markdown and an HTML report.

Each `write_*(requirements, documents, path)` replaces the file at once or leaves the old one. The same requirements and
documents give the same bytes: no clock, no random identifiers.
"""

from echelon.domains.requirements.exports.csv import write_csv
from echelon.domains.requirements.exports.html import write_html
from echelon.domains.requirements.exports.markdown import write_markdown
from echelon.domains.requirements.exports.reqif import write_reqif
from echelon.domains.requirements.exports.xlsx import write_xlsx

__all__ = ["write_csv", "write_html", "write_markdown", "write_reqif", "write_xlsx"]
