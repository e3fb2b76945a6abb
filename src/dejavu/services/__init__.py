"""Background processes: the daemon, the wire proxy, the OTLP receiver."""
