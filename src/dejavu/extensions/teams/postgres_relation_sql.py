"""The statements that bring the relations up, each from one JSON document of rows.

`postgres_relations` runs them, and the server (`dejavu_commit`) where a commit was prepared. Holds no code.

Tested in: tests/extensions/teams/test_postgres_relations.py
"""

# A separate statement: row-level security judges the rows of the next one by the workspaces that were
# there when it began.
PLACES = """
select dejavu_workspace(workspace), dejavu_instance(instance, current_user)
from json_to_recordset(%t::json) as t (workspace text, instance text)
"""
CONVERSATIONS = """
insert into dejavu_conversations (number, id, workspace, instance, agent, native_id, title, prompt,
  started_at, ended_at, captured_at, first_seq, turn_count, vectors, parent, relation, source,
  agent_version)
select number, id, dejavu_workspace(workspace), dejavu_instance(instance, current_user), agent,
  native_id, title, prompt, to_timestamp(started_at), to_timestamp(ended_at),
  to_timestamp(captured_at), first_seq, turn_count,
  array(select json_array_elements_text(vectors)), parent, relation, source, agent_version
from json_to_recordset(%t::json) as t (number bigint, id text, workspace text, instance text,
  agent text, native_id text, title text, prompt text, started_at float8, ended_at float8,
  captured_at float8, first_seq int, turn_count int, vectors json, parent text, relation text,
  source text, agent_version text)
on conflict (id) do update set (number, workspace, instance, agent, native_id, title, prompt,
  started_at, ended_at, captured_at, first_seq, turn_count, vectors, parent, relation, source,
  agent_version) = (excluded.number, excluded.workspace, excluded.instance, excluded.agent,
  excluded.native_id, excluded.title, excluded.prompt, excluded.started_at, excluded.ended_at,
  excluded.captured_at, excluded.first_seq, excluded.turn_count, excluded.vectors,
  excluded.parent, excluded.relation, excluded.source, excluded.agent_version)
"""
TURNS = """
insert into dejavu_turns (conversation, seq, month, workspace, at, role, vector, model, usage,
  native_id, parent)
select t.conversation, t.seq, t.month, c.workspace, to_timestamp(t.at), t.role, t.vector, t.model,
  t.usage::jsonb, t.native_id, t.parent
from json_to_recordset(%t::json) as t (conversation bigint, seq int, month date, at float8,
  role text, vector text, model text, usage json, native_id text, parent text)
join dejavu_conversations c on c.number = t.conversation
on conflict do nothing
"""
PARTS = """
insert into dejavu_parts (conversation, seq, part, month, workspace, type, name, call, content,
  length)
select t.conversation, t.seq, t.part, t.month, c.workspace, t.type, t.name, t.call, t.content,
  t.length
from json_to_recordset(%t::json) as t (conversation bigint, seq int, part int, month date,
  type text, name text, call text, content text, length int)
join dejavu_conversations c on c.number = t.conversation
on conflict do nothing
"""
PLACES_OF_PROJECTS = """
select dejavu_workspace(workspace, project), dejavu_instance(instance, current_user)
from json_to_recordset(%t::json) as t (workspace text, project text, instance text)
"""
CONVERSATIONS_OF_PROJECTS = (
    CONVERSATIONS.replace("\n  agent_version)\nselect", "\n  agent_version, project)\nselect", 1)
    .replace("dejavu_workspace(workspace)", "dejavu_workspace(workspace, project)")
    .replace("source, agent_version\nfrom", "source, agent_version, project\nfrom")
    .replace("source text, agent_version text)", "source text, agent_version text, project text)")
    .replace("source,\n  agent_version) = (", "source,\n  agent_version, project) = (")
    .replace("excluded.agent_version)", "excluded.agent_version, excluded.project)")
)
WITH_META = 15
"""The schema from which on turns have `meta`, and parts `is_error`."""
TURNS_WITH_META = (
    TURNS.replace("native_id, parent)", "native_id, parent, meta)", 1)
    .replace("t.parent\n", "t.parent,\n  t.meta::jsonb\n")
    .replace("parent text)", "parent text, meta json)")
)
PARTS_WITH_ERRORS = (
    PARTS.replace("\n  length)", "\n  length, is_error)", 1)
    .replace("t.length\n", "t.length, t.is_error\n")
    .replace("length int)", "length int, is_error boolean)")
)
SOURCES = """
insert into dejavu_sources (number, hash, name, generation, length)
select number, decode(hash, 'hex'), name, generation, length
from json_to_recordset(%t::json) as t (number bigint, hash text, name text, generation int,
  length bigint)
on conflict (number) do update set (hash, name, generation, length)
  = (excluded.hash, excluded.name, excluded.generation, excluded.length)
"""
LINKS = """
insert into dejavu_links (source, conversation)
select source, conversation
from json_to_recordset(%t::json) as t (source bigint, conversation text)
on conflict do nothing
"""
NOTES = """
insert into dejavu_notes (namespace, key, data)
select namespace, decode(key, 'hex'), data::jsonb
from json_to_recordset(%t::json) as t (namespace text, key text, data json)
on conflict (namespace, key) do update set data = excluded.data
"""
PARTITIONS = (
    "select dejavu_partition(month::date) from json_array_elements_text(%t::json) as months (month)"
)
GONE_CONVERSATIONS = (
    "delete from dejavu_conversations "
    "where id = any(array(select json_array_elements_text(%t::json)))"
)
GONE_SOURCES = """
delete from dejavu_sources where hash = any(array(
  select decode(hash, 'hex') from json_array_elements_text(%t::json) as gone (hash)))
"""
GONE_TURNS = """
select dejavu_delete_turns(array_agg(conversation), array_agg(seq))
from json_to_recordset(%t::json) as t (conversation bigint, seq int)
"""
GONE_LINKS = """
delete from dejavu_links l using json_to_recordset(%t::json) as gone (source bigint, conversation text)
where l.source = gone.source and l.conversation = gone.conversation
"""
GONE_NOTES = """
select dejavu_delete_notes(array(
  select decode(key, 'hex') from json_array_elements_text(%t::json) as gone (key)))
"""
