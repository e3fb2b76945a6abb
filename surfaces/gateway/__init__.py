"""Two loopback servers: the proxy of `dejavu wire` and the receiver of `dejavu otlp`.

Takes what an agent sends to its model, or as telemetry; passes on or answers, and commits a copy
to the archive. Listens on 127.0.0.1 for the user who started it, and keeps no key. Import its
modules: those that speak HTTP need h11.
"""

__all__: list[str] = []
