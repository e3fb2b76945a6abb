"""What runs next to a command: daemon, wire proxy, OTLP receiver, guard; secrets, erasing."""
