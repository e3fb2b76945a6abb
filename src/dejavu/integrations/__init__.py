"""Registration in agents' configurations: hooks and the MCP server, put in and taken out again.

Interprets what the agents' folders say (`dejavu.providers.integration`) and names no agent. Only our
entries differ, everything else in a file keeps its bytes. Every edit is shown before it is made,
kept with what was there before, and undone byte for byte if the file was not touched since. Never
edits a file it cannot read.
"""
