"""Requirements as ReqIF 1.0.1, the exchange format of requirements tools.

A specification for each document, in it the sections as a hierarchy with the requirements under them. Attributes have
the names of the ReqIF Implementation Guide (ReqIF.Text, ReqIF.ChapterName, ReqIF.ForeignID), which tools map by
themselves; the others are ours.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from echelon.domains.documents.types import Document
from echelon.domains.requirements.comparing.keys import name_of, unique_names
from echelon.domains.requirements.exports.cells import COLUMNS, xml_safe
from echelon.domains.requirements.exports.grouping import DocumentGroup, by_document
from echelon.domains.requirements.exports.reqif_types import TEXTS, data_types, spec_types
from echelon.domains.requirements.types import Requirement
from echelon.files import write_atomically

if TYPE_CHECKING:
    from reqif.models.reqif_reqif_header import ReqIFReqIFHeader
    from reqif.models.reqif_spec_hierarchy import ReqIFSpecHierarchy
    from reqif.models.reqif_spec_object import ReqIFSpecObject, SpecObjectAttribute
    from reqif.models.reqif_spec_relation import ReqIFSpecRelation
    from reqif.models.reqif_specification import ReqIFSpecification
    from reqif.reqif_bundle import ReqIFBundle

SCHEMA = "http://www.omg.org/spec/ReqIF/20110401/reqif.xsd"
XHTML = "http://www.w3.org/1999/xhtml"


def write_reqif(
    requirements: Sequence[Requirement], documents: Sequence[Document], path: Path, changed: datetime | None = None
) -> None:
    """Control characters, which XML cannot hold, become U+FFFD.

    Identifiers come from what the documents say (`unique_names`), so that those of other documents and jobs are others
    and the same requirement has the same again. `changed` is the time of the last change, now when it is not given.
    Raises ValueError when two requirements have the same id, OSError when the file cannot be written."""
    from reqif.unparser import ReqIFUnparser

    repeated = [identifier for identifier, count in Counter(r.id for r in requirements).items() if count > 1]
    if repeated:
        raise ValueError(f"requirement ids must be unique in ReqIF: {', '.join(sorted(repeated))}")
    write_atomically(
        path, ReqIFUnparser.unparse(_Writer(requirements, documents, changed or datetime.now(UTC)).bundle())
    )


@dataclass
class _Section:
    """A node of the heading tree."""

    title: str
    requirements: list[Requirement] = field(default_factory=list)
    sections: dict[str, _Section] = field(default_factory=dict)


def _tree(group: DocumentGroup) -> _Section:
    root = _Section(group.name)
    for section, requirements in group.by_section():
        node = root
        for title in section.split(" > ") if section else []:
            node = node.sections.setdefault(title, _Section(title))
        node.requirements += requirements
    return root


class _Writer:
    """Writes one file: the names of its requirements, and the time of the change."""

    def __init__(self, requirements: Sequence[Requirement], documents: Sequence[Document], changed: datetime) -> None:
        self._requirements, self._documents = requirements, documents
        self._changed = changed.astimezone(UTC).isoformat(timespec="milliseconds")
        self._names = dict(zip([r.id for r in requirements], unique_names(requirements, "requirement"), strict=True))
        self._sections: list[ReqIFSpecObject] = []

    def bundle(self) -> ReqIFBundle:
        """The file as the library holds it."""
        from reqif.models.reqif_core_content import ReqIFCoreContent
        from reqif.models.reqif_namespace_info import ReqIFNamespaceInfo
        from reqif.models.reqif_req_if_content import ReqIFReqIFContent
        from reqif.object_lookup import ReqIFObjectLookup
        from reqif.reqif_bundle import ReqIFBundle

        groups = by_document(self._requirements, self._documents)
        specifications = [self._specification(group) for group in groups]
        content = ReqIFReqIFContent(
            data_types=data_types(),
            spec_types=spec_types(),
            spec_objects=[*map(self._requirement, self._requirements), *self._sections],
            spec_relations=list(self._relations()),
            specifications=specifications,
        )
        namespace = ReqIFNamespaceInfo.create_default()
        return ReqIFBundle(
            namespace, self._header(groups), ReqIFCoreContent(content), False, ReqIFObjectLookup.empty(), []
        )

    def _header(self, groups: Sequence[DocumentGroup]) -> ReqIFReqIFHeader:
        from reqif.models.reqif_reqif_header import ReqIFReqIFHeader

        return ReqIFReqIFHeader(
            identifier=name_of("header", self._changed, *(group.name for group in groups)),
            creation_time=self._changed,
            req_if_tool_id="echelon",
            req_if_version="1.0",
            source_tool_id="echelon",
            title="Requirements",
        )

    def _specification(self, group: DocumentGroup) -> ReqIFSpecification:
        from reqif.models.reqif_specification import ReqIFSpecification

        return ReqIFSpecification(
            identifier=name_of("specification", group.name),
            last_change=self._changed,
            long_name=xml_safe(group.name),
            specification_type="type-specification",
            children=self._children(_tree(group), (group.name,), 1),
        )

    def _children(self, section: _Section, path: tuple[str, ...], level: int) -> list[ReqIFSpecHierarchy]:
        leaves = [self._hierarchy(self._names[r.id], level, []) for r in section.requirements]
        return leaves + [self._node(child, (*path, child.title), level) for child in section.sections.values()]

    def _node(self, section: _Section, path: tuple[str, ...], level: int) -> ReqIFSpecHierarchy:
        identifier = name_of("section", *path)
        self._sections.append(self._object(identifier, "type-section", [_string("chapter-name", section.title)]))
        return self._hierarchy(identifier, level, self._children(section, path, level + 1))

    def _hierarchy(self, target: str, level: int, children: list[ReqIFSpecHierarchy]) -> ReqIFSpecHierarchy:
        from reqif.models.reqif_spec_hierarchy import ReqIFSpecHierarchy

        return ReqIFSpecHierarchy(
            identifier=name_of("place", target),
            spec_object=target,
            level=level,
            last_change=self._changed,
            children=children or None,
        )

    def _requirement(self, requirement: Requirement) -> ReqIFSpecObject:
        values = [
            _string("foreign-id", requirement.id),
            _xhtml("text", requirement.text),
            _enum("modality", requirement.modality),
            _enum("status", requirement.status),
            _value("INTEGER", "confidence", str(round(100 * requirement.confidence))),
        ]
        texts = ((name, COLUMNS[name](requirement)) for name in TEXTS)
        values += [_xhtml(name, text) for name, text in texts if text]
        return self._object(self._names[requirement.id], "type-requirement", values)

    def _object(self, identifier: str, kind: str, values: list[SpecObjectAttribute]) -> ReqIFSpecObject:
        from reqif.models.reqif_spec_object import ReqIFSpecObject

        return ReqIFSpecObject(identifier, values, kind, last_change=self._changed)

    def _relations(self) -> Iterator[ReqIFSpecRelation]:
        from reqif.models.reqif_spec_relation import ReqIFSpecRelation

        for requirement in self._requirements:
            target = self._names.get(requirement.duplicate_of or "")
            if target is not None:
                source = self._names[requirement.id]
                name = name_of("duplicate", source, target)
                yield ReqIFSpecRelation(name, "type-duplicate", source, target, last_change=self._changed)


def _string(name: str, text: str) -> SpecObjectAttribute:
    # An attribute of XML turns each line break into a blank by itself; the library escapes the rest.
    return _value("STRING", name, " ".join(xml_safe(text).split()))


def _xhtml(name: str, text: str) -> SpecObjectAttribute:
    lines = (html.escape(line) for line in xml_safe(text).splitlines())
    return _value("XHTML", name, f"<xhtml:div>{'<xhtml:br/>'.join(lines)}</xhtml:div>")


def _enum(name: str, member: Enum) -> SpecObjectAttribute:
    return _value("ENUMERATION", name, [f"{name}-{member.value}"])


def _value(kind: str, name: str, value: str | list[str]) -> SpecObjectAttribute:
    from reqif.models.reqif_spec_object import SpecObjectAttribute
    from reqif.models.reqif_types import SpecObjectAttributeType

    return SpecObjectAttribute(SpecObjectAttributeType[kind], f"attribute-{name}", value)
