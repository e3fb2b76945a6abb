-- What people read, in a schema of its own ({views}). The predicate stands in the view, since a view
-- with its reader's own rights (security_invoker) needs PostgreSQL 15.
create schema if not exists {views};

-- The file that a tool was given, by the names that agents' tools have for it.
create or replace function dejavu_path_in(type text, content text) returns text
language sql immutable parallel safe as $$
  select case when type = 'tool_call' then replace(replace(
    substring(content from '"(?:file_path|filePath|path|notebook_path|absolute_path|filename|file)": ?"((?:[^"\\]|\\.)*)"'),
    '\"', '"'), '\\', '\') end
$$;

create or replace view {views}.workspaces with (security_barrier) as
  select id, name, private, project from dejavu_workspaces
   where not is_project and id = any ((select dejavu_readable(current_user))::int[]);

create or replace view {views}.instances with (security_barrier) as
  select id, name, owner from dejavu_instances where dejavu_rank(current_user, null) > 0;

create or replace view {views}.conversations with (security_barrier) as
  select c.id, w.name as workspace, i.name as instance, c.agent, c.native_id, c.title, c.prompt,
         c.started_at, c.ended_at, c.captured_at, c.first_seq, c.turn_count, c.vectors, c.parent,
         c.relation, c.source, c.agent_version, c.number, coalesce(c.project, w.name) as project,
         i.owner
    from dejavu_conversations c
    join dejavu_workspaces w on w.id = c.workspace
    join dejavu_instances i on i.id = c.instance
   where c.workspace = any ((select dejavu_readable(current_user))::int[]);

-- One row for each session of an agent, on however many machines copies of it were met.
create or replace view {views}.sessions with (security_barrier) as
  select c.agent, c.native_id, min(c.started_at) as started_at, max(c.ended_at) as ended_at,
         max(c.turn_count) as turn_count, array_agg(distinct i.name) as instances,
         (array_agg(c.id order by c.turn_count desc, c.id))[1] as conversation
    from dejavu_conversations c join dejavu_instances i on i.id = c.instance
   where c.native_id <> '' and c.workspace = any ((select dejavu_readable(current_user))::int[])
   group by c.agent, c.native_id;

create or replace view {views}.parts with (security_barrier) as
  select c.id as conversation, p.seq, p.part, p.type, p.name, p.call, p.content, p.length, p.month,
         p.is_error, dejavu_path_in(p.type, p.content) as path
    from dejavu_parts p join dejavu_conversations c on c.number = p.conversation
   where p.workspace = any ((select dejavu_readable(current_user))::int[]);

create or replace view {views}.turns with (security_barrier) as
  select c.id as conversation, t.seq, t.role, t.at, t.vector, t.model, t.usage, t.native_id,
         t.parent, t.month,
         (select string_agg(p.content, E'\n\n' order by p.part) from dejavu_parts p
           where p.conversation = t.conversation and p.seq = t.seq and p.month = t.month
             and p.type = 'text') as text,
         t.meta ->> 'stop_reason' as finish_reason, t.meta
    from dejavu_turns t join dejavu_conversations c on c.number = t.conversation
   where t.workspace = any ((select dejavu_readable(current_user))::int[]);

create or replace view {views}.daily with (security_barrier) as
  select (to_timestamp(u.quarter * 900::bigint) at time zone 'UTC')::date as day, w.name as workspace, c.agent,
         i.name as instance, nullif(u.model, '') as model, count(distinct u.conversation) as conversations,
         sum(u.turns) as turns, sum(u.prompts) as prompts, sum(u.input_tokens) as input_tokens,
         sum(u.output_tokens) as output_tokens, coalesce(c.project, w.name) as project,
         sum(u.cached_tokens) as cached_tokens, sum(u.cache_write_tokens) as cache_write_tokens, sum(u.cost) as cost
    from dejavu_usage u
    join dejavu_conversations c on c.number = u.conversation
    join dejavu_workspaces w on w.id = c.workspace
    join dejavu_instances i on i.id = c.instance
   where u.quarter > -2147483648 and c.workspace = any ((select dejavu_readable(current_user))::int[])
   group by 1, 2, 3, 4, 5, 11;

-- Sums of a quarter of an hour. What tokens cost by the list prices is worked out where it is asked for.
create or replace view {views}.usage with (security_barrier) as
  select c.id as conversation,
         case when u.quarter > -2147483648 then to_timestamp(u.quarter * 900::bigint) end as at,
         w.name as workspace, coalesce(c.project, w.name) as project, c.agent, i.name as instance, i.owner,
         nullif(u.model, '') as model, u.turns, u.prompts, u.input_tokens, u.cached_tokens, u.cache_write_tokens,
         u.cache_write_1h_tokens, u.output_tokens, case when u.reported > 0 then u.cost end as cost,
         case when u.reported < 2 then (
           select (greatest(u.input_tokens - u.cached_tokens - u.cache_write_tokens, 0) * p.input
                   + u.output_tokens * p.output + u.cached_tokens * coalesce(p.cache_read, p.input)
                   + (u.cache_write_tokens - least(u.cache_write_1h_tokens, u.cache_write_tokens))
                     * coalesce(p.cache_write, p.input)
                   + least(u.cache_write_1h_tokens, u.cache_write_tokens)
                     * coalesce(p.cache_write_1h, p.cache_write, p.input)) / 1000000
             from dejavu_prices p
            where p.model = dejavu_model_name(u.model)
              and (u.quarter = -2147483648 or p.since <= (to_timestamp(u.quarter * 900::bigint) at time zone 'UTC')::date)
            order by p.since desc limit 1) end as estimated_cost
    from dejavu_usage u
    join dejavu_conversations c on c.number = u.conversation
    join dejavu_workspaces w on w.id = c.workspace
    join dejavu_instances i on i.id = c.instance
   where c.workspace = any ((select dejavu_readable(current_user))::int[]);

create or replace view {views}.prices with (security_barrier) as
  select model, nullif(since, '0001-01-01') as since, input, output, cache_read, cache_write, cache_write_1h
    from dejavu_prices where dejavu_rank(current_user, null) > 0;

create or replace view {views}.sources with (security_barrier) as
  select s.number, s.name, s.generation, s.length, i.name as instance
    from dejavu_sources s left join dejavu_instances i on i.id = s.instance
   where s.places is null and s.workspace = any ((select dejavu_readable(current_user))::int[])
      or s.places <@ (select dejavu_readable(current_user))::int[] or dejavu_is_owner(current_user);

-- payload: msgpack [crc32, msgpack [length, base generation, zstd frame]].
create or replace view {views}.raw_chunks with (security_barrier) as
  select s.number as source, s.name,
         ('x' || encode(substring(r.key from 10 for 4), 'hex'))::bit(32)::int as generation,
         ('x' || encode(substring(r.key from 14 for 8), 'hex'))::bit(64)::bigint as "offset",
         r.value as payload
    from dejavu_sources s
    join dejavu_records r on r.key >= '\x52'::bytea || int8send(s.number)
                         and r.key < '\x52'::bytea || int8send(s.number + 1)
   where s.places is null and s.workspace = any ((select dejavu_readable(current_user))::int[])
      or s.places <@ (select dejavu_readable(current_user))::int[] or dejavu_is_owner(current_user);

create or replace view {views}.memories with (security_barrier) as
  select data ->> 'id' as id, data ->> 'text' as text, data ->> 'workspace' as workspace,
         coalesce((data ->> 'confidence')::float8, 0.5) as confidence,
         to_timestamp((data ->> 'created_at')::float8) as created_at,
         to_timestamp((data ->> 'updated_at')::float8) as updated_at,
         data ->> 'source' as source, data ->> 'superseded_by' as superseded_by, data
    from dejavu_notes
   where namespace = 'memories' and substring(key from 1 for 1) = '\x6d'
     and dejavu_rank(current_user, null) > 0;

create or replace view {views}.recall_log with (security_barrier) as
  select (data ->> 'sequence')::bigint as sequence, to_timestamp((data ->> 'at')::float8) as at,
         data ->> 'context' as context, data -> 'results' as results
    from dejavu_notes
   where namespace = 'memories' and substring(key from 1 for 1) = '\x6c'
     and dejavu_rank(current_user, null) > 0;

-- The edits and commands of agents, as they asked for them.
create or replace view {views}.edits with (security_barrier) as
  select c.id as conversation, p.seq, p.part, t.at, p.name as tool, p.call, p.content as arguments,
         dejavu_path_in(p.type, p.content) as path
    from dejavu_parts p
    join dejavu_turns t on t.conversation = p.conversation and t.seq = p.seq and t.month = p.month
    join dejavu_conversations c on c.number = p.conversation
   where p.type = 'tool_call' and p.name ~* '(edit|write|patch|replace|create_file)'
     and p.workspace = any ((select dejavu_readable(current_user))::int[]);

create or replace view {views}.audit with (security_barrier) as
  select a.number, a.at, a.login, a.role, a.action, a.object, w.name as workspace, a.detail
    from dejavu_audit a left join dejavu_workspaces w on w.id = a.workspace
   where dejavu_rank(current_user, coalesce(a.workspace, 0)) >= 3;

-- The newest turns that hold all words of a text, of those that the caller may read. As `dejavu search` does on the
-- server: by an index, month by month.
create or replace function {views}.search(wanted text, most int default 20)
returns table (conversation text, seq int, role text, at timestamptz, agent text, text text)
language sql stable set search_path from current as $$
  select f.conversation, f.seq, f.role, to_timestamp(f.at), f.agent, f.content
    from dejavu_find(current_user, jsonb_build_array(jsonb_build_object('index', (
             select string_agg(quote_literal(word), ' & ') from unnest(tsvector_to_array(dejavu_words(wanted))) as word),
           'exact', null, 'shapes', '[]'::jsonb, 'every', true, 'type', 'text')),
         null, tsvector_to_array(dejavu_words(wanted)), null, null, null, null, null, true, null, null, null,
         most) f
   where dejavu_words(wanted) <> ''::tsvector
$$;
