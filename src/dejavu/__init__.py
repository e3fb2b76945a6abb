"""Déjà Vu: see past agent conversations again, whichever agent held them.

The way of the data, one package a step (each `__init__` says what it takes and gives):

- `capsule`   runs an agent in a PTY, unchanged, and hands out what passed.
- `screen`    turns terminal bytes into what a person saw.
- `scrapers`  read status and turns from a screen, by dated rules.
- `providers` read the same turns from an agent's own traces.
- `record`    the words everyone speaks: conversation, turn, part, vector, usage, errors.
- `archive`   keeps records and the agents' raw bytes, and finds them again.
- `recall`    memories, ranked history, the block put before the next prompt.
- `surfaces`  CLI, TUI, MCP, HTML, hooks: the only place where parts are joined.

Imports point down only. Nothing is imported here, so `import dejavu` costs nothing.
"""
