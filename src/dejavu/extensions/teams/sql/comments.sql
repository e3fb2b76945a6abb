-- What every view and every column is for, as `\d+` in psql shows it. A column is told by its name, and by its
-- table where there the name means something else. Run with the views.
do $$
declare
  told constant jsonb := $told${
    "action": "What was done.",
    "agent": "The agent: claude, codex, amp ...",
    "agent_version": "The agent's version, where it tells.",
    "arguments": "What the tool was given, as JSON; at most 65,536 characters.",
    "at": "When it was; null where it is unknown.",
    "author": "The login that added it; null for the keeper.",
    "by": "The login that did it.",
    "cache_read": "US dollars per million tokens read from a cache; null: as input.",
    "cache_write": "US dollars per million tokens written to a cache; null: as input.",
    "cache_write_1h": "US dollars per million tokens written to a cache for an hour; null: as cache_write.",
    "cache_write_1h_tokens": "Those of cache_write_tokens that are kept for an hour.",
    "cache_write_tokens": "Tokens of the input that were written to a cache.",
    "cached_tokens": "Tokens of the input that came from a cache.",
    "call": "The id that joins a tool's call and its result.",
    "captured_at": "When it was first archived.",
    "closed": "Whether it is private only because new projects are; owners of the archive may share it.",
    "confidence": "How far the memory is trusted, 0 to 1.",
    "content": "The text, or JSON where it is none; at most 65,536 characters.",
    "context": "What was asked.",
    "conversation": "The id of the conversation.",
    "conversations": "How many conversations.",
    "cost": "US dollars, as the agents reported them; null where they did not.",
    "created_at": "When it was stored.",
    "data": "The record as JSON.",
    "day": "The day, UTC.",
    "days": "Days that conversations are kept after their end.",
    "detail": "More about it, as JSON.",
    "ended_at": "When its last turn was; null where the agent does not tell.",
    "estimated_cost": "US dollars at the list prices where the agent reported none; null where the model has no price.",
    "finish_reason": "How the answer ended, in the agent's word: end_turn, tool_use, max_tokens ...",
    "first_seq": "The number of its first turn that is kept.",
    "follows": "The projects and folders whose members have their rights here.",
    "generation": "How often its bytes began again.",
    "hash": "The key of its record.",
    "hidden": "Whether its workspace is private; such text is in no index.",
    "id": "Its id.",
    "input": "US dollars per million tokens of input.",
    "input_tokens": "Tokens that models read, those from caches included.",
    "inside": "The private project or folder above, whose members have their rights here.",
    "instance": "The machine or container, as USER@HOST.",
    "instances": "The machines on which copies of it were met.",
    "is_error": "Whether a tool's result says that it failed; null where it is no result, or an older program wrote it.",
    "is_project": "Whether it is a project; else a folder.",
    "key": "The key of the record.",
    "length": "Characters of the whole text, or bytes of a source.",
    "login": "The login that did it.",
    "meta": "Small facts of the agent, as JSON.",
    "model": "The model; null where none is named.",
    "month": "The first day of its month, UTC: name it to read only those partitions.",
    "moved": "How many log entries of others came between preparation and commit.",
    "name": "Its name.",
    "namespace": "The part of the program whose record it is.",
    "native_id": "The agent's own id.",
    "number": "Its number in this archive.",
    "object": "What it was done to.",
    "offset": "The place of the chunk's first byte in its source.",
    "output": "US dollars per million tokens of output.",
    "output_tokens": "Tokens that models wrote.",
    "owner": "The login whose machine it is; null where it is unknown.",
    "parent": "The one it follows or belongs to.",
    "part": "The place within its turn, from 0.",
    "part_of": "The project of the conversations in this folder; null where they are in none.",
    "path": "The file that a tool was given; null where it was given none.",
    "payload": "The chunk: msgpack [crc32, msgpack [length, base generation, zstd frame]].",
    "private": "Whether only those with a right in it see it.",
    "project": "The project: of the git remote, or a name given; else the folder.",
    "prompt": "The first prompt, at most 400 characters.",
    "prompts": "Turns of the user that hold text.",
    "quarter": "Unix time / 900; -2147483648 for turns without a time.",
    "rank": "1 reader, 2 writer, 3 curator, 4 owner.",
    "reason": "Why it is held.",
    "relation": "What it is to its parent: a sub-agent's, a fork, side.",
    "reported": "2: agents said what it cost; 1: they said nothing is to pay; 0: they did not say.",
    "results": "What was found, as JSON.",
    "role": "user, assistant, tool or system; of a right the login.",
    "seq": "The number of the turn in its conversation.",
    "sequence": "Its number in the log.",
    "session": "The program's session.",
    "since": "The first day of the price; null where it always was.",
    "size": "How large the requests were: a step of input tokens at which prices change.",
    "source": "The file or stream that it was read from.",
    "started_at": "When its first turn was; null where the agent does not tell.",
    "superseded_by": "The memory that took its place.",
    "text": "The text of the turn, or of the memory.",
    "title": "What it is called.",
    "tool": "The tool's name.",
    "turn_count": "How many turns it has.",
    "turns": "How many turns.",
    "type": "text, reasoning, tool_call, tool_call_response, blob, or x.AGENT.TYPE.",
    "updated_at": "When it was changed last.",
    "usage": "Tokens as the vendor reported them, as JSON.",
    "value": "The record, with its checksum.",
    "vector": "How it was captured: native, stream, hook, otlp, wire or screen.",
    "vectors": "How it was captured.",
    "within": "The projects and folders whose retention and holds cover it.",
    "workspace": "The folder that it was held in.",
    "writer": "Who wrote it, where its conversation was not there, or where it is theirs alone."
  }$told$;
  views constant jsonb := $views${
    "dejavu_held_records": "What was overwritten or deleted of conversations under a legal hold, as it was.",
    "dejavu_holds": "Legal holds, of a conversation or a workspace.",
    "dejavu_retention": "How long conversations are kept; without a workspace, in all that have no rule of their own.",
    "audit": "What was deleted, changed or given, when, and by which login. For curators.",
    "conversations": "A conversation a row.",
    "daily": "Conversations, turns, prompts and tokens by day, workspace, agent, machine and model.",
    "edits": "Calls of tools that change files, as agents asked for them.",
    "instances": "Machines and containers, and the login that each belongs to.",
    "memories": "Memories, the archive's curated facts.",
    "parts": "What turns consist of: text, reasoning, calls of tools and their results.",
    "prices": "The vendors' list prices, in US dollars per million tokens.",
    "raw_chunks": "The agents' own bytes, as they are stored.",
    "recall_log": "What was recalled, and when.",
    "sessions": "An agent's session a row, on however many machines copies of it were met.",
    "sources": "The files and streams that conversations were read from.",
    "turns": "A turn a row, with its text.",
    "usage": "Turns, tokens and cost by conversation, quarter of an hour and model.",
    "workspaces": "Folders that conversations were held in; a folder of several projects is several rows."
  }$views$;
  it record;
begin
  for it in
    select c.oid, c.oid::regclass as place, c.relname, c.relkind, a.attname,
           told ->> a.attname::text as said, col_description(c.oid, a.attnum) as before
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace in (to_regnamespace({views_name}), (select relnamespace from pg_class
                               where oid = 'dejavu_records'::regclass))
       and c.relkind in ('r', 'p', 'v') and not c.relispartition and pg_has_role(c.relowner, 'USAGE')
       and (c.relkind = 'v' or c.relname like 'dejavu\_%' and c.relname not like 'dejavu\_records\_replaced%')
  loop
    if it.attname = (select attname from pg_attribute where attrelid = it.oid and attnum = 1)
       and views ? it.relname::text then
      execute format('comment on %s %s is %L', case it.relkind when 'v' then 'view' else 'table' end, it.place,
                     views ->> it.relname::text);
    end if;
    if it.said is not null and it.before is distinct from it.said and (it.before is null or it.relkind = 'v') then
      execute format('comment on column %s.%I is %L', it.place, it.attname, it.said);
    end if;
  end loop;
end $$;
comment on function {views}.search(text, int) is 'The newest turns that hold all words of a text, of those that you may read.';
