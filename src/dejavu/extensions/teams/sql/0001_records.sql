-- The store itself: keys and values, and the number of each session's last commit.
-- The values are compressed already: the server need not try (external).
create table if not exists dejavu_records (key bytea primary key, value bytea not null);
alter table dejavu_records alter column value set storage external;
create table if not exists dejavu_commits (
  session uuid primary key, number bigint not null, at timestamptz not null default now()
);
