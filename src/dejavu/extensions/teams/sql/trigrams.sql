-- Where pg_trgm is installed, the index by which dejavu_exact finds a substring; run by
-- `dejavu team init`. New partitions have it with their parent; those that are there get theirs without a lock
-- (`postgres_indexes.py`).
-- https://www.postgresql.org/docs/current/pgtrgm.html, "Index Support"

do $$
declare place name;
begin
  select n.nspname into place from pg_extension e join pg_namespace n on n.oid = e.extnamespace
   where e.extname = 'pg_trgm';
  if place is not null then
    execute format('create index if not exists dejavu_parts_trigrams on %s dejavu_parts
                    using gin (dejavu_said(name, call, content) %I.gin_trgm_ops)
                    where not hidden', case when exists (select from pg_inherits
                      where inhparent = 'dejavu_parts'::regclass) then 'only' else '' end, place);
  end if;
end $$;
