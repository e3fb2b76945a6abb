"""The fleet and the archive over HTTP: JSON, events as they happen, and one page (extra `http`).

Takes the sessions' files and the archive, both as the commands see them; gives JSON on a Unix
socket of the owner's or on 127.0.0.1 behind a bearer token. Reads the archive and never writes it;
the only act is typing into an agent, refused as `dejavu send` refuses it. Only `app` and `server`
import the extra's packages.
"""
