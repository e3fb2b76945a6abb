-- Exact search by the server, for whoever has no index of exact text of their own.

-- All that a part says, where a substring is looked for. An index with trigrams of it is made by
-- `dejavu team init` where pg_trgm is installed.
create or replace function dejavu_said(name text, call text, content text) returns text
language sql immutable parallel safe as $$
  select coalesce(name, '') || E'\n' || coalesce(call, '') || E'\n' || coalesce(content, '')
$$;

-- Texts of which the relations hold the beginning alone.
create index if not exists dejavu_parts_long on dejavu_parts (conversation, seq) where length > 65536;

-- Turns whose parts are like one of two patterns (the text, and the text in JSON), the newest month
-- first, at most `most`. rest: 0, or of how many characters a text is that holds neither as far as
-- it is kept here. As dejavu_search it looks past row-level security and judges by itself.
create or replace function dejavu_exact(
  who name, plain text, in_json text, place text, machine text, kind text, speaker text, tool text,
  since float8, until float8, most int
) returns table (conversation bigint, seq int, rest int)
language plpgsql stable security definer set search_path from current as $$
declare
  partition record;
  places int[];
  machines int[];
  found_rows int := 0;
  step int;
begin
  if not pg_has_role(session_user, who, 'MEMBER') then
    raise exception '% is not %', session_user, who using errcode = 'insufficient_privilege';
  end if;
  places := dejavu_readable(who);
  if place is not null then
    places := array(select w.id from dejavu_workspaces w where w.id = any (places) and w.name = place);
  end if;
  if machine is not null then
    machines := array(select i.id from dejavu_instances i where md5(i.name) = md5(machine));
  end if;
  for partition in
    with named as materialized (
      select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'dejavu_parts'::regclass)
    select relname as parts, replace(relname, 'dejavu_parts', 'dejavu_turns') as turns
      from named, lateral (select to_date(right(relname, 7), 'YYYY_MM') as month) m
     where until is null or month <= to_timestamp(until) at time zone 'UTC'
     order by month desc
  loop
    return query execute format($query$
      with matches as (
        select p.conversation, p.seq, 0 as rest from %1$I p
         where dejavu_said(p.name, p.call, p.content) like $1 and p.workspace = any ($3)
        union all
        select p.conversation, p.seq, 0 from %1$I p
         where $1 <> $2 and dejavu_said(p.name, p.call, p.content) like $2 and p.workspace = any ($3)
        union all
        select p.conversation, p.seq, p.length from %1$I p
         where p.length > 65536 and p.workspace = any ($3))
      select m.conversation, m.seq, min(m.rest) from matches m
        join dejavu_conversations c on c.number = m.conversation
        join %2$I t on t.conversation = m.conversation and t.seq = m.seq
       where ($4 is null or c.instance = any ($4)) and ($5 is null or c.agent = $5)
         and ($6 is null or t.role = $6)
         and ($7 is null or t.at is null or t.at >= to_timestamp($7))
         and ($8 is null or t.at is null or t.at <= to_timestamp($8))
         and ($9 is null or exists (
               select from %1$I o where o.conversation = m.conversation and o.seq = m.seq
                  and o.type = 'tool_call' and lower(o.name) = $9))
       group by m.conversation, m.seq
       order by min(m.rest) > 0, max(t.at) desc nulls last limit $10$query$,
      partition.parts, partition.turns)
      using plain, in_json, places, machines, kind, speaker, since, until, tool, most - found_rows;
    get diagnostics step = row_count;
    found_rows := found_rows + step;
    exit when found_rows >= most;
  end loop;
end $$;
