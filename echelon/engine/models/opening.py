"""How a name becomes a model.

A name is `scheme/rest` or, the same, `scheme:rest`: `openai/<name>`, `playbook/<job type>`, `replay:<job>`,
`chaos/<fault>=<rate>,...,seed=<n>/<name of the model that is broken>`; with LangChain's integration of it installed also
`<provider>/<name>`. Names with "|" between them are a chain: the next one stands in where one has no answer.
"""

from __future__ import annotations

from echelon.engine.models.chain import BETWEEN, Chain, names_in
from echelon.engine.models.model import Factory, Model
from echelon.engine.models.providers.names import PROVIDERS
from echelon.engine.models.providers.opened import provider_model
from echelon.errors import UnknownName
from echelon.settings import Environment, ModelSettings


def _openai(name: str, settings: ModelSettings, environment: Environment) -> Model:
    from echelon.engine.models.langchain import openai_model

    return openai_model(name, settings, environment)


def _replay(job: str, settings: ModelSettings, environment: Environment) -> Model:
    from echelon.engine.models.replay import replay_model

    return replay_model(job, settings, environment, open_model)


def _chaos(rest: str, settings: ModelSettings, environment: Environment) -> Model:
    from echelon.engine.models.chaos import chaos_model

    return chaos_model(rest, settings, environment, open_model)


_FACTORIES: dict[str, Factory] = {"openai": _openai, "replay": _replay, "chaos": _chaos}
_FORMS = {"openai": "openai/<name>", "replay": "replay:<job>", "chaos": "chaos/<fault>=<rate>,.../<model>"}
"""How to write the names that need more than their scheme."""


def register_model(scheme: str, factory: Factory) -> None:
    """Make `scheme` or `scheme/<name>` a model name; `factory` gets what follows the slash (or '')."""
    _FACTORIES[scheme] = factory


def open_model(spec: str, settings: ModelSettings, environment: Environment) -> Model:
    """The model that `spec` names. Raises UserError for a name that is not known."""
    if len(names := names_in(spec)) > 1:
        return Chain([open_model(name, settings, environment) for name in names])
    scheme, rest = _split(spec)
    if scheme in PROVIDERS and scheme not in _FACTORIES and rest:
        return provider_model(scheme, rest, settings, environment)
    if scheme not in _FACTORIES or (scheme in _FORMS and not rest):
        raise UnknownName("model", spec, sorted(_FORMS.get(s, s) for s in _FACTORIES))
    return _FACTORIES[scheme](rest, settings, environment)


def with_playbook(spec: str, playbook: str) -> str:
    """`spec` with the playbook of the job type filled in where it says just `playbook`, also inside a chaos name."""
    if len(names := names_in(spec)) > 1:
        return f" {BETWEEN} ".join(with_playbook(name, playbook) for name in names)
    head, slash, last = spec.rpartition("/")
    bare = last == "playbook" and (not head or head.startswith("chaos"))
    return f"{head}{slash}playbook/{playbook}" if bare else spec


def _split(spec: str) -> tuple[str, str]:
    """At the first of ':' and '/'."""
    place = min((p for p in (spec.find(":"), spec.find("/")) if p >= 0), default=len(spec))
    return spec[:place], spec[place + 1 :]
