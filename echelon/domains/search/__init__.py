"""Search over workspaces, the web, and short texts such as descriptions of tools."""
