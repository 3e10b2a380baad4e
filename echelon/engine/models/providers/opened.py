"""`provider/name` through LangChain: whichever of its integrations is installed, by the name that LangChain gives it."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING

from echelon.engine.models.providers.names import PROVIDERS
from echelon.errors import UserError
from echelon.settings import Environment, ModelSettings

if TYPE_CHECKING:
    from echelon.engine.models.langchain import LangChainModel


def is_installed(package: str) -> bool:
    """Whether a package of LangChain can be imported."""
    return importlib.util.find_spec(package.replace("-", "_")) is not None


def provider_model(provider: str, name: str, settings: ModelSettings, environment: Environment) -> LangChainModel:
    """`name` of a provider. Raises UserError with one sentence where a package, or the key, is missing."""
    from echelon.engine.models.langchain import LangChainModel

    missing = [p for p in ("langchain", PROVIDERS[provider]) if not is_installed(p)]
    if missing:
        raise UserError(
            f"Model '{provider}/{name}' needs {' and '.join(missing)}, which "
            f"{'is' if len(missing) == 1 else 'are'} not installed: pip install {' '.join(missing)}"
        )
    init_chat_model = importlib.import_module("langchain.chat_models").init_chat_model  # an optional package
    more = {"temperature": settings.temperature, "reasoning_effort": settings.reasoning_effort}
    try:
        chat = init_chat_model(
            name, model_provider=provider, max_tokens=settings.max_output_tokens, max_retries=0,
            timeout=settings.timeout, **{k: v for k, v in more.items() if v is not None},
        )  # fmt: skip
    except Exception as error:  # each integration has errors of its own for a missing key
        said = " ".join(str(error).split())[:200]
        raise UserError(f"Model '{provider}/{name}' cannot be opened: {said}") from error
    secrets = [value for key, value in environment.values.items() if key.endswith(("_API_KEY", "_TOKEN")) and value]
    return LangChainModel(f"{provider}/{name}", chat, settings, secrets, longest="max_tokens")
