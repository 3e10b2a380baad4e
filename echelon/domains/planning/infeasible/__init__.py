"""Why a project cannot be scheduled, and what would make it possible."""
