-- Search by the server, for whoever has no index of their own yet.

-- The words of a text nearly as the local index has them: identifiers and paths taken apart, accents
-- and case away. Of the first 65,536 characters; a tsvector holds no more than a megabyte.
create or replace function dejavu_words(content text) returns tsvector
language sql immutable parallel safe as $$
  select to_tsvector('pg_catalog.simple', regexp_replace(regexp_replace(
    normalize(left(content, 65536), NFKD), U&'[\0300-\036f]', '', 'g'),
    '([a-z0-9])([A-Z])|[^[:alnum:][:space:]]', '\1 \2', 'g'))
$$;
create index if not exists dejavu_parts_words on dejavu_parts using gin (dejavu_words(content));

-- Row-level security would keep an index with text operators from being used (they are not
-- leakproof), so this looks past it, and judges by itself what who may see. Each of `queries` is
-- tried until `most` turns are found; of very frequent words not all turns are ranked.
create or replace function dejavu_search(
  who name, queries text[], place text, machine text, kind text, speaker text, tool text,
  since float8, until float8, most int
) returns table (conversation text, seq int, role text, at float8, agent text, content text)
language plpgsql stable security definer set search_path from current as $$
declare
  wanted text;
  found_rows int := 0;
  step int;
  readable int[];
begin
  if not pg_has_role(session_user, who, 'MEMBER') then
    raise exception '% is not %', session_user, who using errcode = 'insufficient_privilege';
  end if;
  readable := dejavu_readable(who);
  foreach wanted in array queries loop
    return query
      with matches as (
        select p.conversation as number, p.seq as place, p.month, p.content as said, c.id,
               c.agent as kind
          from dejavu_parts p
          join dejavu_conversations c on c.number = p.conversation
         where dejavu_words(p.content) @@ wanted::tsquery and p.workspace = any (readable)
           and (dejavu_search.place is null or p.workspace in (
                 select w.id from dejavu_workspaces w where w.name = dejavu_search.place
                   or right(w.name, length(dejavu_search.place) + 1) = '/' || dejavu_search.place))
           and (machine is null or c.instance in (
                 select i.id from dejavu_instances i where i.name = machine))
           and (dejavu_search.kind is null or c.agent = dejavu_search.kind)
           and (since is null or p.month >= date_trunc('month', to_timestamp(since))::date)
         limit 2000)
      select m.id, m.place, t.role, extract(epoch from t.at)::float8, m.kind, m.said
        from matches m
        join dejavu_turns t
          on t.conversation = m.number and t.seq = m.place and t.month = m.month
       where (speaker is null or t.role = speaker)
         and (since is null or t.at >= to_timestamp(since))
         and (until is null or t.at <= to_timestamp(until))
         and (tool is null or exists (
               select from dejavu_parts o where o.conversation = m.number and o.seq = m.place
                  and o.month = m.month and o.type = 'tool_call' and lower(o.name) = tool))
       order by t.at desc nulls last limit most;
    get diagnostics step = row_count;
    found_rows := found_rows + step;
    exit when found_rows >= most;
  end loop;
end $$;
