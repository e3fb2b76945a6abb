"""Wrapped sessions that run now: start, observe, list, watch, type into."""
