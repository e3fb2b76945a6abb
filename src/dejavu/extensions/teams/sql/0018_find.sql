-- Search, faster: where many parts of a month answer, fewer are joined, and a phrase's letters are compared without a
-- function around them. Adds only: programs of schema 7 to 17 read and write as before.

drop function if exists dejavu_holds(text, text[], boolean, tsquery);

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
    of_turn := of_turn || ' and exists (select from %1$I o where o.conversation = t.conversation
      and o.seq = t.seq and o.type = ''tool_call'' and lower(o.name) = $8)';
  end if;
  if paths is not null then
    of_turn := of_turn || ' and exists (select from %1$I o where o.conversation = t.conversation
      and o.seq = t.seq and o.type = ''tool_call'' and dejavu_words(o.content) @@ $10)';
  end if;
  enough := case when of_head = '' and of_turn = '' then greatest(5 * most, 400) else 2000 end;
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
          from (select f.conversation, f.seq, f.part, t.role, t.at, c.id, c.agent from '
        || case when indexed is null
            then '(select conversation, seq, 0 as part from %2$I where workspace = any ($12))'
            else 'unnest($13, $14, $15)' end || ' as f (conversation, seq, part)
          join %2$I t on t.conversation = f.conversation and t.seq = f.seq
          join dejavu_conversations c on c.number = f.conversation
         where true' || of_head || of_turn || ' order by t.at desc nulls last limit $1) n
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
