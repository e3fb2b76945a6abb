"""Qwen Code: everything that is known of this agent but its screen."""
