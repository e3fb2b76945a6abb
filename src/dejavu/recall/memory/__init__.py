"""Curated memories: remember, recall, confirm, reject, forget."""
