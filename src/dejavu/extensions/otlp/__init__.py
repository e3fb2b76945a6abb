"""The OTLP receiver: telemetry that agents export to a port of 127.0.0.1."""
