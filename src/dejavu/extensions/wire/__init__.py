"""Next to an agent, on loopback: the wire's proxy, telemetry's receiver, a server's follower.

Forwards what an agent sends to its model (`dejavu wire`), answers its telemetry (`dejavu otlp`),
reads its own server's events (`dejavu import - --from`), and commits a copy to the archive. Listens
on 127.0.0.1 for the user who started it, and keeps no key. Import its modules: those that speak
HTTP as a server need h11.
"""

__all__: list[str] = []
