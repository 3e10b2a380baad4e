"""Tools of MCP servers as tools of roles: what is configured, what was approved, and the one attempt at calling one."""
