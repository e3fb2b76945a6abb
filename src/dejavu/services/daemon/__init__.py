"""The one background process of a user: takes what hooks were told, and archives it.

Reads envelopes from the spool (`dejavu hook capture` writes them) and from one socket of mode 0600,
and writes turns into the archive and the state of running sessions. At a second socket it answers
prompts (`prompt_server`). At most one runs, by a lock; it starts when a hook needs it and leaves
when none does. It listens on no network.
"""
