"""`python -m echelon`: the `echelon` command."""

from __future__ import annotations

from echelon.faces.cli.main import cli

if __name__ == "__main__":
    cli()
