"""The types of a ReqIF file: data types, attributes and kinds of objects, the same in every file of ours.

Identifiers and times of definitions stay, so that tools know them again. There is no REAL: some tools refuse it, and a
confidence in percent is a whole number.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from echelon.domains.requirements.types import Modality, Status

if TYPE_CHECKING:
    from reqif.models.reqif_data_type import ReqIFEnumValue
    from reqif.models.reqif_spec_object_type import SpecAttributeDefinition
    from reqif.models.reqif_types import SpecObjectAttributeType

DEFINED = "2026-11-22T00:00:00.000+00:00"
"""When these definitions were last changed: change it with them."""
ENUMS: dict[str, type[Modality] | type[Status]] = {"modality": Modality, "status": Status}
TEXTS = ["key", "source_id", "language", "categories", "document", "pages", "place", "quote", "subject", "action", "object",
         "condition", "deadline", "attributes", "split_from", "conflicts_with", "findings", "review"]  # fmt: skip


def data_types() -> list[object]:
    from reqif.models import reqif_data_type as types

    enums = [
        types.ReqIFDataTypeDefinitionEnumeration(
            f"datatype-{name}",
            last_change=DEFINED,
            long_name=name,
            values=[_enum_value(name, key, member) for key, member in enumerate(values)],
        )
        for name, values in ENUMS.items()
    ]
    string = types.ReqIFDataTypeDefinitionString(
        "datatype-string", last_change=DEFINED, long_name="string", max_length="32000"
    )
    integer = types.ReqIFDataTypeDefinitionInteger(
        "datatype-percent", last_change=DEFINED, long_name="percent", min_value="0", max_value="100"
    )
    xhtml = types.ReqIFDataTypeDefinitionXHTML(
        "datatype-xhtml", last_change=DEFINED, long_name="text", is_self_closed=True
    )
    return [string, integer, xhtml, *enums]


def _enum_value(name: str, key: int, member: Enum) -> ReqIFEnumValue:
    from reqif.models.reqif_data_type import ReqIFEnumValue

    identifier = f"{name}-{member.value}"
    return ReqIFEnumValue(identifier, last_change=DEFINED, long_name=str(member.value), key=str(key), other_content="")


def spec_types() -> list[Any]:
    from reqif.models.reqif_spec_object_type import ReqIFSpecObjectType
    from reqif.models.reqif_spec_relation_type import ReqIFSpecRelationType
    from reqif.models.reqif_specification_type import ReqIFSpecificationType
    from reqif.models.reqif_types import SpecObjectAttributeType as Kind

    definitions = [
        _definition(Kind.STRING, "foreign-id", "datatype-string", "ReqIF.ForeignID"),
        _definition(Kind.XHTML, "text", "datatype-xhtml", "ReqIF.Text"),
        *(_definition(Kind.ENUMERATION, name, f"datatype-{name}", name) for name in ENUMS),
        _definition(Kind.INTEGER, "confidence", "datatype-percent", "confidence"),
        *(_definition(Kind.XHTML, name, "datatype-xhtml", name) for name in TEXTS),
    ]
    chapter = _definition(Kind.STRING, "chapter-name", "datatype-string", "ReqIF.ChapterName")
    return [
        ReqIFSpecObjectType("type-requirement", None, DEFINED, "Requirement", definitions),
        ReqIFSpecObjectType("type-section", None, DEFINED, "Section", [chapter]),
        ReqIFSpecRelationType("type-duplicate", last_change=DEFINED, long_name="duplicates"),
        ReqIFSpecificationType("type-specification", last_change=DEFINED, long_name="Document"),
    ]


def _definition(kind: SpecObjectAttributeType, name: str, datatype: str, long_name: str) -> SpecAttributeDefinition:
    from reqif.models.reqif_spec_object_type import SpecAttributeDefinition

    multi_valued = False if datatype.removeprefix("datatype-") in ENUMS else None
    return SpecAttributeDefinition(
        kind, f"attribute-{name}", datatype, last_change=DEFINED, long_name=long_name, multi_valued=multi_valued
    )
