"""The one background process of a user: takes what hooks were told, and archives it.

Takes envelopes from the spool (`surfaces.hooks.capture` writes them) and from one socket of mode
0600; gives turns in the archive and what the hooks say of running sessions. At a second socket it
answers prompts (`desk`). At most one runs, by a lock; it starts when a hook needs it and leaves
when nobody does. It listens on no network.
"""
