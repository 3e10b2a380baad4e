"""Documents in languages that are not read: nothing is found, and the result says why; those that look alike are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from echelon.domains.documents.language import foreign_language
from echelon.domains.documents.reading import read_document
from echelon.domains.requirements import extract_requirements
from echelon.domains.requirements.coverage import examine

TEXTS = {
    "French": """# Règles du port

1.1 Le capitaine du port doit fermer la porte du nord à neuf heures du soir, et il ne peut pas la rouvrir avant le départ.

1.2 Les bateaux qui entrent dans le port doivent porter une lampe sur le mât. Cette lampe est visible par tous.

1.3 Il est interdit de pêcher depuis la jetée pendant que le bac accoste (voir SHALL et MUST dans la norme).
""",
    "Spanish": """# Reglas del puerto

1.1 El capitán del puerto debe cerrar la puerta del norte a las nueve de la noche y no puede abrirla antes de la salida.

1.2 Los barcos que entran en el puerto deben llevar una lámpara en el mástil. Esta lámpara es visible para todos.

1.3 No se permite pescar desde el muelle mientras llega el transbordador, como se dice en la norma.
""",
    "Dutch": """# Regels van de haven

1.1 De havenmeester moet de noordelijke poort om negen uur sluiten en mag die niet openen voor het vertrek van de boot.

1.2 Schepen die de haven binnenkomen moeten een lamp in de mast dragen. De lamp is voor iedereen te zien.

1.3 Het is niet toegestaan om van de pier te vissen als de veerboot aankomt, of deze vertrekt.
""",
    "a script other than Latin": """# Правила порта

1.1 Начальник порта должен закрывать северные ворота в девять часов вечера и не может открывать их до отхода парома.

1.2 Лодки, входящие в порт, должны нести лампу на мачте. Эта лампа видна всем. Рыбалка с пирса запрещена.
""",
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_document_in_another_language_gives_nothing_and_says_so(tmp_path: Path, name: str) -> None:
    (tmp_path / "x.md").write_text(TEXTS[name], encoding="utf-8")
    document = read_document(tmp_path / "x.md")
    assert extract_requirements(document) == []
    looked = examine(document)
    assert looked.coverage.language == name
    assert any(name in warning for warning in looked.warnings())


def test_a_chapter_in_another_language_leaves_the_others_readable(tmp_path: Path) -> None:
    english = "\n\n".join(
        f"2.{n} The port shall keep gate {n} closed while the ferry is at the pier." for n in range(30)
    )
    (tmp_path / "x.md").write_text(f"# Port\n\n{english}\n\n{TEXTS['French']}", encoding="utf-8")
    assert len(extract_requirements(read_document(tmp_path / "x.md"))) >= 30


@pytest.mark.parametrize(
    "text",
    [
        "Berth one is kept free of ice. " * 8,
        "No boat of a kind is free of rust. Do note it, or go. " * 4,
        "Die Halle ist in der Nacht zu. Es war so, und es ist in Ordnung. " * 4,
    ],
)
def test_words_that_languages_share_are_no_sign_of_another_one(text: str) -> None:
    assert foreign_language(text) is None
