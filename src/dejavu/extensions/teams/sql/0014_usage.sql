-- What was used: sums of turns by conversation, quarter of an hour, model and size of request, so that figures
-- read no turns. Triggers keep them in the transaction of the turns, whichever program writes; a truncated
-- table of turns empties them, and so a repair makes them again. Adds only: programs of schema 7 to 13 read
-- and write as before. `dejavu/export/stats/figures.py` says what a sum is.

-- The project that a conversation was held in; null where none was told. From its summary, as `dejavu_workspaces`.
alter table dejavu_conversations add column if not exists project text;
comment on column dejavu_conversations.project is 'The project it was held in: of the git remote, or a name given; null where none was told.';
update dejavu_conversations c set project = dejavu_project_of(r.value)
  from dejavu_records r
 where r.key = '\x48'::bytea || convert_to(c.id, 'UTF8') and c.project is distinct from dejavu_project_of(r.value);

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
    update dejavu_conversations set project = told
     where id = encode(substring(new.key from 2), 'escape') and project is distinct from told;
  end if;
  return new;
end $$;

-- quarter: Unix time / 900; of turns without a time -2147483648.
create table if not exists dejavu_usage (
  conversation bigint not null,
  quarter int not null,
  model text not null,
  size int not null,
  reported int not null,
  turns int not null,
  prompts int not null,
  input_tokens bigint not null,
  cached_tokens bigint not null,
  cache_write_tokens bigint not null,
  cache_write_1h_tokens bigint not null,
  output_tokens bigint not null,
  cost float8 not null,
  primary key (conversation, quarter, model, size, reported)
);
comment on table dejavu_usage is 'Sums of turns by conversation, quarter of an hour, model and size of request. Kept by triggers.';

-- Tokens or dollars, whatever a vendor reported: at least 0, and no more than sums can hold.
create or replace function dejavu_amount(reported jsonb) returns numeric
language sql immutable parallel safe as $$
  select case jsonb_typeof(reported) when 'number' then least(greatest(reported::numeric, 0), 1000000000000) else 0 end
$$;

-- What one turn counts. Written so that the planner can put it in place of its call.
create or replace function dejavu_turn_sum(at timestamptz, model text, usage jsonb)
returns table (quarter int, named text, size int, reported int, input_tokens bigint, cached_tokens bigint,
               cache_write_tokens bigint, cache_write_1h_tokens bigint, output_tokens bigint, cost float8)
language sql stable parallel safe rows 1 as $$
  select case when at is null or not isfinite(at) then -2147483648
              else least(greatest(floor(extract(epoch from at) / 900), -2147483647), 2147483647)::int end,
         left(coalesce(model, ''), 200),
         case when usage ->> 'of' = 'run' then 0
              else greatest(width_bucket(dejavu_amount(usage -> 'input_tokens') - 1,
                '{0,32000,64000,100000,128000,200000,256000,272000,512000}'::numeric[]) - 1, 0) end,
         case when jsonb_typeof(usage -> 'cost') is distinct from 'number' then 0
              when (usage -> 'cost')::numeric > 0 then 2 else 1 end,
         dejavu_amount(usage -> 'input_tokens')::bigint, dejavu_amount(usage -> 'cache_read_input_tokens')::bigint,
         dejavu_amount(usage -> 'cache_creation_input_tokens')::bigint,
         dejavu_amount(usage -> 'cache_creation_1h_input_tokens')::bigint,
         dejavu_amount(usage -> 'output_tokens')::bigint, dejavu_amount(usage -> 'cost')::float8
$$;

-- Whether a part makes its turn a prompt, where a user says it.
create or replace function dejavu_says(type text, content text) returns boolean
language sql immutable parallel safe as $$ select type = 'text' and content <> '' $$;

create or replace function dejavu_usage_added() returns trigger
language plpgsql security definer set search_path from current as $$
begin
  insert into dejavu_usage as u
    select t.conversation, s.quarter, s.named, s.size, s.reported, count(*), 0, sum(s.input_tokens),
           sum(s.cached_tokens), sum(s.cache_write_tokens), sum(s.cache_write_1h_tokens),
           sum(s.output_tokens), sum(s.cost)
      from fresh t, lateral dejavu_turn_sum(t.at, t.model, t.usage) s group by 1, 2, 3, 4, 5
  on conflict (conversation, quarter, model, size, reported) do update set
    turns = u.turns + excluded.turns, input_tokens = u.input_tokens + excluded.input_tokens,
    cached_tokens = u.cached_tokens + excluded.cached_tokens,
    cache_write_tokens = u.cache_write_tokens + excluded.cache_write_tokens,
    cache_write_1h_tokens = u.cache_write_1h_tokens + excluded.cache_write_1h_tokens,
    output_tokens = u.output_tokens + excluded.output_tokens, cost = u.cost + excluded.cost;
  return null;
end $$;
drop trigger if exists dejavu_usage_added on dejavu_turns;
create trigger dejavu_usage_added after insert on dejavu_turns
  referencing new table as fresh for each statement execute function dejavu_usage_added();

-- Parts come after their turns: a turn of the user with text is a prompt, and counts with its first text.
create or replace function dejavu_prompts_added() returns trigger
language plpgsql security definer set search_path from current as $$
begin
  update dejavu_usage u set prompts = u.prompts + x.prompts
    from (select t.conversation, s.quarter, s.named, s.size, s.reported, count(*) as prompts
            from (select conversation, seq, month, min(part) as part from fresh
                   where dejavu_says(type, content) group by 1, 2, 3) f
            join dejavu_turns t on t.conversation = f.conversation and t.seq = f.seq and t.month = f.month
                 and t.role = 'user',
            lateral dejavu_turn_sum(t.at, t.model, t.usage) s
           where not exists (select from dejavu_parts p where p.conversation = f.conversation and p.seq = f.seq
                                and p.month = f.month and p.part < f.part and dejavu_says(p.type, p.content))
           group by 1, 2, 3, 4, 5) x
   where u.conversation = x.conversation and u.quarter = x.quarter and u.model = x.named and u.size = x.size
     and u.reported = x.reported;
  return null;
end $$;
drop trigger if exists dejavu_prompts_added on dejavu_parts;
create trigger dejavu_prompts_added after insert on dejavu_parts
  referencing new table as fresh for each statement execute function dejavu_prompts_added();

-- Turns go before their parts.
create or replace function dejavu_usage_gone() returns trigger
language plpgsql security definer set search_path from current as $$
begin
  update dejavu_usage u set
    turns = u.turns - x.turns, prompts = u.prompts - x.prompts, input_tokens = u.input_tokens - x.input_tokens,
    cached_tokens = u.cached_tokens - x.cached_tokens,
    cache_write_tokens = u.cache_write_tokens - x.cache_write_tokens,
    cache_write_1h_tokens = u.cache_write_1h_tokens - x.cache_write_1h_tokens,
    output_tokens = u.output_tokens - x.output_tokens, cost = u.cost - x.cost
    from (select t.conversation, s.quarter, s.named, s.size, s.reported, count(*) as turns,
                 count(*) filter (where t.role = 'user' and exists (
                   select from dejavu_parts p where p.conversation = t.conversation and p.seq = t.seq
                      and p.month = t.month and dejavu_says(p.type, p.content))) as prompts,
                 sum(s.input_tokens) as input_tokens, sum(s.cached_tokens) as cached_tokens,
                 sum(s.cache_write_tokens) as cache_write_tokens,
                 sum(s.cache_write_1h_tokens) as cache_write_1h_tokens, sum(s.output_tokens) as output_tokens,
                 sum(s.cost) as cost
            from gone t, lateral dejavu_turn_sum(t.at, t.model, t.usage) s group by 1, 2, 3, 4, 5) x
   where u.conversation = x.conversation and u.quarter = x.quarter and u.model = x.named and u.size = x.size
     and u.reported = x.reported;
  delete from dejavu_usage u using (select distinct conversation from gone) x
   where u.conversation = x.conversation and u.turns <= 0;
  return null;
end $$;
drop trigger if exists dejavu_usage_gone on dejavu_turns;
create trigger dejavu_usage_gone after delete on dejavu_turns
  referencing old table as gone for each statement execute function dejavu_usage_gone();

create or replace function dejavu_usage_emptied() returns trigger
language plpgsql security definer set search_path from current as $$
begin
  truncate dejavu_usage;
  return null;
end $$;
drop trigger if exists dejavu_usage_emptied on dejavu_turns;
create trigger dejavu_usage_emptied after truncate on dejavu_turns
  for each statement execute function dejavu_usage_emptied();

-- All sums again, from the turns.
create or replace function dejavu_count_usage() returns void
language sql set search_path from current as $$
  truncate dejavu_usage;
  insert into dejavu_usage
    select t.conversation, s.quarter, s.named, s.size, s.reported, count(*),
           count(*) filter (where t.role = 'user' and exists (
             select from dejavu_parts p where p.conversation = t.conversation and p.seq = t.seq
                and p.month = t.month and dejavu_says(p.type, p.content))),
           sum(s.input_tokens), sum(s.cached_tokens), sum(s.cache_write_tokens),
           sum(s.cache_write_1h_tokens), sum(s.output_tokens), sum(s.cost)
      from dejavu_turns t, lateral dejavu_turn_sum(t.at, t.model, t.usage) s group by 1, 2, 3, 4, 5;
$$;
revoke execute on function dejavu_count_usage() from public;
select dejavu_count_usage();
revoke execute on function dejavu_usage_added(), dejavu_prompts_added(), dejavu_usage_gone(),
  dejavu_usage_emptied() from public;

-- The sums of a member's conversations in groups, as `dejavu stats` shows them. `days`, `months` and `prices` are
-- the quarters at which a day, a month and a list of prices begin. A row holds sums (`conversations` 0), or how
-- many conversations a group has (`model` of the group alone). `at`: the place in `days` or `months`, from 1; a
-- quarter beyond them + 10,000,000,000. A quarter that a moment cuts is counted from its turns. A plan for any
-- filter at all joins row by row, so it is made for each.
create or replace function dejavu_used(
  who name, place text, machine text, kind text, side boolean, projects text[], since float8, until float8,
  days int[], months int[], prices int[], each boolean, quarters boolean
) returns table (
  grouped text, name text, at bigint, epoch int, model text, size int, reported int, conversations bigint,
  turns bigint, prompts bigint, input_tokens numeric, cached_tokens numeric, output_tokens numeric, cost float8,
  cache_write_tokens numeric, cache_write_1h_tokens numeric
) language plpgsql stable security definer set search_path from current set plan_cache_mode = force_custom_plan
set work_mem = '64MB' set jit = off as $$
#variable_conflict use_column
declare
  scope record := dejavu_scope(who, null, false);
  none constant int := -2147483648;
  first_cut constant int := floor(since / 900);
  last_cut constant int := floor(until / 900);
begin
  return query
    with chosen as materialized (
      select c.number, c.id, c.agent, c.title, w.name as workspace, coalesce(c.project, w.name) as project,
             floor(extract(epoch from coalesce(c.started_at, c.ended_at)) / 900)::int as first
        from dejavu_conversations c join dejavu_workspaces w on w.id = c.workspace
       where c.workspace = any (scope.places) and (dejavu_used.place is null or w.name = dejavu_used.place)
         and (machine is null or c.instance in (select i.id from dejavu_instances i where i.name = machine))
         and (kind is null or c.agent = kind)
         and (side or not (c.relation is not distinct from 'side' and not 'native' = any (c.vectors)))
         and (projects is null or coalesce(c.project, w.name) = any (projects))
         and (since is null or coalesce(c.ended_at, c.started_at) >= to_timestamp(since))
         and (until is null or coalesce(c.started_at, c.ended_at) <= to_timestamp(until))),
    whole as (
      select * from dejavu_usage u
       where u.quarter = none or (since is null or u.quarter * 900::bigint >= since)
                             and (until is null or (u.quarter + 1::bigint) * 900 <= until)
      union all
      select t.conversation, s.quarter, s.named, s.size, s.reported, 1,
             (t.role = 'user' and exists (select from dejavu_parts p where p.conversation = t.conversation
                and p.seq = t.seq and p.month = t.month and dejavu_says(p.type, p.content)))::int,
             s.input_tokens, s.cached_tokens, s.cache_write_tokens, s.cache_write_1h_tokens, s.output_tokens, s.cost
        from dejavu_turns t, lateral dejavu_turn_sum(t.at, t.model, t.usage) s
       where (since is not null or until is not null)
         and t.month = any (array['2000-01-01', '2100-01-01',
               date_trunc('month', to_timestamp(since) at time zone 'UTC'),
               date_trunc('month', to_timestamp(until) at time zone 'UTC')]::date[])
         and (since is null or t.at >= to_timestamp(since)) and (until is null or t.at <= to_timestamp(until))
         and (s.quarter = first_cut and first_cut * 900::bigint < since
              or s.quarter = last_cut)),
    placed as (
      select c.number, c.id, c.agent, c.workspace, c.project, u.*,
             nullif(case when u.quarter = none then c.first else u.quarter end, none) as moment
        from whole u join chosen c on c.number = u.conversation),
    used as materialized (
      select p.*, case when moment < days[1] or moment >= days[cardinality(days)] then moment + 10000000000
                       else width_bucket(moment, days) end as day,
             case when moment < days[1] or moment >= days[cardinality(days)] then moment + 10000000000
                  else width_bucket(moment, months) end as month,
             coalesce(width_bucket(moment, prices), cardinality(prices)) as epoch
        from placed p),
    counted as (select distinct number, agent, workspace, project from used)
    select case when grouping(u.agent) = 0 then 'agent' when grouping(u.project) = 0 then 'project'
                when grouping(u.workspace) = 0 then 'workspace' when grouping(u.day) = 0 then 'day'
                when grouping(u.month) = 0 then 'month' else 'total' end,
           coalesce(u.agent, u.project, u.workspace), coalesce(u.day, u.month), u.epoch, u.model, u.size, u.reported,
           0::bigint, sum(u.turns), sum(u.prompts), sum(u.input_tokens), sum(u.cached_tokens), sum(u.output_tokens),
           sum(u.cost), sum(u.cache_write_tokens), sum(u.cache_write_1h_tokens)
      from used u
     group by u.epoch, u.model, u.size, u.reported,
              grouping sets ((), (u.agent), (u.project), (u.workspace), (u.day), (u.month))
    union all
    select 'block', null, u.moment, u.epoch, u.model, u.size, u.reported, 0, sum(u.turns), sum(u.prompts),
           sum(u.input_tokens), sum(u.cached_tokens), sum(u.output_tokens), sum(u.cost), sum(u.cache_write_tokens),
           sum(u.cache_write_1h_tokens)
      from used u where quarters and u.moment is not null group by u.moment, u.epoch, u.model, u.size, u.reported
    union all
    select 'conversation', u.id, null, u.epoch, u.model, u.size, u.reported, 0, sum(u.turns), sum(u.prompts),
           sum(u.input_tokens), sum(u.cached_tokens), sum(u.output_tokens), sum(u.cost), sum(u.cache_write_tokens),
           sum(u.cache_write_1h_tokens)
      from used u where each group by u.id, u.epoch, u.model, u.size, u.reported
    union all
    select 'title', c.id, null, null, c.title, null, null, 1, 0, 0, 0, 0, 0, 0, 0, 0
      from chosen c where each and exists (select from used u where u.number = c.number)
    union all
    select x.grouped, x.name, x.at, null, x.model, null, null, x.n, 0, 0, 0, 0, 0, 0, 0, 0 from (
      select case when grouping(c.agent) = 0 then 'agent' when grouping(c.project) = 0 then 'project'
                  when grouping(c.workspace) = 0 then 'workspace' else 'total' end,
             coalesce(c.agent, c.project, c.workspace), null::bigint, null, count(*)
        from counted c group by grouping sets ((), (c.agent), (c.project), (c.workspace))
      union all
      select 'day', null, d.day, null, count(*) from (select distinct number, day from used) d group by d.day
      union all
      select 'month', null, d.month, null, count(*) from (select distinct number, month from used) d group by d.month
      union all
      select 'model', null, null, d.model, count(*) from (select distinct number, model from used) d group by d.model
    ) x (grouped, name, at, model, n);
end $$;
