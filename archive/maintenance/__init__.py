"""Keeping an archive healthy: verify, backup, restore, prune, gc, format migrations."""
