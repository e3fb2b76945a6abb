"""Every way into the archive: session files, streams, hooks, OTLP, wire and screen."""
