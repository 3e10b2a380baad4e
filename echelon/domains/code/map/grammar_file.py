"""Facts of files in other languages, by the grammar wheels of tree-sitter; by words alone where a wheel is missing."""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING

from echelon.domains.code.map.facts import FileFacts, Symbol, SymbolKind
from echelon.domains.code.map.words import NAME, count_terms, terms

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_MODULES = {
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "java": ("tree_sitter_java", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
}
_FUNCTIONS = frozenset(
    [
        "function_declaration",
        "generator_function_declaration",
        "method_definition",
        "method_declaration",
        "constructor_declaration",
        "function_item",
        "function_definition",
    ]
)
_CLASSES = frozenset(["class_declaration", "abstract_class_declaration", "class_specifier", "impl_item", "trait_item"])
_TYPES = frozenset(
    [
        "interface_declaration",
        "type_alias_declaration",
        "enum_declaration",
        "type_spec",
        "struct_item",
        "enum_item",
        "struct_specifier",
        "enum_specifier",
        "union_specifier",
        "record_declaration",
        "annotation_type_declaration",
        "mod_item",
        "namespace_definition",
        "type_definition",
    ]
)
_IMPORTS = frozenset(["import_statement", "import_declaration", "import_spec", "use_declaration", "preproc_include"])
_STRINGS = frozenset(
    ["string", "string_literal", "interpreted_string_literal", "raw_string_literal", "template_string"]
)
_ARROWS = frozenset(["arrow_function", "function_expression", "function", "generator_function"])


def read_by_grammar(source: str, language: str) -> FileFacts:
    """Facts of the file. Without the wheel of its grammar only words are known, and `parsed` is False."""
    parser = _parser(language)
    if parser is None:
        return FileFacts(terms=terms(source), parsed=False)
    data = source.encode("utf-8", "replace")
    tree = parser.parse(data)
    return _Reader(source, tree.root_node).facts


@functools.cache
def _parser(language: str) -> Parser | None:
    module, function = _MODULES[language]
    try:
        from tree_sitter import Language, Parser

        grammar = importlib.import_module(module)
    except ImportError:
        return None
    pointer: object = getattr(grammar, function)()
    return Parser(Language(pointer))


class _Reader:
    """A walk with a stack of its own: trees of generated code are deeper than Python's."""

    def __init__(self, source: str, root: Node) -> None:
        self._texts = source.splitlines()
        self._lines = [NAME.findall(line) for line in self._texts]
        self.facts = FileFacts(terms=count_terms(name for line in self._lines for name in line))
        self.facts.parsed = not root.has_error
        stack: list[tuple[Node, str]] = [(root, "")]
        strings: list[str] = []
        while stack:
            node, within = stack.pop()
            inner = self._define(node, within)
            if node.type in _IMPORTS:
                self.facts.imports.append(_text(node).strip()[:200])
            elif node.type in _STRINGS and 5 < node.end_byte - node.start_byte < 400:
                strings.append(_text(node))
                continue
            stack.extend((child, inner) for child in reversed(node.children))
        self.facts.strings = terms(" ".join(strings))

    def _define(self, node: Node, within: str) -> str:
        """Note the definition that `node` is; the prefix for what lies within."""
        kind, name = _definition(node)
        if kind is None or not name:
            return within
        first, last = node.start_point[0] + 1, node.end_point[0] + 1
        self.facts.symbols.append(Symbol(within + name, kind, first, last, self._texts[first - 1].strip()[:160]))
        names = [name] if kind is SymbolKind.CLASS else [n for line in self._lines[first - 1 : last] for n in line]
        self.facts.bodies.append(count_terms(names))
        self.facts.defines.append(name)
        return f"{within}{name}."


def _definition(node: Node) -> tuple[SymbolKind | None, str]:
    if node.type in _FUNCTIONS:
        return SymbolKind.FUNCTION, _name(node)
    if node.type in _CLASSES:
        return SymbolKind.CLASS, _name(node)
    if node.type in _TYPES:
        has_body = node.child_by_field_name("body") is not None or not node.type.endswith("_specifier")
        return (SymbolKind.TYPE, _name(node)) if has_body else (None, "")
    if node.type == "variable_declarator":
        value = node.child_by_field_name("value")
        if value is not None and value.type in _ARROWS:
            return SymbolKind.FUNCTION, _name(node)
    return None, ""


def _name(node: Node) -> str:
    """The name field; of C declarators the innermost one; of an `impl` its type."""
    found = (
        node.child_by_field_name("name") or node.child_by_field_name("declarator") or node.child_by_field_name("type")
    )
    while found is not None and (deeper := found.child_by_field_name("declarator")) is not None:
        found = deeper
    text = _text(found) if found is not None else ""
    return text.replace("::", ".").strip()[:120]


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def first_error(source: str, language: str) -> int | None:
    """The line (from 1) of the first syntax error; None when there is none or the grammar is missing."""
    parser = _parser(language)
    if parser is None:
        return None
    node = parser.parse(source.encode("utf-8", "replace")).root_node
    if not node.has_error:
        return None
    while not (node.is_error or node.is_missing):
        deeper = next((child for child in node.children if child.has_error or child.is_missing), None)
        if deeper is None:
            break
        node = deeper
    return int(node.start_point[0]) + 1
