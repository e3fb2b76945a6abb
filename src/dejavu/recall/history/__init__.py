"""Ranked retrieval over past conversations."""
