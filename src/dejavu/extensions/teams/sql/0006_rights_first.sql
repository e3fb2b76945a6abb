-- No pattern of a caller reaches a row before its rights: not by errors, not by an index that private
-- text shares, not by the planner's order. Runs with the keeper's first command.

-- hidden: the workspace of the part is private. The text indexes leave such parts out, so what an
-- index costs says nothing about them; they are found by their workspace.
alter table dejavu_parts add column if not exists hidden boolean not null default false;
create index if not exists dejavu_parts_workspace on dejavu_parts (workspace);
do $$
begin
  if exists (select from pg_index where indexrelid = to_regclass('dejavu_parts_words')
              and indpred is null) then
    drop index dejavu_parts_words;
  end if;
  if exists (select from pg_index where indexrelid = to_regclass('dejavu_parts_trigrams')
              and indpred is null) then
    drop index dejavu_parts_trigrams;  -- `trigrams.sql` makes the new one
  end if;
end $$;
update dejavu_parts p set hidden = true from dejavu_workspaces w
 where w.id = p.workspace and w.private and not p.hidden;
create index if not exists dejavu_parts_words on dejavu_parts using gin (dejavu_words(content))
 where not hidden;

-- The planner's statistics of text are shown to every member by EXPLAIN: none are taken from here on.
alter table dejavu_parts alter column content set statistics 0, alter column name set statistics 0,
  alter column call set statistics 0;
alter table dejavu_conversations alter column title set statistics 0,
  alter column prompt set statistics 0, alter column native_id set statistics 0;
alter table dejavu_workspaces alter column name set statistics 0;
alter table dejavu_sources alter column name set statistics 0;

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
      if parent = 'dejavu_parts' then
        execute format('alter table %I alter column content set statistics 0, '
          'alter column name set statistics 0, alter column call set statistics 0', child);
      end if;
      execute format('alter table %I attach partition %I for values from (%L) to (%L)',
                     parent, child, first, (first + interval '1 month')::date);
    end if;
  end loop;
end $$;

-- 1 reader, 2 writer, 3 curator, 4 owner, 0 nothing. place is a workspace; 0: of every workspace
-- that is not private; null: the highest anywhere. Asked about another member it answers 0.
create or replace function dejavu_rank(who name, place int) returns int
language sql stable security definer set search_path from current as $$
  select case when dejavu_is_owner(who) then 4
    when not pg_has_role(session_user, who, 'MEMBER') then 0 else coalesce((
    select max(m.rank) from dejavu_members m join pg_roles r on r.rolname = m.role
     where pg_has_role(who, r.oid, 'MEMBER')
       and (m.workspace = place or place is null or m.workspace is null and not coalesce(
         (select w.private from dejavu_workspaces w where w.id = place), false))), 0) end
$$;

-- The workspaces that a member may read: one query over their rights, whatever the number of
-- workspaces. None where another member is asked about.
create or replace function dejavu_readable(who name) returns int[]
language sql stable security definer set search_path from current as $$
  with mine as materialized (
    select m.workspace from dejavu_members m join pg_roles r on r.rolname = m.role
     where pg_has_role(who, r.oid, 'MEMBER') and pg_has_role(session_user, who, 'MEMBER'))
  select coalesce(array_agg(w.id), '{}') from dejavu_workspaces w
   where (select dejavu_is_owner(who)) or w.id in (select workspace from mine)
      or not w.private and (select bool_or(workspace is null) from mine)
$$;

-- Of a workspace that a member may not see they learn no more than that it cannot be made.
create or replace function dejavu_workspace(wanted text) returns int
language plpgsql security definer set search_path from current as $$
declare found int;
begin
  select id into found from dejavu_workspaces
   where md5(name) = md5(wanted) and dejavu_rank(session_user, id) > 0;
  if found is null and dejavu_rank(session_user, 0) >= 2 then
    insert into dejavu_workspaces (name) values (wanted) on conflict do nothing;
    select id into found from dejavu_workspaces
     where md5(name) = md5(wanted) and dejavu_rank(session_user, id) > 0;
  end if;
  if found is null then
    raise exception '% may not make the workspace %', session_user, wanted
      using errcode = 'insufficient_privilege';
  end if;
  return found;
end $$;

create or replace function dejavu_instance(wanted text, who name) returns int
language plpgsql security definer set search_path from current as $$
declare found int;
begin
  if not pg_has_role(session_user, who, 'MEMBER') then
    raise exception '% is not %', session_user, who using errcode = 'insufficient_privilege';
  end if;
  if dejavu_rank(session_user, null) < 1 then
    raise exception '% may not make instances', session_user
      using errcode = 'insufficient_privilege';
  end if;
  select id into found from dejavu_instances where md5(name) = md5(wanted);
  if found is null then
    if dejavu_rank(session_user, null) < 2 then
      raise exception '% may not make instances', session_user
        using errcode = 'insufficient_privilege';
    end if;
    insert into dejavu_instances (name, owner)
      values (wanted, case when dejavu_is_owner(who) then null else who end) on conflict do nothing;
    select id into found from dejavu_instances where md5(name) = md5(wanted);
  end if;
  return found;
end $$;
revoke execute on function dejavu_place_sources(bigint[]) from public;

-- In both searches the parts that everyone may read (`everyones`) are found by the index, which holds
-- no others, and `not hidden` costs nothing, so with the cost of operators fixed it is judged before any
-- pattern. The rest is fenced (`offset 0`): its rows are chosen by workspace before a pattern sees them.
create or replace function dejavu_search(
  who name, queries text[], place text, machine text, kind text, speaker text, tool text,
  since float8, until float8, most int
) returns table (conversation text, seq int, role text, at float8, agent text, content text)
language plpgsql stable security definer set search_path from current set cpu_operator_cost = 0.0025
as $$
declare
  wanted tsquery;
  partition record;
  everyones boolean;
  places int[];
  rest int[];
  machines int[];
  earliest timestamptz := to_timestamp(since);
  latest timestamptz := to_timestamp(until);
  found_rows int := 0;
  step int;
begin
  if not pg_has_role(session_user, who, 'MEMBER') then
    raise exception '% is not %', session_user, who using errcode = 'insufficient_privilege';
  end if;
  everyones := dejavu_rank(who, 0) > 0;
  select coalesce(array_agg(w.id), '{}'),
         coalesce(array_agg(w.id) filter (where w.private or not everyones), '{}')
    into places, rest from dejavu_workspaces w
   where w.id = any (dejavu_readable(who))
     and (place is null or w.name = place or right(w.name, length(place) + 1) = '/' || place);
  if machine is not null then
    machines := array(select i.id from dejavu_instances i where md5(i.name) = md5(machine));
  end if;
  foreach wanted in array queries::tsquery[] loop  -- a wrong one is refused before any row
    for partition in
      with named as materialized (
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = 'dejavu_parts'::regclass)
      select relname as parts, replace(relname, 'dejavu_parts', 'dejavu_turns') as turns
        from named, lateral (select to_date(right(relname, 7), 'YYYY_MM') as month) m
       where (earliest is null or month >= date_trunc('month', earliest at time zone 'UTC'))
         and (latest is null or month <= latest at time zone 'UTC')
       order by month desc
    loop
      return query execute format($query$
        with matches as (
          (select p.conversation as number, p.seq, p.content, c.id, c.agent
            from %1$I p join dejavu_conversations c on c.number = p.conversation
           where $10 and not p.hidden and p.workspace = any ($2)
             and dejavu_words(p.content) @@ $1
             and ($3 is null or c.instance = any ($3)) and ($4 is null or c.agent = $4)
           limit 2000)
          union all
          (select p.conversation, p.seq, p.content, c.id, c.agent
            from (select * from %1$I where workspace = any ($11) offset 0) p
            join dejavu_conversations c on c.number = p.conversation
           where dejavu_words(p.content) @@ $1
             and ($3 is null or c.instance = any ($3)) and ($4 is null or c.agent = $4)
           limit 2000))
        select m.id, m.seq, t.role, extract(epoch from t.at)::float8, m.agent, m.content
          from matches m join %2$I t on t.conversation = m.number and t.seq = m.seq
         where ($5 is null or t.role = $5)
           and ($6 is null or t.at >= $6) and ($7 is null or t.at <= $7)
           and ($8 is null or exists (
                 select from %1$I o where o.conversation = m.number and o.seq = m.seq
                    and o.type = 'tool_call' and lower(o.name) = $8))
         order by t.at desc nulls last limit $9$query$, partition.parts, partition.turns)
        using wanted, places, machines, kind, speaker, earliest, latest, tool,
              greatest(most - found_rows, 0), everyones, rest;
      get diagnostics step = row_count;
      found_rows := found_rows + step;
      exit when found_rows >= most;
    end loop;
    exit when found_rows >= most;
  end loop;
end $$;

create or replace function dejavu_exact(
  who name, plain text, in_json text, place text, machine text, kind text, speaker text, tool text,
  since float8, until float8, most int
) returns table (conversation bigint, seq int, rest int)
language plpgsql stable security definer set search_path from current set cpu_operator_cost = 0.0025
as $$
declare
  partition record;
  everyones boolean;
  places int[];
  others int[];
  machines int[];
  earliest timestamptz := to_timestamp(since);
  latest timestamptz := to_timestamp(until);
  found_rows int := 0;
  step int;
begin
  if not pg_has_role(session_user, who, 'MEMBER') then
    raise exception '% is not %', session_user, who using errcode = 'insufficient_privilege';
  end if;
  -- LIKE raises at an escape without a character, but only in a row that matches up to there.
  if mod(length(plain) - length(rtrim(plain, chr(92))), 2) = 1
     or mod(length(in_json) - length(rtrim(in_json, chr(92))), 2) = 1 then
    raise exception 'a pattern ends in an escape character'
      using errcode = 'invalid_escape_sequence';
  end if;
  everyones := dejavu_rank(who, 0) > 0;
  select coalesce(array_agg(w.id), '{}'),
         coalesce(array_agg(w.id) filter (where w.private or not everyones), '{}')
    into places, others from dejavu_workspaces w
   where w.id = any (dejavu_readable(who)) and (place is null or w.name = place);
  if machine is not null then
    machines := array(select i.id from dejavu_instances i where md5(i.name) = md5(machine));
  end if;
  for partition in
    with named as materialized (
      select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'dejavu_parts'::regclass)
    select relname as parts, replace(relname, 'dejavu_parts', 'dejavu_turns') as turns
      from named, lateral (select to_date(right(relname, 7), 'YYYY_MM') as month) m
     where latest is null or month <= latest at time zone 'UTC'
     order by month desc
  loop
    return query execute format($query$
      with matches as (
        select p.conversation, p.seq, 0 as rest from %1$I p
         where $11 and not p.hidden and p.workspace = any ($3)
           and dejavu_said(p.name, p.call, p.content) like $1
        union all
        select p.conversation, p.seq, 0 from %1$I p
         where $11 and $1 <> $2 and not p.hidden and p.workspace = any ($3)
           and dejavu_said(p.name, p.call, p.content) like $2
        union all
        select p.conversation, p.seq, 0
          from (select * from %1$I where workspace = any ($12) offset 0) p
         where dejavu_said(p.name, p.call, p.content) like $1
            or $1 <> $2 and dejavu_said(p.name, p.call, p.content) like $2
        union all
        select p.conversation, p.seq, p.length from %1$I p
         where p.length > 65536 and p.workspace = any ($3))
      select m.conversation, m.seq, min(m.rest) from matches m
        join dejavu_conversations c on c.number = m.conversation
        join %2$I t on t.conversation = m.conversation and t.seq = m.seq
       where ($4 is null or c.instance = any ($4)) and ($5 is null or c.agent = $5)
         and ($6 is null or t.role = $6)
         and ($7 is null or t.at is null or t.at >= $7)
         and ($8 is null or t.at is null or t.at <= $8)
         and ($9 is null or exists (
               select from %1$I o where o.conversation = m.conversation and o.seq = m.seq
                  and o.type = 'tool_call' and lower(o.name) = $9))
       group by m.conversation, m.seq
       order by min(m.rest) > 0, max(t.at) desc nulls last limit $10$query$,
      partition.parts, partition.turns)
      using plain, in_json, places, machines, kind, speaker, earliest, latest, tool,
            greatest(most - found_rows, 0), everyones, others;
    get diagnostics step = row_count;
    found_rows := found_rows + step;
    exit when found_rows >= most;
  end loop;
end $$;
