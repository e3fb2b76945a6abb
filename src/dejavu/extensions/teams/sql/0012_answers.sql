-- Search (`0018_find.sql`) and recall by the server alone, one statement each. Adds functions; no table changes, so
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

-- The workspaces that a search looks in: all that a member may read, or those among them that are asked for.
-- `everyones` says whether the member reads all that are not private; `rest` are the places where the indexes
-- of text do not help, because they are private, or because the member reads single ones only.
create or replace function dejavu_scope(
  who name, wanted text[], ends boolean, out everyones boolean, out places int[], out rest int[]
) language plpgsql stable set search_path from current as $$
begin
  if not pg_has_role(session_user, who, 'MEMBER') then
    raise exception '% is not %', session_user, who using errcode = 'insufficient_privilege';
  end if;
  everyones := dejavu_rank(who, 0) > 0;
  select coalesce(array_agg(w.id), '{}'),
         coalesce(array_agg(w.id) filter (where w.private or not everyones), '{}')
    into places, rest from dejavu_workspaces w
   where w.id = any (dejavu_readable(who))
     and (wanted is null or w.name = any (wanted) or ends and exists (
           select from unnest(wanted) as name where right(w.name, length(name) + 1) = '/' || name));
end $$;
revoke execute on function dejavu_scope(name, text[], boolean) from public;

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

-- The exchanges that hold most of a question, with enough of their turns to judge them here: for a member
-- without an index. `terms` are tsqueries, `pieces` letters by which each is seen in a text, `weights` what each
-- counts. Rare terms lead to an exchange; how rare is estimated in one large month. `places`: the first of
-- them that is a workspace, with the others of its `project`; null: everywhere. Judges rights as `dejavu_find`.
create or replace function dejavu_recall(
  who name, terms text[], pieces text[], weights float8[], places text[], project text, most int
) returns jsonb
language plpgsql stable security definer set search_path from current set cpu_operator_cost = 0.0025 as $$
declare
  enough constant int := 3000;  -- parts that are looked at
  nearest text;
  whole_project text;
  scope record;
  whole float8;
  total float8;
  indexed boolean;
  sample name;
  share float8;
  inside_share float8;
  held bigint;
  counts float8[] := '{}';
  masks text := '0';
  met text := '';
  score text := '0';
  told text := '';
  led text[] := '{}';
  sum_led float8 := 0;
  conversations bigint[];
  seqs int[];
  months date[];
  masks_met bigint[];
  it record;
  one tsquery;
  answer jsonb;
begin
  if cardinality(terms) > 48 or cardinality(terms) <> cardinality(pieces)
     or cardinality(terms) <> cardinality(weights) then
    raise exception 'at most 48 terms, each with its letters and weight'
      using errcode = 'invalid_parameter_value';
  end if;
  foreach one in array terms::tsquery[] loop null; end loop;  -- a wrong one is refused before any row
  if places is not null then
    select w.project into whole_project from dejavu_workspaces w  -- a project may be within one
     where w.id = any (dejavu_readable(who)) and (w.project = dejavu_recall.project
       or starts_with(dejavu_recall.project, w.project || '/'))
     order by length(w.project) desc limit 1;
    select w.name, w.project into nearest, told
      from unnest(places) with ordinality as wanted (name, rank) join dejavu_workspaces w using (name)
     where w.id = any (dejavu_readable(who)) order by rank limit 1;
    whole_project := coalesce(whole_project, told);
    told := '';
    places := array(select w.name from dejavu_workspaces w
      where w.id = any (dejavu_readable(who)) and (w.name = nearest or w.project = whole_project));
  end if;
  scope := dejavu_scope(who, places, false);
  if cardinality(scope.places) = 0 or cardinality(terms) = 0 then
    return '{"size": 0, "counts": [], "turns": []}';
  end if;
  select sum(greatest(reltuples, 0)) into whole from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = 'dejavu_parts'::regclass;
  total := whole;
  if places is not null or whole <= 0 or not scope.everyones then
    select sum(turn_count) into total from dejavu_conversations c where c.workspace = any (scope.places);
  end if;
  if coalesce(total, 0) <= 0 then return '{"size": 0, "counts": [], "turns": []}'; end if;
  -- Few turns are looked at one by one; of many the index of words leads to some. How many parts hold a term is
  -- counted in the largest month, up to a bound.
  indexed := scope.everyones and total > 5000;
  if indexed then
    select c.relname, greatest(1, reltuples) into sample, share
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'dejavu_parts'::regclass order by reltuples desc, relname desc limit 1;
    share := greatest(whole, total) / share;
  end if;
  for it in select t.term, t.piece, t.number::int - 1 as bit
      from unnest(terms, pieces) with ordinality as t (term, piece, number) loop
    if indexed then
      execute format('select count(*) from (select from (select p.content from %I p where not p.hidden
          and dejavu_words(p.content) @@ $1 offset 0) p limit 2000) x', sample) into held using it.term::tsquery;
    end if;
    counts := counts || coalesce(held * share, -1);
    masks := masks || format(' | ((strpos(said, %L) > 0)::int::bigint << %s)', it.piece, it.bit);
    met := met || format(', coalesce(sum(mask >> %s & 1), 0)::float8 as n%s', it.bit, it.bit);
  end loop;
  inside_share := least(1, total / greatest(whole, 1));
  for it in select term, weight, count, t.number::int - 1 as bit
      from unnest(terms, weights, counts) with ordinality as t (term, weight, count, number)
      order by count, number loop
    score := score || format(' + (mask >> %s & 1) * %s * ln(1 + %s / greatest(n%s, %s, 1))',
      it.bit, it.weight, total, it.bit, it.count * inside_share);
    if sum_led + it.count <= enough or cardinality(led) = 0 then
      led := led || it.term;
      sum_led := sum_led + it.count;
    end if;
  end loop;
  for it in select count, number - 1 as bit from unnest(counts) with ordinality as c (count, number)
      order by number loop
    told := told || format(', greatest(n%s, %s)', it.bit, it.count * inside_share);
  end loop;
  if sum_led > enough then  -- nothing rare: turns that hold two of the rarest
    select array[string_agg('(' || term || ')', ' & ')] into led from (
      select term from unnest(terms, counts) as t (term, count) order by count limit 2) x;
  end if;
  execute 'with matched as materialized (
      select * from (select p.conversation, p.seq, p.month, ' || masks || ' as mask from (' || case when indexed then '
          (select p.conversation, p.seq, p.month, dejavu_folded(p.content) as said
             from (select * from dejavu_parts p where not p.hidden and p.workspace = any ($2)
                      and dejavu_words(p.content) @@ $1 offset 0) p
            order by p.conversation desc limit 9000)
          union all' else '' end || '
          (select p.conversation, p.seq, p.month, dejavu_folded(p.content)
             from (select * from dejavu_parts where workspace = any ($3) offset 0) p
            order by p.conversation desc limit 20000)) as p (conversation, seq, month, said) offset 0) p
       where mask > 0),
    counted as materialized (select ' || substring(met from 3) || ' from matched),
    best as materialized (
      select m.*, ' || score || ' as worth from matched m, counted
       order by worth desc, conversation desc, seq desc limit 300)
    select array_agg(conversation), array_agg(seq), array_agg(month), array_agg(mask),
           (select array[' || substring(told from 3) || '] from counted) from best'
    into conversations, seqs, months, masks_met, counts
    using array_to_string(array(select '(' || term || ')' from unnest(led) as term), ' | ')::tsquery,
      scope.places, case when indexed then scope.rest else scope.places end;
  answer := dejavu_exchanges(conversations, seqs, months, masks_met, array(
    select weight * ln(1 + total / greatest(count, 1)) from unnest(weights, counts)
      with ordinality as t (weight, count, number) order by number), most);
  return jsonb_build_object('size', total, 'counts', to_jsonb(counts), 'turns', coalesce(answer, '[]'));
end $$;
