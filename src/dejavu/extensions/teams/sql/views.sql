-- What people read, in a schema of its own ({views}). The predicate stands in the view, since a view
-- with its reader's own rights (security_invoker) needs PostgreSQL 15.
create schema if not exists {views};

create or replace view {views}.workspaces with (security_barrier) as
  select id, name, private from dejavu_workspaces
   where id = any ((select dejavu_readable(current_user))::int[]);

create or replace view {views}.instances with (security_barrier) as
  select id, name, owner from dejavu_instances where dejavu_rank(current_user, null) > 0;

create or replace view {views}.conversations with (security_barrier) as
  select c.id, w.name as workspace, i.name as instance, c.agent, c.native_id, c.title, c.prompt,
         c.started_at, c.ended_at, c.captured_at, c.first_seq, c.turn_count, c.vectors, c.parent,
         c.relation, c.source, c.agent_version, c.number
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
  select c.id as conversation, p.seq, p.part, p.type, p.name, p.call, p.content, p.length, p.month
    from dejavu_parts p join dejavu_conversations c on c.number = p.conversation
   where p.workspace = any ((select dejavu_readable(current_user))::int[]);

create or replace view {views}.turns with (security_barrier) as
  select c.id as conversation, t.seq, t.role, t.at, t.vector, t.model, t.usage, t.native_id,
         t.parent, t.month,
         (select string_agg(p.content, E'\n\n' order by p.part) from dejavu_parts p
           where p.conversation = t.conversation and p.seq = t.seq and p.month = t.month
             and p.type = 'text') as text
    from dejavu_turns t join dejavu_conversations c on c.number = t.conversation
   where t.workspace = any ((select dejavu_readable(current_user))::int[]);

create or replace view {views}.daily with (security_barrier) as
  select (t.at at time zone 'UTC')::date as day, w.name as workspace, c.agent, i.name as instance,
         t.model, count(distinct t.conversation) as conversations, count(*) as turns,
         count(*) filter (where t.role = 'user') as prompts,
         sum((t.usage ->> 'input_tokens')::numeric) as input_tokens,
         sum((t.usage ->> 'output_tokens')::numeric) as output_tokens
    from dejavu_turns t
    join dejavu_conversations c on c.number = t.conversation
    join dejavu_workspaces w on w.id = t.workspace
    join dejavu_instances i on i.id = c.instance
   where t.at is not null and t.workspace = any ((select dejavu_readable(current_user))::int[])
   group by 1, 2, 3, 4, 5;

create or replace view {views}.sources with (security_barrier) as
  select s.number, s.name, s.generation, s.length, i.name as instance
    from dejavu_sources s left join dejavu_instances i on i.id = s.instance
   where s.workspace = any ((select dejavu_readable(current_user))::int[])
      or dejavu_is_owner(current_user);

-- payload: msgpack [crc32, msgpack [length, base generation, zstd frame]].
create or replace view {views}.raw_chunks with (security_barrier) as
  select s.number as source, s.name,
         ('x' || encode(substring(r.key from 10 for 4), 'hex'))::bit(32)::int as generation,
         ('x' || encode(substring(r.key from 14 for 8), 'hex'))::bit(64)::bigint as "offset",
         r.value as payload
    from dejavu_sources s
    join dejavu_records r on r.key >= '\x52'::bytea || int8send(s.number)
                         and r.key < '\x52'::bytea || int8send(s.number + 1)
   where s.workspace = any ((select dejavu_readable(current_user))::int[])
      or dejavu_is_owner(current_user);

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
  select c.id as conversation, p.seq, p.part, t.at, p.name as tool, p.call, p.content as arguments
    from dejavu_parts p
    join dejavu_turns t on t.conversation = p.conversation and t.seq = p.seq and t.month = p.month
    join dejavu_conversations c on c.number = p.conversation
   where p.type = 'tool_call' and p.name ~* '(edit|write|patch|replace|create_file)'
     and p.workspace = any ((select dejavu_readable(current_user))::int[]);

create or replace view {views}.audit with (security_barrier) as
  select a.number, a.at, a.login, a.role, a.action, a.object, w.name as workspace, a.detail
    from dejavu_audit a left join dejavu_workspaces w on w.id = a.workspace
   where dejavu_rank(current_user, coalesce(a.workspace, 0)) >= 3;
