-- Search and recall by the server alone, one statement each. Adds functions; no table changes, so programs of
-- schema 7 to 11 read and write as before.

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

-- What a part must hold besides what the index found. A phrase is looked for by its letters first: taking a
-- text's words apart costs a hundred times as much. `shapes` are words in a row, "retry budget".
create or replace function dejavu_holds(content text, shapes text[], every boolean, exact tsquery)
returns boolean language plpgsql immutable parallel safe as $$
declare
  shape text;
  met boolean := every or cardinality(shapes) = 0;
begin
  if octet_length(content) = length(content) then  -- letters with accents are compared by words alone
    foreach shape in array shapes loop
      met := content ~* replace(shape, ' ', '[^[:alnum:]]*');
      exit when met <> every;
    end loop;
    if not met then return false; end if;
  end if;
  return dejavu_words(content) @@ exact;
end $$;

-- The newest turns that answer, at most `most`. Each of `questions` is tried until there are as many:
-- {"index": tsquery, "exact": tsquery or null, "shapes": [...], "every": boolean, "type": of parts or null};
-- without an index query all turns answer. `paths`: a tool of the turn was given words like these. `shown`: what is to be seen of a text.
-- Looks past row security and judges by itself: a text is compared with no pattern before its rights are.
create or replace function dejavu_find(
  who name, questions jsonb, paths text, shown text[], place text, machine text, kind text, speaker text,
  tool text, side boolean, since float8, until float8, numbers bigint[], most int
) returns table (
  conversation text, seq int, role text, at float8, agent text, content text, calls text[]
) language plpgsql stable security definer set search_path from current set cpu_operator_cost = 0.0025 as $$
declare
  question jsonb;
  month record;
  scope record;
  machines int[];
  shapes text[];
  every boolean;
  indexed tsquery;
  exact tsquery;
  called tsquery := paths::tsquery;
  of_head text := '';
  of_turn text := '';
  moment constant text := 'coalesce(t.at, c.ended_at, c.started_at)';
  of_part text;
  checked text;
  found text;
  conversations bigint[];
  seqs int[];
  numbers_of_parts int[];
  found_rows int := 0;
  step int;
begin
  scope := dejavu_scope(who, case when place is not null then array[place] end, true);
  if machine is not null then
    machines := array(select i.id from dejavu_instances i where md5(i.name) = md5(machine));
    of_head := of_head || ' and c.instance = any ($2)';
  end if;
  if kind is not null then of_head := of_head || ' and c.agent = $3'; end if;
  if not side then
    of_head := of_head || ' and not (c.relation is not distinct from ''side'' and not ''native'' = any (c.vectors))';
  end if;
  if numbers is not null then of_head := of_head || ' and c.number = any ($4)'; end if;
  if speaker is not null then of_turn := of_turn || ' and t.role = $5'; end if;
  if since is not null then of_turn := of_turn || ' and ' || moment || ' >= to_timestamp($6)'; end if;
  if until is not null then of_turn := of_turn || ' and ' || moment || ' <= to_timestamp($7)'; end if;
  if tool is not null then
    of_turn := of_turn || ' and exists (select from %1$I o where o.conversation = t.conversation
      and o.seq = t.seq and o.type = ''tool_call'' and lower(o.name) = $8)';
  end if;
  if paths is not null then
    of_turn := of_turn || ' and exists (select from %1$I o where o.conversation = t.conversation
      and o.seq = t.seq and o.type = ''tool_call'' and dejavu_words(o.content) @@ $10)';
  end if;
  for question in select value from jsonb_array_elements(questions) loop
    indexed := (question ->> 'index')::tsquery;  -- a wrong one is refused before any row
    exact := (question ->> 'exact')::tsquery;
    every := (question ->> 'every')::boolean;
    shapes := array(select jsonb_array_elements_text(question -> 'shapes'));
    if exists (select from unnest(shapes) as shape where shape ~ '[^a-z0-9 ]') then
      raise exception 'a phrase holds words of small letters' using errcode = 'invalid_parameter_value';
    end if;
    of_part := case when question ->> 'type' is null then ''
      else format(' and p.type = %L', replace(question ->> 'type', '%', '')) end;
    checked := case when exact is null then '' else 'where dejavu_holds(p.content, $5, $6, $7)' end;
    found := 'select array_agg(f.conversation), array_agg(f.seq), array_agg(f.part) from (
      (select p.conversation, p.seq, p.part from (
          select p.conversation, p.seq, p.part, p.content from %1$I p
           where $4 and not p.hidden and p.workspace = any ($2) and dejavu_words(p.content) @@ $1'
      || of_part || ' offset 0) p '
      || checked || ' order by p.conversation desc, p.seq desc limit 2000)';
    if cardinality(scope.rest) > 0 then
      found := found || ' union all (select p.conversation, p.seq, p.part
          from (select * from %1$I p where workspace = any ($3)' || of_part || ' offset 0) p '
        || case checked when '' then 'where' else checked || ' and' end
        || ' dejavu_words(p.content) @@ $1 order by p.conversation desc, p.seq desc limit 2000)';
    end if;
    -- Most months have nothing of a rare word, and a look into an index costs a tenth of a join.
    for month in select * from dejavu_months(to_timestamp(since), to_timestamp(until)) loop
      if indexed is not null then
        execute format(found || ') f', month.parts) into conversations, seqs, numbers_of_parts
          using indexed, scope.places, scope.rest, scope.everyones, shapes, every, exact;
        continue when conversations is null;
      end if;
      return query execute format('
        select c.id, t.seq, t.role, extract(epoch from t.at)::float8, c.agent, dejavu_around(p.content, $11),
               case when $10 is not null then array(
                 select o.content from %1$I o where o.conversation = t.conversation and o.seq = t.seq
                    and o.type = ''tool_call'' order by o.part) end
          from ' || case when indexed is null
            then '(select conversation, seq, 0 as part from %2$I where workspace = any ($12))'
            else 'unnest($13, $14, $15)' end || ' as f (conversation, seq, part)
          join %2$I t on t.conversation = f.conversation and t.seq = f.seq
          join dejavu_conversations c on c.number = f.conversation
          left join %1$I p on p.conversation = f.conversation and p.seq = f.seq and p.part = f.part
         where true' || of_head || of_turn || ' order by t.at desc nulls last limit $1',
        month.parts, month.turns)
        using most - found_rows, machines, kind, numbers, speaker, since, until, tool, every, called,
              shown, scope.places, conversations, seqs, numbers_of_parts;
      get diagnostics step = row_count;
      found_rows := found_rows + step;
      exit when found_rows >= most;
    end loop;
    exit when found_rows >= most;
  end loop;
end $$;

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
