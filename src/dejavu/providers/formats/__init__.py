"""Formats that agents share: JSON lines, content blocks, streams, hooks, OTLP, wire dialects."""
