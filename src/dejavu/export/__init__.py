"""Conversations as text, markdown, HTML, OpenTelemetry traces, figures and films.

One module or folder a form, and nothing imported here: text must not pay for markdown's parser.
Nothing prints; only `stats` reads the archive.
"""
