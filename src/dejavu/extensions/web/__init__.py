"""Sessions and the archive over HTTP: JSON, events as they happen, and one page (extra `http`).

Served on a Unix socket of the owner's, or on 127.0.0.1 behind a bearer token. The archive is read
and never written; the only act is typing into an agent, refused as `dejavu send` refuses it. Only
`app` and `server` import the extra's packages.
"""
