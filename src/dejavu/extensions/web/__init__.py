"""Sessions and the archive over HTTP: JSON, events as they happen, and one page (extra `http`).

Served on a Unix socket of the owner's, or on 127.0.0.1 behind a bearer token. It types into
agents, refused as `dejavu send` refuses it, and writes a conversation's star, tags and title. Only
`app` and `server` import the extra's packages.
"""
