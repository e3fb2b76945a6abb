-- Rights, told by the server itself: run by `dejavu team init`, and again without harm.
-- {reader} {writer} {curator} {owner}: roles without a login; {schema}: of the archive; {views}: of its views.

do $$
declare one text;
begin
  foreach one in array array[{role_names}] loop
    if to_regrole(quote_ident(one)) is null then execute format('create role %I nologin', one); end if;
  end loop;
end $$;
do $$
declare
  groups text[] := array[{role_names}];
begin
  for i in 1..3 loop
    if not pg_has_role(groups[i + 1], groups[i], 'MEMBER') then
      execute format('grant %I to %I', groups[i], groups[i + 1]);
    end if;
  end loop;
end $$;

-- Who may make things in this schema could make functions that ours are taken for.
do $$
begin
  revoke create on schema {schema} from public;
exception when insufficient_privilege then
  raise notice 'the schema is not ours: its owner revokes create on it from public';
end $$;
grant usage on schema {schema}, {views} to {reader};
grant select on all tables in schema {views} to {reader};
grant select on dejavu_records, dejavu_commits, dejavu_conversations, dejavu_turns, dejavu_parts,
  dejavu_sources, dejavu_links, dejavu_notes, dejavu_workspaces, dejavu_instances, dejavu_members,
  dejavu_migrations, dejavu_settings to {reader};
-- A writer holds no more than they need: whoever has UPDATE or DELETE on a whole table may lock it against
-- everyone. They delete by the functions below.
revoke insert, update, delete on dejavu_records, dejavu_commits, dejavu_conversations, dejavu_turns,
  dejavu_parts, dejavu_sources, dejavu_links, dejavu_notes from {writer};
grant insert on dejavu_records, dejavu_commits, dejavu_conversations, dejavu_turns, dejavu_parts,
  dejavu_sources, dejavu_links, dejavu_notes to {writer};
grant update (value) on dejavu_records to {writer};
grant update (number, at, moved) on dejavu_commits to {writer};
grant update (number, workspace, instance, agent, native_id, title, prompt, started_at, ended_at,
  captured_at, first_seq, turn_count, vectors, parent, relation, source, agent_version, project)
  on dejavu_conversations to {writer};
grant update (hash, name, generation, length) on dejavu_sources to {writer};
grant update (data) on dejavu_notes to {writer};
grant update, delete on dejavu_records, dejavu_commits, dejavu_conversations, dejavu_turns,
  dejavu_parts, dejavu_sources, dejavu_links, dejavu_notes to {curator};

alter table dejavu_sources add column if not exists author name;

-- Whether nothing at all is hidden from a member: then no row has to be looked at.
create or replace function dejavu_sees_all(who name) returns boolean
language plpgsql stable security definer set search_path from current as $$
begin
  return dejavu_reaches(who, 0, 1) and not exists (
    select from dejavu_workspaces where private and inside is null and not dejavu_reaches(who, id, 1));
end $$;

create or replace function dejavu_int8(bytes bytea) returns bigint
language sql immutable strict as $$ select ('x' || encode(bytes, 'hex'))::bit(64)::bigint $$;

-- The conversation or the source that a record belongs to, by its key (dejavu/archive/keys.py).
create or replace function dejavu_record_of(
  key bytea, out letter text, out conversation bigint, out source bigint
) language plpgsql stable security definer set search_path from current as $$
declare
  about record;
begin
  letter := chr(get_byte(key, 0));
  if letter in ('T', 'N') and length(key) >= 9 then
    conversation := dejavu_int8(substring(key from 2 for 8));
  elsif letter = 'O' and length(key) >= 9 then
    conversation := dejavu_int8(substring(key from length(key) - 7));
  elsif letter in ('H', 'X') then
    select number into conversation from dejavu_conversations
     where id = convert_from(substring(key from 2), 'UTF8');
  elsif letter = 'L' and get_byte(key, 1) = 99 then
    conversation := dejavu_int8(substring(key from 3 for 8));
    source := dejavu_int8(substring(key from 11 for 8));
  elsif letter = 'L' then
    source := dejavu_int8(substring(key from 3 for 8));
    select number into conversation from dejavu_conversations
     where id = convert_from(substring(key from 11), 'UTF8');
  elsif letter in ('R', 'P') and length(key) >= 9 then
    source := dejavu_int8(substring(key from 2 for 8));
  elsif letter = 'S' then
    select number into source from dejavu_sources where hash = substring(key from 2);
  elsif letter = 'V' then
    about := dejavu_about(key);
    if about.kind = 'conversation' then
      select number into conversation from dejavu_conversations where id = about.name;
    elsif about.kind = 'source' then  -- a source that another gave this name is another
      select s.number into source from dejavu_sources s where s.name = about.name
         and (s.author is null or s.author = dejavu_record_owner(key)) limit 1;
    end if;
  end if;
end $$;

-- Whether a member is, or is in, a role; false where that is gone.
create or replace function dejavu_is_of(who name, other name) returns boolean
language sql stable as $$
  select coalesce(pg_has_role(who, to_regrole(quote_ident(other)), 'MEMBER'), false)
$$;

-- Whether a member may read a record: for those that do not carry their workspace, and for sources, which
-- their authors read.
create or replace function dejavu_sees(who name, key bytea) returns boolean
language plpgsql stable security definer set search_path from current as $$
declare
  letter int := get_byte(key, 0);
  it record;
  place int;
  kind text := case when get_byte(key, 0) = 86 then (dejavu_about(key)).kind end;
begin
  if letter = 72 then
    select c.workspace into place from dejavu_conversations c
     where c.id = convert_from(substring(key from 2), 'UTF8');
  elsif letter in (78, 79, 84) and length(key) >= 9 then
    select c.workspace into place from dejavu_conversations c where c.number = dejavu_int8(
      case when letter = 79 then substring(key from length(key) - 7) else substring(key from 2 for 8) end);
  else
    it := dejavu_record_of(key);
    if it.conversation is not null then
      select workspace into place from dejavu_conversations where number = it.conversation;
    elsif letter = 86 and it.source is null and kind <> 'conversation' then
      return kind = 'instance' and dejavu_rank(who, null) > 0 or kind <> 'instance'
         and pg_has_role(session_user, who, 'MEMBER') and dejavu_is_of(who, dejavu_record_owner(key));
    elsif it.source is not null then
      select s.workspace, s.author, s.places into it from dejavu_sources s where s.number = it.source;
      return not found or it.workspace is not null and it.places is null and dejavu_reaches(who, it.workspace, 1)
          or it.places <@ dejavu_readable(who)
          or it.author = who and pg_has_role(session_user, who, 'MEMBER')
          or it.workspace is null and (it.author is null and letter <> 86 or dejavu_reaches(who, 0, 3))
          or letter = 86 and pg_has_role(session_user, who, 'MEMBER')
             and dejavu_is_of(who, dejavu_record_owner(key));
    else
      return dejavu_rank(who, null) > 0 and (kind is null or dejavu_reaches(who, 0, 3));
    end if;
  end if;
  if place is null then return letter = 88 or dejavu_reaches(who, 0, 3); end if;
  return dejavu_reaches(who, place, 1);
end $$;

-- A writer may write what is of an instance of their own; a curator all of a workspace.
create or replace function dejavu_writes(who name, conversation bigint, need int) returns boolean
language plpgsql stable security definer set search_path from current as $$
declare
  place int;
  maker name;
begin
  if dejavu_is_owner(who) then return true; end if;
  select c.workspace, i.owner into place, maker
    from dejavu_conversations c join dejavu_instances i on i.id = c.instance
   where c.number = dejavu_writes.conversation;
  if not found then return dejavu_reaches(who, 0, 3); end if;
  return maker is not null and dejavu_is_of(who, maker) and dejavu_reaches(who, place, need)
      or dejavu_reaches(who, place, 3);
end $$;

create or replace function dejavu_writes_named(who name, wanted text) returns boolean
language plpgsql stable security definer set search_path from current as $$
begin
  return dejavu_writes(who, (select number from dejavu_conversations where id = wanted), 2);
end $$;

create or replace function dejavu_writes_source(who name, wanted bigint, unknown boolean)
returns boolean language plpgsql stable security definer set search_path from current as $$
declare
  it record;
begin
  if dejavu_is_owner(who) then return true; end if;
  if not pg_has_role(session_user, who, 'MEMBER') then return false; end if;
  select s.workspace, s.author, s.instance, i.owner into it
    from dejavu_sources s left join dejavu_instances i on i.id = s.instance where s.number = wanted;
  if not found then
    return unknown and dejavu_rank(who, null) >= 2 or dejavu_reaches(who, 0, 3);
  end if;
  return coalesce(it.author = who, false)
      or it.author is null and it.instance is null and dejavu_reaches(who, 0, 2)
      or it.author is null and it.owner is not null and dejavu_is_of(who, it.owner)
      or dejavu_reaches(who, coalesce(it.workspace, 0), 3);
end $$;

drop function if exists dejavu_refuse(text, name);
create or replace function dejavu_refuse(what text, who name, whom text default 'a curator or an owner')
returns void language plpgsql as $$
begin
  raise exception '% may not %', who, what using errcode = 'insufficient_privilege',
    hint = 'ask ' || whom || ' of the archive; `dejavu team status` names them';
end $$;

-- What a member may not do to a record; null where they may. Of what they may not write they do not learn
-- whether it is there.
create or replace function dejavu_refused_record(who name, op text, key bytea) returns text
language plpgsql stable security definer set search_path from current as $$
declare
  it record := dejavu_record_of(key);
  about record;
  machine record;
begin
  if it.letter = 'V' then about := dejavu_about(key); else select null as kind, null as name into about; end if;
  if dejavu_is_owner(who) then
    return null;
  elsif it.letter in ('M', 'G', 'V') then
    if dejavu_rank(who, null) < 2
       or op = 'DELETE' and it.letter = 'M' and dejavu_rank(who, 0) < 4
       or op <> 'INSERT' and it.letter = 'G' and dejavu_rank(who, 0) < 3 then
      return lower(op) || ' records of the archive';
    elsif about.kind = 'conversation' and op <> 'DELETE' and not (it.conversation is not null
        and dejavu_sees(who, key) or dejavu_reaches(who, 0, 3)) then
      return 'explain conversations that they may not read';
    elsif it.source is not null and not dejavu_writes_source(who, it.source, op = 'DELETE')
       or about.kind in ('source', 'own') and it.source is null
          and not dejavu_is_of(who, dejavu_record_owner(key)) then
      return lower(op) || ' sources of others';
    elsif about.kind = 'instance' and not dejavu_reaches(who, 0, 3) then
      select i.owner into machine from dejavu_instances i where md5(i.name) = md5(about.name);
      if not (op = 'INSERT' and machine.owner is null or dejavu_is_of(who, machine.owner)) then
        return lower(op) || ' machines of others';
      end if;
    end if;
  elsif it.letter in ('S', 'P', 'R') then
    if not dejavu_writes_source(who, it.source, op = 'DELETE') then
      return lower(op) || ' sources of others';
    end if;
  elsif it.letter = 'L' and not dejavu_writes_source(who, it.source, op = 'DELETE') then
    return lower(op) || ' links to sources of others';
  elsif not dejavu_writes(who, it.conversation,
      case when it.letter = 'X' or op = 'DELETE' and it.letter in ('H', 'N') then 3 else 2 end)
  then
    return lower(op) || ' conversations of others, or prune';
  end if;
  return null;
end $$;

-- What is gone or changed is judged at once, what comes in at the commit: by then it is known
-- which conversation it belongs to.
create or replace function dejavu_guard_records() returns trigger
language plpgsql set search_path from current as $$
declare
  who name := current_user;
  refused text;
begin
  if tg_op = 'UPDATE' and new.key <> old.key and not dejavu_is_owner(who) then
    refused := 'change the key of a record';
  elsif tg_op = 'DELETE' then refused := dejavu_refused_record(who, tg_op, old.key);
  else refused := dejavu_refused_record(who, tg_op, new.key);
  end if;
  if refused is not null then perform dejavu_refuse(refused, who); end if;
  return case when tg_op = 'DELETE' then old else new end;
end $$;
drop trigger if exists dejavu_guard_old on dejavu_records;
create trigger dejavu_guard_old before update or delete on dejavu_records
  for each row execute function dejavu_guard_records();
drop trigger if exists dejavu_guard_new on dejavu_records;
create constraint trigger dejavu_guard_new after insert on dejavu_records
  deferrable initially deferred for each row execute function dejavu_guard_records();

create or replace function dejavu_guard_conversations() returns trigger
language plpgsql set search_path from current as $$
declare
  who name := current_user;
  maker name;
begin
  if dejavu_is_owner(who) then
    null;
  elsif tg_op = 'DELETE' then
    if dejavu_rank(who, old.workspace) < 3 then
      perform dejavu_refuse('delete conversations', who);
    end if;
  else
    select owner into maker from dejavu_instances where id = new.instance;
    if dejavu_rank(who, new.workspace) < 3 and (dejavu_rank(who, new.workspace) < 2
       or maker is null or not dejavu_is_of(who, maker)) then
      perform dejavu_refuse('write conversations of this machine in this project', who);
    end if;
    if tg_op = 'UPDATE' and (not dejavu_writes(who, old.number, 2) or new.id <> old.id
        or new.number <> old.number and not dejavu_writes(who, new.number, 2)) then
      perform dejavu_refuse('change conversations of others', who);
    end if;
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end $$;
drop trigger if exists dejavu_guard on dejavu_conversations;
create trigger dejavu_guard before insert or update or delete on dejavu_conversations
  for each row execute function dejavu_guard_conversations();

-- The workspace of a conversation that a member may write, and whether that is private; null where they may
-- not, or where there is none. One look-up for a row: a row has to be judged before its key is compared
-- with those that are there, so the guards cannot wait for the end of the statement.
drop function if exists dejavu_place_of(bigint) cascade;
create or replace function dejavu_place_to_write(
  who name, wanted bigint, out workspace int, out hidden boolean
) language plpgsql stable security definer set search_path from current as $$
declare
  maker name;
begin
  select c.workspace, w.private, i.owner into workspace, hidden, maker from dejavu_conversations c
    join dejavu_workspaces w on w.id = c.workspace join dejavu_instances i on i.id = c.instance
   where c.number = wanted;
  if workspace is null or maker is not null and dejavu_is_of(who, maker)
     and dejavu_reaches(who, workspace, 2) or dejavu_reaches(who, workspace, 3) then
    return;
  end if;
  workspace := null;
  hidden := null;
end $$;

create or replace function dejavu_guard_turns() returns trigger
language plpgsql set search_path from current as $$
declare
  who name := current_user;
  it record;
begin
  if tg_op = 'DELETE' then
    if not dejavu_writes(who, old.conversation, 2) then
      perform dejavu_refuse('delete turns of others', who);
    end if;
    return old;
  end if;
  it := dejavu_place_to_write(who, new.conversation);
  if it.workspace is null and not dejavu_is_owner(who)
     or tg_op = 'UPDATE' and old.conversation <> new.conversation
        and not dejavu_writes(who, old.conversation, 2) then
    perform dejavu_refuse('write turns of others', who);
  end if;
  new.workspace := it.workspace;
  if tg_argv[0] = 'parts' then new.hidden := it.hidden; end if;
  return new;
end $$;
drop trigger if exists dejavu_guard on dejavu_turns;
create trigger dejavu_guard before insert or update or delete on dejavu_turns
  for each row execute function dejavu_guard_turns();
drop trigger if exists dejavu_guard on dejavu_parts;
create trigger dejavu_guard before insert or update or delete on dejavu_parts
  for each row execute function dejavu_guard_turns('parts');

create or replace function dejavu_guard_sources() returns trigger
language plpgsql set search_path from current as $$
declare
  who name := current_user;
begin
  if tg_op = 'INSERT' then
    new.author := case when dejavu_is_owner(who) then null else who end;
    if not dejavu_is_owner(who) and dejavu_rank(who, null) < 2 then
      perform dejavu_refuse('add sources', who);
    end if;
    if not dejavu_is_owner(who) then
      new.workspace := null; new.instance := null; new.places := null; new.left_places := null;
    end if;
    return new;
  end if;
  if not dejavu_writes_source(who, old.number, false) then
    perform dejavu_refuse('change sources of others', who);
  end if;
  if tg_op = 'UPDATE' and not dejavu_is_owner(who) then
    if new.number <> old.number then
      perform dejavu_refuse('change the number of a source', who);
    end if;
    new.author := old.author; new.workspace := old.workspace; new.instance := old.instance;
    new.places := old.places; new.left_places := old.left_places;
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end $$;
drop trigger if exists dejavu_guard on dejavu_sources;
create trigger dejavu_guard before insert or update or delete on dejavu_sources
  for each row execute function dejavu_guard_sources();

create or replace function dejavu_guard_links() returns trigger
language plpgsql set search_path from current as $$
declare
  who name := current_user;
begin
  if tg_op = 'UPDATE' and not dejavu_is_owner(who) then
    perform dejavu_refuse('change a link', who);
  elsif not dejavu_writes_source(who, case when tg_op = 'DELETE' then old.source else new.source end,
                                 tg_op = 'DELETE') then
    perform dejavu_refuse('link sources of others', who);
  elsif tg_op = 'INSERT' and not dejavu_writes_named(who, new.conversation) then
    perform dejavu_refuse('link to conversations of others', who);
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end $$;
drop trigger if exists dejavu_guard on dejavu_links;
create trigger dejavu_guard before insert or update or delete on dejavu_links
  for each row execute function dejavu_guard_links();

create or replace function dejavu_guard_notes() returns trigger
language plpgsql set search_path from current as $$
begin
  if dejavu_rank(current_user, null) < 2 then
    perform dejavu_refuse('change memories', current_user);
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end $$;
drop trigger if exists dejavu_guard on dejavu_notes;
create trigger dejavu_guard before insert or update or delete on dejavu_notes
  for each row execute function dejavu_guard_notes();

-- Deleting for writers, judged as the guards judge. What a member may not see is left alone without a word,
-- as what is not there.
create or replace function dejavu_delete_records(keys bytea[]) returns void
language plpgsql security definer set search_path from current as $$
declare
  who name := dejavu_caller();
  one bytea;
  refused text;
begin
  if dejavu_rank(who, null) < 2 then perform dejavu_refuse('delete records', who); end if;
  if not dejavu_is_owner(who) then
    keys := array(select r.key from dejavu_records r where r.key = any (keys)
      and (r.workspace = any (dejavu_readable(who)) or r.writer = who or dejavu_sees(who, r.key)));
    foreach one in array keys loop
      refused := dejavu_refused_record(who, 'DELETE', one);
      if refused is not null then perform dejavu_refuse(refused, who); end if;
    end loop;
  end if;
  delete from dejavu_records where key = any (keys);
end $$;

create or replace function dejavu_delete_turns(conversations bigint[], seqs int[]) returns void
language plpgsql security definer set search_path from current as $$
declare
  who name := dejavu_caller();
  seen bigint[] := array(select number from dejavu_conversations
    where number = any (conversations) and workspace = any (dejavu_readable(who)));
  one bigint;
begin
  if dejavu_rank(who, null) < 2 then perform dejavu_refuse('delete turns', who); end if;
  foreach one in array seen loop
    if not dejavu_writes(who, one, 2) then perform dejavu_refuse('delete turns of others', who); end if;
  end loop;
  delete from dejavu_turns t using unnest(conversations, seqs) as gone (conversation, seq)
   where t.conversation = gone.conversation and t.seq = gone.seq and (t.conversation = any (seen)
      or not exists (select from dejavu_conversations c where c.number = t.conversation)
         and dejavu_reaches(who, t.workspace, 3));
  delete from dejavu_parts p using unnest(conversations, seqs) as gone (conversation, seq)
   where p.conversation = gone.conversation and p.seq = gone.seq and (p.conversation = any (seen)
      or not exists (select from dejavu_conversations c where c.number = p.conversation)
         and dejavu_reaches(who, p.workspace, 3));
end $$;

create or replace function dejavu_delete_notes(keys bytea[]) returns void
language plpgsql security definer set search_path from current as $$
begin
  if dejavu_rank(dejavu_caller(), null) < 2 then
    perform dejavu_refuse('change memories', dejavu_caller());
  end if;
  delete from dejavu_notes where namespace = 'memories' and key = any (keys);
end $$;

create or replace function dejavu_forget_commits(over uuid) returns bigint
language plpgsql security definer set search_path from current as $$
declare gone bigint;
begin
  if dejavu_rank(dejavu_caller(), null) < 2 then
    perform dejavu_refuse('forget commits', dejavu_caller());
  end if;
  delete from dejavu_commits
   where case when over is null then at < now() - interval '1 day' else session = over end;
  get diagnostics gone = row_count;
  return gone;
end $$;

-- Lines of the audit are written by these alone; nobody but the tables' owner may touch them.
create or replace function dejavu_note(action text, object text, place int, detail jsonb)
returns void language sql security definer set search_path from current as $$
  insert into dejavu_audit (role, action, object, workspace, detail)
  values (coalesce(nullif(current_setting('role'), 'none'), session_user), action, object, place,
          detail)
$$;
revoke execute on function dejavu_note(text, text, int, jsonb) from public;

create or replace function dejavu_audit_conversations() returns trigger
language plpgsql security definer set search_path from current as $$
begin
  perform dejavu_note('delete conversation', old.id, old.workspace,
    jsonb_build_object('turns', old.turn_count, 'instance', old.instance));
  return null;
end $$;
drop trigger if exists dejavu_audit on dejavu_conversations;
create trigger dejavu_audit after delete on dejavu_conversations
  for each row execute function dejavu_audit_conversations();

create or replace function dejavu_audit_records() returns trigger
language plpgsql security definer set search_path from current as $$
declare
  key bytea := case when tg_op = 'DELETE' then old.key else new.key end;
  pruned text;
begin
  if get_byte(key, 0) = 88 then
    pruned := convert_from(substring(key from 2), 'UTF8');
    perform dejavu_note('prune turns', pruned,
      (select c.workspace from dejavu_conversations c where c.id = pruned), null);
  else
    perform dejavu_note(case tg_op when 'INSERT' then 'add memory' when 'UPDATE' then 'change memory'
      else 'delete memory' end, convert_from(substring(key from 12), 'UTF8'), null, null);
  end if;
  return null;
end $$;
drop trigger if exists dejavu_audit_pruned on dejavu_records;
create trigger dejavu_audit_pruned after insert or update on dejavu_records for each row
  when (substring(new.key from 1 for 1) = '\x58'
        or substring(new.key from 1 for 11) = '\x566d656d6f72696573006d'::bytea)
  execute function dejavu_audit_records();
drop trigger if exists dejavu_audit_deleted on dejavu_records;
create trigger dejavu_audit_deleted after delete on dejavu_records for each row
  when (substring(old.key from 1 for 11) = '\x566d656d6f72696573006d'::bytea)
  execute function dejavu_audit_records();

create or replace function dejavu_audit_members() returns trigger
language plpgsql security definer set search_path from current as $$
begin
  perform dejavu_note(lower(tg_op) || ' member',
    case when tg_op = 'DELETE' then old.role else new.role end,
    case when tg_op = 'DELETE' then old.workspace else new.workspace end,
    jsonb_build_object('rank', case when tg_op = 'DELETE' then 0 else new.rank end));
  return null;
end $$;
drop trigger if exists dejavu_audit on dejavu_members;
create trigger dejavu_audit after insert or update or delete on dejavu_members
  for each row execute function dejavu_audit_members();

create or replace function dejavu_audit_workspaces() returns trigger
language plpgsql security definer set search_path from current as $$
begin
  update dejavu_parts set hidden = new.private where workspace = new.id;
  perform dejavu_place_sources(dejavu_sources_of(new.id));
  perform dejavu_note(case when new.private then 'make private' else 'make shared' end, new.name,
                      new.id, null);
  return null;
end $$;
drop trigger if exists dejavu_audit on dejavu_workspaces;
create trigger dejavu_audit after update of private on dejavu_workspaces
  for each row execute function dejavu_audit_workspaces();

-- What an owner of the team does, without owning the tables.
create or replace function dejavu_grant(member name, wanted int, place text)
returns void language plpgsql security definer set search_path from current as $$
declare
  spot int;
  groups name[] := array[{role_names}];
begin
  if place is not null then spot := dejavu_named_place(place); end if;
  if not dejavu_decides(session_user, coalesce(spot, 0)) then
    perform dejavu_refuse('grant rights', session_user, 'an owner');
  end if;
  if to_regrole(quote_ident(member)) is null then  -- its rights outlived it
    if wanted > 0 then
      raise exception 'there is no login %', member using errcode = 'undefined_object',
        hint = '`dejavu team invite` makes one';
    end if;
    delete from dejavu_members where role = member and (spot is null or workspace = spot);
    return;
  end if;
  -- What the groups themselves are given or lose, all their members are.
  if member = any (groups) or starts_with(member, 'pg_') or dejavu_is_owner(member) then
    raise exception '% may not grant rights to %, which owns the archive or is a role of the server''s', session_user,
      member using errcode = 'insufficient_privilege', hint = 'name the login of a member';
  end if;
  -- Without a place `none` takes every right; and what an earlier login of this name had is dropped.
  delete from dejavu_members where role = member and (
    workspace is not distinct from spot or spot is null and wanted = 0
    or login <> to_regrole(quote_ident(member)));
  if wanted > 0 then
    insert into dejavu_members (role, workspace, rank, by, login)
      values (member, spot, wanted, session_user, to_regrole(quote_ident(member)));
    execute format('grant %I to %I', groups[wanted], member);
  end if;
  for i in 1..4 loop
    if i > coalesce((select max(rank) from dejavu_members where role = member), 0)
       and pg_has_role(member, groups[i], 'MEMBER') then
      execute format('revoke %I from %I', groups[i], member);
    end if;
  end loop;
end $$;

create or replace function dejavu_set_private(place text, hidden boolean)
returns void language plpgsql security definer set search_path from current as $$
declare
  spot int := dejavu_named_place(place);
  before boolean;
  refused text := case when hidden then 'make a project private' else 'share a project' end;
  is_folder boolean := (select not is_project from dejavu_workspaces where id = spot);
begin
  -- What is inside follows, so it takes an owner of all of that.
  if not dejavu_decides(session_user, spot) or hidden and (dejavu_rank(session_user, spot) < 4 or exists (
      select from dejavu_workspaces w where not (w.private and w.inside is null)
         and case when is_folder then starts_with(dejavu_folder(w.name), dejavu_folder(place))
                  else starts_with(coalesce(w.project, w.name) || '/', place || '/') end
         and dejavu_rank(session_user, w.id) < 4)) then
    perform dejavu_refuse(refused, session_user, 'an owner');
  end if;
  lock table dejavu_parts in share row exclusive mode;  -- no part comes in meanwhile, as shared
  select private and inside is null into strict before from dejavu_workspaces where id = spot for update;
  if not dejavu_decides(session_user, spot) then  -- another owner was faster
    perform dejavu_refuse(refused, session_user, 'an owner');
  end if;
  if hidden and not before then  -- an owner who hides it keeps the right that they had
    insert into dejavu_members (role, workspace, rank, by, login)
      select session_user, spot, 4, session_user, to_regrole(quote_ident(session_user))
       where not dejavu_is_owner(session_user)
      on conflict do nothing;
  end if;
  if not hidden and (select dejavu_anchor(w) from dejavu_workspaces w where id = spot) is not null then
    raise exception '% is inside a private project', place
      using errcode = 'object_not_in_prerequisite_state', hint = 'share that one';
  end if;
  update dejavu_workspaces set private = hidden, inside = null where id = spot and before <> hidden;
  update dejavu_workspaces set closed = false where id = spot and closed;
  perform dejavu_place_workspaces();
end $$;

-- Whether projects that come from now on are private until an owner shares them.
create or replace function dejavu_set_closed(wanted boolean)
returns void language plpgsql security definer set search_path from current as $$
begin
  if dejavu_rank(session_user, 0) < 4 then
    perform dejavu_refuse('decide what new projects are', session_user, 'an owner');
  end if;
  insert into dejavu_settings values ('closed', wanted::text)
    on conflict (name) do update set value = excluded.value;
  perform dejavu_note(case when wanted then 'close new projects' else 'open new projects' end, 'archive', null, null);
end $$;

create or replace function dejavu_give_instance(place text, member name)
returns void language plpgsql security definer set search_path from current as $$
begin
  if dejavu_rank(session_user, 0) < 4 then
    perform dejavu_refuse('give a machine', session_user, 'an owner');
  end if;
  insert into dejavu_instances (name, owner) values (place, member)
    on conflict (md5(name)) do update set owner = excluded.owner;
  perform dejavu_note('give instance', place, null, jsonb_build_object('to', member));
end $$;

alter table dejavu_records enable row level security;
drop policy if exists dejavu_read on dejavu_records;
create policy dejavu_read on dejavu_records
  using ((select dejavu_sees_all(current_user))
         or workspace = any ((select dejavu_readable(current_user))::int[])
         or writer = current_user
         or (get_byte(key, 0) in (71, 77) or get_byte(key, 0) = 86
            and coalesce((dejavu_about(key)).kind, 'instance') = 'instance')
            and (select dejavu_rank(current_user, null)) > 0
         or (workspace is null and get_byte(key, 0) not in (71, 77) or get_byte(key, 0) in (80, 82, 83))
            and dejavu_sees(current_user, key))
  with check (true);
alter table dejavu_conversations enable row level security;
drop policy if exists dejavu_read on dejavu_conversations;
create policy dejavu_read on dejavu_conversations
  using (workspace = any ((select dejavu_readable(current_user))::int[])) with check (true);
alter table dejavu_turns enable row level security;
drop policy if exists dejavu_read on dejavu_turns;
create policy dejavu_read on dejavu_turns
  using (workspace = any ((select dejavu_readable(current_user))::int[])) with check (true);
alter table dejavu_parts enable row level security;
drop policy if exists dejavu_read on dejavu_parts;
create policy dejavu_read on dejavu_parts
  using (workspace = any ((select dejavu_readable(current_user))::int[])) with check (true);
alter table dejavu_sources enable row level security;
drop policy if exists dejavu_read on dejavu_sources;
create policy dejavu_read on dejavu_sources
  using (places is null and workspace = any ((select dejavu_readable(current_user))::int[])
         or places <@ (select dejavu_readable(current_user))::int[] or author = current_user
         or workspace is null and (author is null or (select dejavu_rank(current_user, 0)) >= 3))
  with check (true);
alter table dejavu_links enable row level security;
drop policy if exists dejavu_read on dejavu_links;
create policy dejavu_read on dejavu_links
  using ((select dejavu_sees_all(current_user))
         or exists (select from dejavu_conversations c where c.id = conversation))
  with check (true);
alter table dejavu_notes enable row level security;
drop policy if exists dejavu_read on dejavu_notes;
create policy dejavu_read on dejavu_notes
  using ((select dejavu_rank(current_user, null)) > 0) with check (true);
alter table dejavu_workspaces enable row level security;
drop policy if exists dejavu_read on dejavu_workspaces;
create policy dejavu_read on dejavu_workspaces
  using (id = any ((select dejavu_readable(current_user))::int[]));
alter table dejavu_members enable row level security;
drop policy if exists dejavu_read on dejavu_members;
create policy dejavu_read on dejavu_members using (
  workspace is null or workspace = any ((select dejavu_readable(current_user))::int[]));
drop function if exists dejavu_is_rationale(bytea);
