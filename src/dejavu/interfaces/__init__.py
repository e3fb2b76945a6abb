"""What people and programs touch: the commands, and the only place where the parts are joined.

Holds `dejavu-run` (`run`), `dejavu` (`cli`), the observer of every wrapped agent, and what
they share. Nothing is imported here: `dejavu-run` and the hooks must
start fast, so each entry point imports what it needs when it needs it.
"""
