"""A team's archive on a PostgreSQL server: the store, its rights, retention and legal holds.

`postgres_backend` keeps the contract of `archive.backends.backend`; `sql/` has the schema, one file a
migration step. Needs the extra `teams`.
"""
