-- Search month by month, the newest first: of frequent words the newest turns are found, and no more
-- is looked at than that takes. A rare word costs a look into each month's index.

create or replace function dejavu_search(
  who name, queries text[], place text, machine text, kind text, speaker text, tool text,
  since float8, until float8, most int
) returns table (conversation text, seq int, role text, at float8, agent text, content text)
language plpgsql stable security definer set search_path from current as $$
declare
  wanted text;
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
    places := array(select w.id from dejavu_workspaces w where w.id = any (places)
      and (w.name = place or right(w.name, length(place) + 1) = '/' || place));
  end if;
  if machine is not null then
    machines := array(select i.id from dejavu_instances i where md5(i.name) = md5(machine));
  end if;
  foreach wanted in array queries loop
    for partition in
      with named as materialized (
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = 'dejavu_parts'::regclass)
      select relname as parts, replace(relname, 'dejavu_parts', 'dejavu_turns') as turns
        from named, lateral (select to_date(right(relname, 7), 'YYYY_MM') as month) m
       where (since is null or month >= date_trunc('month', to_timestamp(since) at time zone 'UTC'))
         and (until is null or month <= to_timestamp(until) at time zone 'UTC')
       order by month desc
    loop
      return query execute format($query$
        with matches as (
          select p.conversation as number, p.seq, p.content, c.id, c.agent
            from %1$I p join dejavu_conversations c on c.number = p.conversation
           where dejavu_words(p.content) @@ $1::tsquery and p.workspace = any ($2)
             and ($3 is null or c.instance = any ($3)) and ($4 is null or c.agent = $4)
           limit 2000)
        select m.id, m.seq, t.role, extract(epoch from t.at)::float8, m.agent, m.content
          from matches m join %2$I t on t.conversation = m.number and t.seq = m.seq
         where ($5 is null or t.role = $5)
           and ($6 is null or t.at >= to_timestamp($6)) and ($7 is null or t.at <= to_timestamp($7))
           and ($8 is null or exists (
                 select from %1$I o where o.conversation = m.number and o.seq = m.seq
                    and o.type = 'tool_call' and lower(o.name) = $8))
         order by t.at desc nulls last limit $9$query$, partition.parts, partition.turns)
        using wanted, places, machines, kind, speaker, since, until, tool, most - found_rows;
      get diagnostics step = row_count;
      found_rows := found_rows + step;
      exit when found_rows >= most;
    end loop;
    exit when found_rows >= most;
  end loop;
end $$;
