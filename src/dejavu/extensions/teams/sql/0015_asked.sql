-- What people ask in SQL: whether a call failed, how an answer ended, what tokens cost; moments that prune
-- partitions; and what was done to the archive, in the audit. Adds only: programs of schema 7 to 14 read and write
-- as before, and leave the new columns empty.

alter table dejavu_parts add column if not exists is_error boolean;
comment on column dejavu_parts.is_error is 'Whether a tool''s result says that it failed; null where it is no result, or where an older program wrote it.';
alter table dejavu_turns add column if not exists meta jsonb;
comment on column dejavu_turns.meta is 'Small facts of the agent, such as stop_reason; null where there are none, or where an older program wrote it.';

-- The planner keeps no samples of what only some may read.
alter table dejavu_turns alter column meta set statistics 0;
alter table dejavu_conversations alter column project set statistics 0;

create table if not exists dejavu_prices (
  model text not null,
  since date not null,
  input float8 not null,
  output float8 not null,
  cache_read float8,
  cache_write float8,
  cache_write_1h float8,
  primary key (model, since)
);
comment on table dejavu_prices is 'The vendors'' list prices, in US dollars per million tokens. Written again by every upgrade and init.';

-- A model as prices name it: without a route, a date, a variant.
create or replace function dejavu_model_name(model text) returns text
language sql immutable parallel safe as $$
  select case when name like 'claude-%' then replace(name, '.', '-') else name end
    from (select regexp_replace(regexp_replace(lower(model), '^(.*/|([a-z]+\.)?anthropic\.)|\[[^]]*\]$', '', 'g'),
                 '(-v\d+(:\d+)?|:[a-z]+|-latest|[-@]20\d{2}-?\d{2}-?\d{2})$', '') as name) n
$$;

-- In a month's own table every known moment is of that month, so that a question for a time reads no other.
create or replace function dejavu_month_check(child regclass, first date) returns void
language plpgsql set search_path from current as $$
begin
  if first in ('2000-01-01', '2100-01-01')
     or exists (select from pg_constraint where conrelid = child and conname = 'dejavu_month') then
    return;
  end if;
  execute format('alter table %s add constraint dejavu_month check (at >= %L and at < %L)', child,
                 first || ' 00:00:00+00', (first + interval '1 month')::date || ' 00:00:00+00');
end $$;
revoke execute on function dejavu_month_check(regclass, date) from public;

create or replace function dejavu_partition(month date) returns void
language plpgsql security definer set search_path from current as $$
declare
  parent text;
  child text;
  first date := date_trunc('month', month)::date;
begin
  if dejavu_rank(session_user, null) < 2 then
    raise exception '% may not make partitions', session_user
      using errcode = 'insufficient_privilege';
  end if;
  if first not between '2000-01-01' and '2100-01-01' then
    raise exception 'no partition for %', first using errcode = 'check_violation';
  end if;
  foreach parent in array array['dejavu_turns', 'dejavu_parts'] loop
    child := parent || to_char(first, '_YYYY_MM');
    if to_regclass(child) is null
       and (select relkind from pg_class where oid = to_regclass(parent)) = 'p' then
      execute format('create table %I (like %I including defaults including constraints)',
                     child, parent);
      if parent = 'dejavu_turns' then
        perform dejavu_month_check(child::regclass, first);
        execute format('alter table %I alter column meta set statistics 0', child);
      else
        execute format('alter table %I alter column content set statistics 0, '
          'alter column name set statistics 0, alter column call set statistics 0', child);
      end if;
      execute format('alter table %I attach partition %I for values from (%L) to (%L)',
                     parent, child, first, (first + interval '1 month')::date);
    end if;
  end loop;
end $$;
select dejavu_month_check(i.inhrelid::regclass, to_date(right(c.relname, 7), 'YYYY_MM'))
  from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'dejavu_turns'::regclass;

-- What a program did to the archive as a whole. The audit says that this login told it so.
create or replace function dejavu_note_work(action text, object text, detail jsonb) returns void
language plpgsql security definer set search_path from current as $$
begin
  if dejavu_rank(session_user, null) < 2 or action not in ('restore', 'repair', 'migrate', 'redact', 'mask secrets') then
    raise exception '% may not note %', session_user, action using errcode = 'insufficient_privilege';
  end if;
  insert into dejavu_audit (role, action, object, detail)
    values (coalesce(nullif(current_setting('role'), 'none'), session_user), action, left(object, 1000), detail);
end $$;

-- Whatever replaces all records says so itself: a restore, a repair, or a hand.
create or replace function dejavu_audit_replaced() returns trigger
language plpgsql security definer set search_path from current as $$
begin
  insert into dejavu_audit (role, action, object, detail)
    select coalesce(nullif(current_setting('role'), 'none'), session_user), 'replace all records', tg_table_name,
           jsonb_build_object('conversations', (select count(*) from dejavu_conversations))
     where exists (select from dejavu_records);
  return null;
end $$;
revoke execute on function dejavu_audit_replaced() from public;
drop trigger if exists dejavu_audit_replaced on dejavu_records;
create trigger dejavu_audit_replaced before truncate on dejavu_records
  for each statement execute function dejavu_audit_replaced();
