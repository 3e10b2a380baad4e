"""Facts of a Python file, by `ast`; by patterns where it is no Python that this interpreter can read."""

from __future__ import annotations

import ast
import re
import warnings

from echelon.domains.code.map.facts import FileFacts, Symbol, SymbolKind
from echelon.domains.code.map.words import NAME, count_terms, terms

LONGEST_STRING = 400
_DEFINITION = re.compile(r"^[ \t]*(?:async[ \t]+)?(def|class)[ \t]+(\w+)", re.M)
_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+([\w.]+)", re.M)
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def parse(source: str) -> ast.Module:
    """The syntax tree, without warnings about the code that is read. Raises SyntaxError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (ValueError, RecursionError, MemoryError) as error:
            raise SyntaxError(str(error)) from error


def read_python(source: str) -> FileFacts:
    """Facts of the file; `parsed` is False when the syntax is not valid for this interpreter."""
    try:
        tree = parse(source)
    except SyntaxError:
        return _by_patterns(source)
    return _Reader(source, tree).facts


class _Reader:
    """One walk over the tree; names of a line are split once, however many definitions it lies in."""

    def __init__(self, source: str, tree: ast.Module) -> None:
        self._lines = [NAME.findall(line) for line in source.splitlines()]
        self._texts = source.splitlines()
        self._docs: set[int] = set()
        self.facts = FileFacts(terms=count_terms(name for line in self._lines for name in line))
        self._strings: list[str] = []
        self._visit(tree, "")
        for name in self._strings:
            for term, count in terms(name).items():
                self.facts.strings[term] = self.facts.strings.get(term, 0) + count

    def _visit(self, node: ast.AST, within: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, _DEFINITIONS):
                self._define(child, within)
                self._visit(child, f"{within}{child.name}.")
            else:
                self._note(child)
                self._visit(child, within)

    def _define(self, node: _Definition, within: str) -> None:
        doc = node.body[0] if node.body else None
        if isinstance(doc, ast.Expr) and isinstance(doc.value, ast.Constant):
            self._docs.add(id(doc.value))
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        last = node.end_lineno or node.lineno
        is_class = isinstance(node, ast.ClassDef)
        kind = SymbolKind.CLASS if is_class else SymbolKind.FUNCTION
        signature = self._texts[node.lineno - 1].strip() if node.lineno <= len(self._texts) else ""
        self.facts.symbols.append(Symbol(within + node.name, kind, first, last, signature[:160]))
        self.facts.bodies.append(
            terms(f"{node.name} {ast.get_docstring(node) or ''}")
            if is_class
            else count_terms(name for line in self._lines[node.lineno - 1 : last] for name in line)
        )
        self.facts.defines.append(node.name)

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            self.facts.defines += [t.id for t in node.targets if isinstance(t, ast.Name) and len(t.id) > 3]
        elif isinstance(node, ast.Import):
            self.facts.imports += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            joined = base if not node.module else base + "."
            self.facts.imports += [base, *(joined + alias.name for alias in node.names)]
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in self._docs
            and 3 < len(node.value) < LONGEST_STRING
        ):
            self._strings.append(node.value)


def _by_patterns(source: str) -> FileFacts:
    facts = FileFacts(terms=terms(source), parsed=False)
    lines = source.splitlines()
    found = [(source.count("\n", 0, m.start(2)) + 1, m[1], m[2]) for m in _DEFINITION.finditer(source)]
    for at, (line, kind, name) in enumerate(found):
        last = found[at + 1][0] - 1 if at + 1 < len(found) else len(lines)
        is_class = kind == "class"
        facts.symbols.append(
            Symbol(
                name,
                SymbolKind.CLASS if is_class else SymbolKind.FUNCTION,
                line,
                max(line, last),
                lines[line - 1].strip()[:160],
            )
        )
        facts.bodies.append(terms("\n".join(lines[line - 1 : last])))
        facts.defines.append(name)
    facts.imports = sorted({match[1] for match in _IMPORT.finditer(source)})
    return facts
