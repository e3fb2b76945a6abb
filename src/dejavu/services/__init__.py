"""What runs beside a command: daemon, wire proxy, OTLP receiver, guard; secrets, erasing."""
