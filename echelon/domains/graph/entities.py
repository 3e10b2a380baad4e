"""Business objects, messages and systems: which of them a text names, and which ones a set of requirements is about."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from pydantic import Field

from echelon.domains.graph.keys import entity_key
from echelon.domains.graph.stores.port import ENTITY_LABELS, GraphStore, Label, Value
from echelon.domains.likeness.words import DETERMINERS, folded_words, word_set
from echelon.domains.requirements.types import Requirement

SYSTEM_NOUNS = word_set(
    """application app component database device gateway interface module network platform portal repository server
    service software subsystem system website anwendung datenbank dienst gerät komponente modul netz plattform portal
    schnittstelle server software system"""
)
"""Head nouns of things that do work."""
MESSAGE_NOUNS = word_set(
    """acknowledgement alert email message notice notification reply request response benachrichtigung hinweis meldung
    nachricht anfrage antwort"""
)
"""Head nouns of things that are sent."""
NOT_OBJECTS = word_set(
    """it they he she them him one what which following case way part use time thing something anything nothing action
    out up down off more less other others following same both
    es sie er ihn ihm dies folgende fall weise teil ding etwas nichts"""
)
"""Words that stand for a thing without naming one."""
IMPERATIVES = word_set("check confirm ensure limit provide use verify prüfe verwende")
"""Words that open a demand and belong to no name."""
VERB_ENDINGS = ("ed", "ify", "ifies", "ize", "izes", "ise", "ises")
"""Endings of heads that are verbs: "files obtained" names no kind of thing."""
MAX_WORDS = 4
_GLUE = word_set("of for in on to with from by and or von für in auf zu mit aus durch und oder")


class Entity(Value):
    """A business object, message or system that the graph knows or should know."""

    label: Label = Field(description="BusinessObject, Message or System")
    name: str = Field(min_length=1)
    description: str | None = None
    aliases: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = Field(default=(), description="what it does, a sentence each")

    @property
    def key(self) -> str:
        """See `entity_key`."""
        return entity_key(self.name)


class EntityIndex:
    """Finds the entities that a text names: whole words, any letter case, singular or plural, longest name first."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self.entities: dict[tuple[Label, str], Entity] = {}
        self._names: dict[str, list[tuple[tuple[str, ...], tuple[Label, str]]]] = defaultdict(list)
        for entity in sorted(entities, key=lambda entity: (entity.label, entity.key)):
            if not entity.key or (entity.label, entity.key) in self.entities:
                continue
            self.entities[entity.label, entity.key] = entity
            for name in (entity.name, *entity.aliases):
                words = folded_words(name, without=DETERMINERS)
                if words:
                    self._names[words[0]].append((words, (entity.label, entity.key)))
        for names in self._names.values():
            names.sort(key=lambda name: (-len(name[0]), name))

    def mentions(self, text: str) -> list[Entity]:
        """The entities that `text` names, in the order in which it first names them."""
        words = folded_words(text)
        found: dict[tuple[Label, str], None] = {}
        position = 0
        while position < len(words):
            longest = 1
            for name, identity in self._names.get(words[position], ()):
                if len(name) >= longest and words[position : position + len(name)] == name:
                    longest = len(name)
                    found[identity] = None
            position += longest
        return [self.entities[identity] for identity in found]


def known_entities(store: GraphStore) -> list[Entity]:
    """All entities in the graph, by label and key."""
    entities: list[Entity] = []
    for label in ENTITY_LABELS:
        rows = store.read(
            f"MATCH (n:{label}) RETURN n.name AS name, n.description AS description, n.aliases AS aliases, "
            "n.capabilities AS capabilities ORDER BY n.key"
        ).rows
        entities += [
            Entity(
                label=label,
                name=row["name"],
                description=row["description"],
                aliases=tuple(row["aliases"] or ()),
                capabilities=tuple(row["capabilities"] or ()),
            )
            for row in rows
            if row["name"]
        ]
    return entities


def discover_entities(requirements: Sequence[Requirement], *, at_least: int = 2) -> list[Entity]:
    """Entities that the requirements' own subjects and objects name, each in `at_least` requirements or more.

    A subject counts when its head noun is that of a system or message (a person is none of the three kinds); an object
    counts as what its head noun says, otherwise as a business object.
    """
    counts: Counter[tuple[Label, str]] = Counter()
    names: dict[tuple[Label, str], str] = {}
    for requirement in requirements:
        here: dict[tuple[Label, str], str] = {}
        for phrase, is_object in ((requirement.subject, False), (requirement.object, True)):
            words = _noun_phrase(phrase)
            label = _label_of(words[-1], is_object) if words else None
            if label is not None:
                here[label, entity_key(" ".join(words))] = " ".join(words)
        counts.update(here.keys())
        for identity, name in here.items():
            names.setdefault(identity, name)
    frequent = sorted(identity for identity, count in counts.items() if count >= at_least and identity[1])
    return [Entity(label=label, name=names[label, key]) for label, key in frequent]


def _noun_phrase(phrase: str | None) -> list[str]:
    """The words before the first preposition or comma, without determiners; empty when they name nothing."""
    words: list[str] = []
    for word in (phrase or "").replace(",", " , ").split():
        bare = word.strip(".;:()[]\"'„“”‚‘’").casefold()
        if bare == "," or bare in _GLUE:
            break
        if bare and bare not in DETERMINERS:
            words.append(bare)
    while words and words[0] in IMPERATIVES:
        del words[0]
    if not 0 < len(words) <= MAX_WORDS or words[-1] in NOT_OBJECTS or words[-1].endswith(VERB_ENDINGS):
        return []
    return words if words[-1].replace("-", "").isalpha() and len(words[-1]) > 2 else []


def _label_of(head: str, is_object: bool) -> Label | None:
    """What kind of entity a head noun names. German compounds end in their head: `archivsystem` is a system."""
    noun = folded_words(head)[-1]
    if noun in MESSAGE_NOUNS or noun.endswith(("nachricht", "meldung", "benachrichtigung")):
        return Label.MESSAGE
    if noun in SYSTEM_NOUNS or noun.endswith(("system", "anwendung", "datenbank", "dienst", "schnittstelle")):
        return Label.SYSTEM
    return Label.BUSINESS_OBJECT if is_object else None
