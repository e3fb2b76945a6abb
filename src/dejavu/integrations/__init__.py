"""Registration in agents' configurations: hooks and the MCP server, put in and taken out again.

Takes the user's home; edits the files where each agent keeps such things, so that only our entries
differ and everything else keeps its bytes. Every edit is shown before it is made, kept with what
was there before, and undone byte for byte if nobody touched the file since. Never edits a file it
cannot read.
"""
