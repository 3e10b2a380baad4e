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
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from echelon.domains.documents.types import Document
from echelon.domains.requirements.exports.cells import COLUMNS, xml_safe
from echelon.domains.requirements.exports.grouping import DocumentGroup, by_document
from echelon.domains.requirements.types import Modality, Requirement, Status
from echelon.files import write_atomically

if TYPE_CHECKING:
    from reqif.models.reqif_spec_hierarchy import ReqIFSpecHierarchy
    from reqif.models.reqif_spec_object import ReqIFSpecObject, SpecObjectAttribute
    from reqif.models.reqif_spec_object_type import SpecAttributeDefinition
    from reqif.reqif_bundle import ReqIFBundle

# The format demands times. A real one would make each export of the same requirements a change.
EPOCH = "1970-01-01T00:00:00.000+00:00"
SCHEMA = "http://www.omg.org/spec/ReqIF/20110401/reqif.xsd"
XHTML = "http://www.w3.org/1999/xhtml"
ENUMS: dict[str, type[Modality] | type[Status]] = {"modality": Modality, "status": Status}
TEXTS = ["source_id", "language", "categories", "document", "pages", "place", "quote", "subject", "action", "object"]
TEXTS += ["condition", "deadline", "split_from", "findings"]


def write_reqif(requirements: Sequence[Requirement], documents: Sequence[Document], path: Path) -> None:
    """Control characters, which XML cannot hold, become U+FFFD.

    Raises ValueError when two requirements have the same id, OSError when the file cannot be written."""
    from reqif.unparser import ReqIFUnparser

    repeated = [identifier for identifier, count in Counter(r.id for r in requirements).items() if count > 1]
    if repeated:
        raise ValueError(f"requirement ids must be unique in ReqIF: {', '.join(sorted(repeated))}")
    write_atomically(path, ReqIFUnparser.unparse(_bundle(requirements, documents)))


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


class _Hierarchy:
    """Makes the hierarchy of one specification, and the objects of its sections as it goes."""

    def __init__(self, document: int) -> None:
        self.prefix = f"section-{document}"
        self.objects: list[ReqIFSpecObject] = []

    def children(self, section: _Section, level: int = 1) -> list[ReqIFSpecHierarchy]:
        leaves = [_hierarchy(f"requirement-{r.id}", level, []) for r in section.requirements]
        return leaves + [self._node(child, level) for child in section.sections.values()]

    def _node(self, section: _Section, level: int) -> ReqIFSpecHierarchy:
        identifier = f"{self.prefix}-{len(self.objects) + 1}"
        self.objects.append(_object(identifier, "type-section", [_string("chapter-name", section.title)]))
        return _hierarchy(identifier, level, self.children(section, level + 1))


def _hierarchy(spec_object: str, level: int, children: list[ReqIFSpecHierarchy]) -> ReqIFSpecHierarchy:
    from reqif.models.reqif_spec_hierarchy import ReqIFSpecHierarchy

    return ReqIFSpecHierarchy(
        identifier=f"in-{spec_object}",
        spec_object=spec_object,
        level=level,
        last_change=EPOCH,
        children=children or None,
    )


def _bundle(requirements: Sequence[Requirement], documents: Sequence[Document]) -> ReqIFBundle:
    from reqif.models.reqif_core_content import ReqIFCoreContent
    from reqif.models.reqif_namespace_info import ReqIFNamespaceInfo
    from reqif.models.reqif_req_if_content import ReqIFReqIFContent
    from reqif.models.reqif_reqif_header import ReqIFReqIFHeader
    from reqif.models.reqif_specification import ReqIFSpecification
    from reqif.object_lookup import ReqIFObjectLookup
    from reqif.reqif_bundle import ReqIFBundle

    specifications, sections = [], []
    for number, group in enumerate(by_document(requirements, documents), start=1):
        hierarchy = _Hierarchy(number)
        specifications.append(
            ReqIFSpecification(
                identifier=f"specification-{number}",
                last_change=EPOCH,
                long_name=xml_safe(group.name),
                specification_type="type-specification",
                children=hierarchy.children(_tree(group)),
            )
        )
        sections += hierarchy.objects
    content = ReqIFReqIFContent(
        data_types=_data_types(),
        spec_types=_spec_types(),
        spec_objects=[*map(_requirement, requirements), *sections],
        spec_relations=list(_relations(requirements)),
        specifications=specifications,
    )
    namespace = ReqIFNamespaceInfo.create_default()
    header = ReqIFReqIFHeader(
        identifier="header",
        creation_time=EPOCH,
        req_if_tool_id="echelon",
        req_if_version="1.0",
        source_tool_id="echelon",
        title="Requirements",
    )
    lookup = ReqIFObjectLookup.empty()
    return ReqIFBundle(namespace, header, ReqIFCoreContent(content), False, lookup, [])


def _data_types() -> list[object]:
    from reqif.models import reqif_data_type as types

    enums = [
        types.ReqIFDataTypeDefinitionEnumeration(
            f"datatype-{name}",
            last_change=EPOCH,
            long_name=name,
            values=[_enum_value(name, key, member) for key, member in enumerate(values)],
        )
        for name, values in ENUMS.items()
    ]
    string = types.ReqIFDataTypeDefinitionString(
        "datatype-string", last_change=EPOCH, long_name="string", max_length="32000"
    )
    real = types.ReqIFDataTypeDefinitionReal(
        "datatype-real", last_change=EPOCH, long_name="share", accuracy=2, min_value="0.0", max_value="1.0"
    )
    xhtml = types.ReqIFDataTypeDefinitionXHTML(
        "datatype-xhtml", last_change=EPOCH, long_name="text", is_self_closed=True
    )
    return [string, real, xhtml, *enums]


def _enum_value(name: str, key: int, member: Enum) -> object:
    from reqif.models.reqif_data_type import ReqIFEnumValue

    identifier = f"{name}-{member.value}"
    return ReqIFEnumValue(identifier, last_change=EPOCH, long_name=str(member.value), key=str(key), other_content="")


def _spec_types() -> list[object]:
    from reqif.models.reqif_spec_object_type import ReqIFSpecObjectType
    from reqif.models.reqif_spec_relation_type import ReqIFSpecRelationType
    from reqif.models.reqif_specification_type import ReqIFSpecificationType
    from reqif.models.reqif_types import SpecObjectAttributeType as Kind

    definitions = [
        _definition(Kind.STRING, "foreign-id", "datatype-string", "ReqIF.ForeignID"),
        _definition(Kind.XHTML, "text", "datatype-xhtml", "ReqIF.Text"),
        *(_definition(Kind.ENUMERATION, name, f"datatype-{name}", name) for name in ENUMS),
        _definition(Kind.REAL, "confidence", "datatype-real", "confidence"),
        *(_definition(Kind.XHTML, name, "datatype-xhtml", name) for name in TEXTS),
    ]
    chapter = _definition(Kind.STRING, "chapter-name", "datatype-string", "ReqIF.ChapterName")
    return [
        ReqIFSpecObjectType("type-requirement", None, EPOCH, "Requirement", definitions),
        ReqIFSpecObjectType("type-section", None, EPOCH, "Section", [chapter]),
        ReqIFSpecRelationType("type-duplicate", last_change=EPOCH, long_name="duplicates"),
        ReqIFSpecificationType("type-specification", last_change=EPOCH, long_name="Document"),
    ]


def _definition(kind: object, name: str, datatype: str, long_name: str) -> SpecAttributeDefinition:
    from reqif.models.reqif_spec_object_type import SpecAttributeDefinition

    multi_valued = False if datatype.removeprefix("datatype-") in ENUMS else None
    return SpecAttributeDefinition(
        kind, f"attribute-{name}", datatype, last_change=EPOCH, long_name=long_name, multi_valued=multi_valued
    )


def _requirement(requirement: Requirement) -> ReqIFSpecObject:
    values = [
        _string("foreign-id", requirement.id),
        _xhtml("text", requirement.text),
        _enum("modality", requirement.modality),
        _enum("status", requirement.status),
        _value("REAL", "confidence", f"{requirement.confidence:.2f}"),
    ]
    texts = ((name, COLUMNS[name](requirement)) for name in TEXTS)
    values += [_xhtml(name, text) for name, text in texts if text]
    return _object(f"requirement-{requirement.id}", "type-requirement", values)


def _object(identifier: str, kind: str, values: list[SpecObjectAttribute]) -> ReqIFSpecObject:
    from reqif.models.reqif_spec_object import ReqIFSpecObject

    return ReqIFSpecObject(identifier, values, kind, last_change=EPOCH)


def _relations(requirements: Sequence[Requirement]) -> Iterator[object]:
    from reqif.models.reqif_spec_relation import ReqIFSpecRelation

    known = {requirement.id for requirement in requirements}
    for requirement in requirements:
        if requirement.duplicate_of in known:
            source, target = f"requirement-{requirement.id}", f"requirement-{requirement.duplicate_of}"
            yield ReqIFSpecRelation(f"duplicate-{requirement.id}", "type-duplicate", source, target, last_change=EPOCH)


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
