-- Search and recall by the server alone (`0018_find.sql`), one statement each. Adds functions; no table changes, so
-- programs of schema 7 to 11 read and write as before.

-- The piece of a long text around the first of some words: what a screen shows of it.
create or replace function dejavu_around(content text, shown text[]) returns text
language plpgsql immutable parallel safe as $$
declare
  place int;
begin
  if length(content) <= 6000 then return content; end if;
  select min(strpos(lower(content), word)) into place from unnest(shown) as word
   where strpos(lower(content), word) > 0;
  return substring(content from greatest(1, coalesce(place, 1) - 1000) for 6000);
end $$;

-- The months that have turns between two moments, the newest first: their tables of parts and turns. What no agent
-- can have written is at the two ends.
create or replace function dejavu_months(earliest timestamptz, latest timestamptz)
returns table (parts name, turns name) language sql stable set search_path from current as $$
  with named as materialized (
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'dejavu_parts'::regclass)
  select relname, replace(relname, 'dejavu_parts', 'dejavu_turns')::name
    from named, lateral (select to_date(right(relname, 7), 'YYYY_MM') as month) m
   where (earliest is null or month >= date_trunc('month', earliest at time zone 'UTC') or month = '2100-01-01')
     and (latest is null or month <= latest at time zone 'UTC' or month = '2000-01-01')
   order by month desc
$$;

-- The project of a workspace, as the newest conversation there told it: a project's folders on all machines are
-- looked in together. Read from the summary's JSON, where a quote within a text is escaped.
alter table dejavu_workspaces add column if not exists project text;
alter table dejavu_workspaces alter column project set statistics 0;
comment on column dejavu_workspaces.project is 'The project that its newest conversation was held in; null where none was told.';
create or replace function dejavu_project_of(summary bytea) returns text
language sql immutable strict parallel safe as $$
  select nullif(convert_from(substring(named from 1 for position('\x22'::bytea in named) - 1), 'UTF8'), '')
    from (select substring(summary from position('\x2270726f6a656374223a22'::bytea in summary) + 11) as named
           where position('\x2270726f6a656374223a22'::bytea in summary) > 0) found
$$;
update dejavu_workspaces w set project = x.project
  from (select distinct on (r.workspace) r.workspace, dejavu_project_of(r.value) as project
          from dejavu_records r join dejavu_conversations c
            on r.key = '\x48'::bytea || convert_to(c.id, 'UTF8')
         where r.key >= '\x48' and r.key < '\x49'
         order by r.workspace, c.number desc) x
 where w.id = x.workspace and w.project is distinct from x.project;

create or replace function dejavu_place_record() returns trigger
language plpgsql security definer set search_path from current as $$
declare
  told text;
begin
  new.workspace := dejavu_place_of_key(new.key);
  new.writer := case when new.workspace is null and get_byte(new.key, 0) in (72, 76, 78, 79, 84)
    then dejavu_caller() end;
  if get_byte(new.key, 0) = 72 and new.workspace is not null then
    told := dejavu_project_of(new.value);
    update dejavu_workspaces set project = told
     where id = new.workspace and told is not null and project is distinct from told;
  end if;
  return new;
end $$;

-- The beginning of a text in small letters without accents.
create or replace function dejavu_folded(content text) returns text
language sql immutable parallel safe as $$
  select case when octet_length(content) = length(content) then lower(left(content, 6000) collate "C")
    else lower(regexp_replace(normalize(left(content, 6000), NFKD), U&'[\0300-\036f]', '', 'g')) end
$$;

-- The exchanges that some turns are of, the best first, with their turns. `masks`: which terms each turn holds,
-- a bit each; `worths`: what each term counts. An exchange is a prompt and what follows up to the next one.
-- Its plan is made once for a connection: of all months it takes longer than the answer.
create or replace function dejavu_exchanges(
  conversations bigint[], seqs int[], months date[], masks bigint[], worths float8[], most int
) returns jsonb
language plpgsql stable set search_path from current set plan_cache_mode = force_generic_plan as $$
begin
  return (with placed as (
      select s.*, coalesce(b.start, 0) as start
        from unnest(conversations, seqs, months, masks) as s (conversation, seq, month, mask)
        left join lateral (
          select t.seq as start from dejavu_turns t where t.conversation = s.conversation and t.month = s.month
             and t.seq <= s.seq and t.role = 'user' order by t.seq desc limit 1) b on true),
    exchanges as materialized (
      select conversation, start, month, hits, (
          select sum(worth) from unnest(worths) with ordinality as w (worth, number)
           where mask >> (number - 1)::int & 1 = 1) as worth
        from (select conversation, start, month, bit_or(mask) as mask, array_agg(distinct seq) as hits
                from placed group by 1, 2, 3) x
       order by worth desc, conversation desc, start desc limit most),
    chosen as materialized (
      select e.conversation, e.month, e.start, t.seq, t.role, t.at from exchanges e,
      lateral (select coalesce((select t.seq from dejavu_turns t where t.conversation = e.conversation
                 and t.month = e.month and t.seq > e.start and t.role = 'user' order by t.seq limit 1),
                 2147483647) as stop) n,
      lateral (select * from dejavu_turns t where t.conversation = e.conversation and t.month = e.month
                  and t.seq >= e.start and t.seq < n.stop
                  and (t.seq < e.start + 8 or exists (
                    select from unnest(e.hits) as hit where t.seq between hit - 1 and hit + 2))
                order by t.seq limit 24) t)
    select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
        'number', x.conversation, 'start', x.start, 'seq', x.seq, 'role', x.role,
        'at', extract(epoch from x.at), 'id', c.id, 'agent', c.agent, 'workspace', w.name,
        'ended', extract(epoch from coalesce(c.ended_at, c.started_at)),
        'prompt', left(c.prompt, 40), 'parts', p.parts)) order by x.conversation, x.seq)
      from chosen x join dejavu_conversations c on c.number = x.conversation
      join dejavu_workspaces w on w.id = c.workspace,
      lateral (
        select jsonb_agg(jsonb_build_object('type', p.type, 'name', p.name, 'call', p.call,
            'content', left(p.content, case when p.type in ('text', 'reasoning') then 6000 else 1500 end))
            order by p.part) as parts
          from dejavu_parts p where p.conversation = x.conversation and p.seq = x.seq and p.month = x.month) p);
end $$;
revoke execute on function dejavu_exchanges(bigint[], int[], date[], bigint[], float8[], int) from public;
