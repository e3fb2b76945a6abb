-- Search and recall. Rights are looked up before any name is compared: else the pages that were read told whether a
-- private project is called so, once the server had counted the projects. And faster: where many parts of a month answer, fewer are joined, and a phrase's letters are compared without a
-- function around them. Adds only: programs of schema 7 to 17 read and write as before.

drop function if exists dejavu_holds(text, text[], boolean, tsquery);

-- The workspaces that a search looks in: all that a member may read, or those among them that are asked for.
-- `everyones` says whether the member reads all that are not private; `rest` are the places where the indexes
-- of text do not help, because they are private, or because the member reads single ones only.
create or replace function dejavu_scope(
  who name, wanted text[], ends boolean, out everyones boolean, out places int[], out rest int[]
) language plpgsql stable set search_path from current as $$
declare
  mine int[] := dejavu_readable(who);  -- before any name is compared
begin
  if not pg_has_role(session_user, who, 'MEMBER') then
    raise exception '% is not %', session_user, who using errcode = 'insufficient_privilege';
  end if;
  everyones := dejavu_rank(who, 0) > 0;
  select coalesce(array_agg(w.id), '{}'),
         coalesce(array_agg(w.id) filter (where w.private or not everyones), '{}')
    into places, rest from dejavu_workspaces w
   where w.id = any (mine)
     and (wanted is null or w.name = any (wanted) or ends and exists (
           select from unnest(wanted) as name where right(w.name, length(name) + 1) = '/' || name));
end $$;
revoke execute on function dejavu_scope(name, text[], boolean) from public;

-- The newest turns that answer, at most `most`. Each of `questions` is tried until there are as many:
-- {"index": tsquery, "exact": tsquery or null, "shapes": [...], "every": boolean, "type": of parts or null};
-- without an index query all turns answer. `paths`: a tool of the turn was given words like these. `shown`: what is to be seen of a text.
-- Looks past row security and judges by itself: a text is compared with no pattern before its rights are. `offset 0`
-- keeps the planner from looking for a tool's calls first, and each table's rows are filtered by workspace: else the
-- pages that were read told how many rows of private workspaces answer.
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
  of_calls text := '';
  moment constant text := 'coalesce(t.at, c.ended_at, c.started_at)';
  of_part text;
  checked text;
  found text;
  conversations bigint[];
  seqs int[];
  numbers_of_parts int[];
  found_rows int := 0;
  step int;
  shaped text;
  enough int;  -- parts of a month, those of its newest conversations; turns are judged and put in order after that
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
    of_calls := of_calls || ' and exists (select from %1$I o where o.conversation = n.conversation
      and o.seq = n.seq and o.type = ''tool_call'' and lower(o.name) = $8 offset 0)';
  end if;
  if paths is not null then
    of_calls := of_calls || ' and exists (select from %1$I o where o.conversation = n.conversation
      and o.seq = n.seq and o.type = ''tool_call'' and dejavu_words(o.content) @@ $10 offset 0)';
  end if;
  enough := case when of_head || of_turn || of_calls = '' then greatest(5 * most, 400) else 2000 end;
  for question in select value from jsonb_array_elements(questions) loop
    indexed := (question ->> 'index')::tsquery;  -- a wrong one is refused before any row
    exact := (question ->> 'exact')::tsquery;
    every := (question ->> 'every')::boolean;
    shapes := array(select jsonb_array_elements_text(question -> 'shapes'));
    if exists (select from unnest(shapes) as shape where shape ~ '[^a-z0-9 ]') then
      raise exception 'a phrase holds words of small letters' using errcode = 'invalid_parameter_value';
    end if;
    -- A phrase is looked for by its letters first: taking a text's words apart costs ten times as much. Letters
    -- with accents are compared by words alone.
    shaped := array_to_string(array(select format('p.content ~* %L', replace(shape, ' ', '[^[:alnum:]]*'))
      from unnest(shapes) as shape), case when every then ' and ' else ' or ' end);
    of_part := case when question ->> 'type' is null then ''
      else format(' and p.type = %L', replace(question ->> 'type', '%', '')) end;
    checked := case when exact is null then '' else 'where ' || case when shaped = '' then ''
      else '(octet_length(p.content) <> length(p.content) or ' || shaped || ') and ' end
      || 'dejavu_words(p.content) @@ $5' end;
    found := 'select array_agg(f.conversation), array_agg(f.seq), array_agg(f.part) from (
      (select p.conversation, p.seq, p.part from (
          select p.conversation, p.seq, p.part, p.content from %1$I p
           where $4 and not p.hidden and p.workspace = any ($2) and dejavu_words(p.content) @@ $1'
      || of_part || ' offset 0) p '
      || checked || ' order by p.conversation desc, p.seq desc limit $6)';
    if cardinality(scope.rest) > 0 then
      found := found || ' union all (select p.conversation, p.seq, p.part
          from (select * from %1$I p where workspace = any ($3)' || of_part || ' offset 0) p '
        || case checked when '' then 'where' else checked || ' and' end
        || ' dejavu_words(p.content) @@ $1 order by p.conversation desc, p.seq desc limit $6)';
    end if;
    -- Most months have nothing of a rare word, and a look into an index costs a tenth of a join.
    for month in select * from dejavu_months(to_timestamp(since), to_timestamp(until)) loop
      if indexed is not null then
        execute format(found || ') f', month.parts) into conversations, seqs, numbers_of_parts
          using indexed, scope.places, scope.rest, scope.everyones, exact, enough;
        continue when conversations is null;
      end if;
      return query execute format('
        select n.id, n.seq, n.role, extract(epoch from n.at)::float8, n.agent, dejavu_around(p.content, $11),
               case when $10 is not null then array(
                 select o.content from %1$I o where o.conversation = n.conversation and o.seq = n.seq
                    and o.type = ''tool_call'' order by o.part) end
          from (select * from (select f.conversation, f.seq, f.part, t.role, t.at, c.id, c.agent from '
        || case when indexed is null
            then '(select conversation, seq, 0 as part from %2$I where workspace = any ($12))'
            else 'unnest($13, $14, $15)' end || ' as f (conversation, seq, part)
          join %2$I t on t.conversation = f.conversation and t.seq = f.seq
          join dejavu_conversations c on c.number = f.conversation
         where t.workspace = any ($12) and c.workspace = any ($12)' || of_head || of_turn
        || case of_calls when '' then '' else ' offset 0' end || ') n
         where true' || of_calls || ' order by n.at desc nulls last limit $1) n
          left join %1$I p on p.conversation = n.conversation and p.seq = n.seq and p.part = n.part
         order by n.at desc nulls last',
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

-- The exchanges that hold most of a question, with enough of their turns to judge them here: for a member
-- without an index. `terms` are tsqueries, `pieces` letters by which each is seen in a text, `weights` what each
-- counts. Rare terms lead to an exchange; how rare is estimated in one large month. `places`: the first of
-- them that is a workspace, with the others of its `project`; null: everywhere. Judges rights as `dejavu_find`.
-- Turns so high that nothing can be added to their number are left out: one of them would stop everyone's recall.
create or replace function dejavu_recall(
  who name, terms text[], pieces text[], weights float8[], places text[], project text, most int
) returns jsonb
language plpgsql stable security definer set search_path from current set cpu_operator_cost = 0.0025 as $$
declare
  mine int[] := dejavu_readable(who);  -- before any name is compared
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
     where w.id = any (mine) and (w.project = dejavu_recall.project
       or starts_with(dejavu_recall.project, w.project || '/'))
     order by length(w.project) desc limit 1;
    select w.name, w.project into nearest, told
      from unnest(places) with ordinality as wanted (name, rank) join dejavu_workspaces w using (name)
     where w.id = any (mine) order by rank limit 1;
    whole_project := coalesce(whole_project, told);
    told := '';
    places := array(select w.name from dejavu_workspaces w
      where w.id = any (mine) and (w.name = nearest or w.project = whole_project));
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
       where mask > 0 and seq < 2147483000),
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
  mine int[] := dejavu_readable(who);  -- before any name is compared
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
   where w.id = any (mine)
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
             and dejavu_words(p.content) @@ $1 and c.workspace = any ($2)
             and ($3 is null or c.instance = any ($3)) and ($4 is null or c.agent = $4)
           limit 2000)
          union all
          (select p.conversation, p.seq, p.content, c.id, c.agent
            from (select * from %1$I where workspace = any ($11) offset 0) p
            join dejavu_conversations c on c.number = p.conversation
           where dejavu_words(p.content) @@ $1 and c.workspace = any ($11)
             and ($3 is null or c.instance = any ($3)) and ($4 is null or c.agent = $4)
           limit 2000))
        select m.id, m.seq, t.role, extract(epoch from t.at)::float8, m.agent, m.content
          from matches m join %2$I t on t.conversation = m.number and t.seq = m.seq
         where t.workspace = any ($2) and ($5 is null or t.role = $5)
           and ($6 is null or t.at >= $6) and ($7 is null or t.at <= $7)
           and ($8 is null or exists (
                 select from %1$I o where o.conversation = m.number and o.seq = m.seq
                    and o.type = 'tool_call' and lower(o.name) = $8 offset 0))
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
  mine int[] := dejavu_readable(who);  -- before any name is compared
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
   where w.id = any (mine) and (place is null or w.name = place);
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
       where c.workspace = any ($3) and t.workspace = any ($3)
         and ($4 is null or c.instance = any ($4)) and ($5 is null or c.agent = $5)
         and ($6 is null or t.role = $6)
         and ($7 is null or t.at is null or t.at >= $7)
         and ($8 is null or t.at is null or t.at <= $8)
         and ($9 is null or exists (
               select from %1$I o where o.conversation = m.conversation and o.seq = m.seq
                  and o.type = 'tool_call' and lower(o.name) = $9 offset 0))
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
