"""Optional products around the core, one folder each.

| folder | what it adds |
|---|---|
| `acp` | the Agent Client Protocol for wrapped agents, and a tap between an editor and an agent |
| `code` | from conversations to code: the index of edits, blame, fix, how, files, recover, handoff |
| `otlp` | a receiver for agents' OpenTelemetry exports |
| `panes` | agents in panes of tmux, zellij, kitty, WezTerm and GNU screen that run without the wrapper |
| `teams` | a team's archive on PostgreSQL: rights, retention, legal holds |
| `testing` | the pytest plugin for terminal programs; its public name is `dejavu.testing` |
| `web` | the HTTP API and the page |
| `wire` | a proxy that records an agent's requests to its model |

An extension may import the core. The core imports no extension (import-linter holds this); it
asks `config.extensions` for what they add.
"""
