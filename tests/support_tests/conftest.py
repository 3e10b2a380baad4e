from tests.support.postgres import postgres_url  # noqa: F401
