-- Where pg_trgm is installed, the index by which dejavu_exact finds a substring; run by
-- `dejavu team init`. Partitions have it with their parent.
-- https://www.postgresql.org/docs/current/pgtrgm.html, "Index Support"

do $$
declare place name;
begin
  select n.nspname into place from pg_extension e join pg_namespace n on n.oid = e.extnamespace
   where e.extname = 'pg_trgm';
  if place is not null then
    execute format('create index if not exists dejavu_parts_trigrams on dejavu_parts
                    using gin (dejavu_said(name, call, content) %I.gin_trgm_ops)
                    where not hidden', place);
  end if;
end $$;
