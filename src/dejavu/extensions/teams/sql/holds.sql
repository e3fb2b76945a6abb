-- Legal hold and retention: run by `dejavu team init` after rights.sql, and again without harm.
-- What is under a hold cannot be deleted by anybody; what is written over is kept beside it.

create table if not exists dejavu_holds (
  number bigint generated always as identity primary key,
  workspace int references dejavu_workspaces,
  conversation text collate "C",
  reason text not null check (reason <> ''),
  at timestamptz not null default clock_timestamp(),
  by name not null default session_user,
  check ((workspace is null) <> (conversation is null))
);
create unique index if not exists dejavu_holds_one
  on dejavu_holds (coalesce(workspace, 0), coalesce(conversation, ''));

-- Days after which a conversation may go; workspace null: of every workspace that has no own.
create table if not exists dejavu_retention (
  workspace int references dejavu_workspaces,
  days int not null check (days > 0),
  at timestamptz not null default clock_timestamp(),
  by name not null default session_user
);
create unique index if not exists dejavu_retention_one on dejavu_retention (coalesce(workspace, 0));

-- Records as they were before they were written over or taken away while they were held.
create table if not exists dejavu_held_records (
  number bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  login name not null default session_user,
  action text not null,
  conversation bigint,
  source bigint,
  key bytea not null,
  value bytea not null
);

alter table dejavu_holds enable row level security;
drop policy if exists dejavu_read on dejavu_holds;
create policy dejavu_read on dejavu_holds using (dejavu_rank(current_user, coalesce(workspace,
  (select c.workspace from dejavu_conversations c where c.id = conversation), 0)) >= 3);
alter table dejavu_retention enable row level security;
drop policy if exists dejavu_read on dejavu_retention;
create policy dejavu_read on dejavu_retention using (
  workspace is null or workspace = any ((select dejavu_readable(current_user))::int[]));
grant select on dejavu_holds to {curator};
grant select on dejavu_retention to {reader};

-- Why a conversation, or one that a source belongs to, is held; null where it is not. For the triggers
-- alone: whoever else asks is answered by dejavu_hold_of.
create or replace function dejavu_hold_reason(wanted bigint, part_of bigint) returns text
language sql stable security definer set search_path from current as $$
  with named as (
    select c.id, c.workspace from dejavu_conversations c where c.number = wanted
    union all
    select c.id, c.workspace from dejavu_links l join dejavu_conversations c on c.id = l.conversation
     where l.source = part_of)
  select h.reason from named n join dejavu_workspaces w on w.id = n.workspace
    join dejavu_holds h on h.conversation = n.id or h.workspace = n.workspace or h.workspace = any (w.within)
   order by h.number limit 1
$$;
revoke execute on function dejavu_hold_reason(bigint, bigint) from public;

-- The reason of a hold for those who may see holds; that there is one for the others who may read it.
create or replace function dejavu_hold_of(wanted bigint, part_of bigint) returns text
language sql stable security definer set search_path from current as $$
  with places as (
    select dejavu_rank(session_user, c.workspace) as rank from dejavu_conversations c
     where c.number = wanted
    union all
    select dejavu_rank(session_user, c.workspace) from dejavu_links l
      join dejavu_conversations c on c.id = l.conversation where l.source = part_of)
  select case when (select min(rank) from places) >= 3 then dejavu_hold_reason(wanted, part_of)
              when (select min(rank) from places) > 0
                   and dejavu_hold_reason(wanted, part_of) is not null
              then 'a legal hold; curators see its reason' end
$$;

drop function if exists dejavu_refuse_held(text, text);
create or replace function dejavu_refuse_held(what text, why text, place int) returns void
language plpgsql set search_path from current as $$
begin
  if dejavu_rank(session_user, place) < 3 then why := 'curators see the reason'; end if;
  raise exception '% is under legal hold: %', what, why using errcode = 'DV001';
end $$;

-- A summary, or a note of a prune, is what deleting begins with; all else is kept as it was.
create or replace function dejavu_hold_records() returns trigger
language plpgsql security definer set search_path from current as $$
declare
  it record;
  why text;
  gone boolean := tg_op = 'DELETE';
begin
  if tg_op = 'UPDATE' and old.value = new.value and old.key = new.key
     or not exists (select from dejavu_holds) then
    return case when gone then old else new end;
  end if;
  if tg_op = 'INSERT' then it := dejavu_record_of(new.key);
  else it := dejavu_record_of(old.key); end if;
  why := dejavu_hold_reason(it.conversation, it.source);
  if why is not null and (it.letter = 'X' and not gone
     or it.letter in ('H', 'N') and (gone or tg_op = 'UPDATE' and old.key <> new.key)) then
    perform dejavu_refuse_held(coalesce((select id from dejavu_conversations
      where number = it.conversation), 'what is deleted'), why,
      (select workspace from dejavu_conversations where number = it.conversation));
  elsif why is not null and tg_op <> 'INSERT' then
    insert into dejavu_held_records (action, conversation, source, key, value)
      values (lower(tg_op), it.conversation, it.source, old.key, old.value);
  end if;
  return case when gone then old else new end;
end $$;
drop trigger if exists dejavu_hold on dejavu_records;
create trigger dejavu_hold before update or delete on dejavu_records
  for each row execute function dejavu_hold_records();
drop trigger if exists dejavu_hold_prune on dejavu_records;
create trigger dejavu_hold_prune before insert on dejavu_records
  for each row when (substring(new.key from 1 for 1) = '\x58')
  execute function dejavu_hold_records();

create or replace function dejavu_hold_conversations() returns trigger
language plpgsql security definer set search_path from current as $$
declare
  why text;
begin
  if tg_op = 'DELETE' or old.number <> new.number or old.id <> new.id
     or old.workspace <> new.workspace then
    why := dejavu_hold_reason(old.number, null);
    if why is not null then perform dejavu_refuse_held(old.id, why, old.workspace); end if;
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end $$;
drop trigger if exists dejavu_hold on dejavu_conversations;
create trigger dejavu_hold before update or delete on dejavu_conversations
  for each row execute function dejavu_hold_conversations();

-- A source that belongs to nothing would be held by nothing.
create or replace function dejavu_hold_links() returns trigger
language plpgsql security definer set search_path from current as $$
declare
  why text := dejavu_hold_reason(
    (select number from dejavu_conversations where id = old.conversation), null);
begin
  if why is not null and not dejavu_is_owner(session_user) then
    perform dejavu_refuse_held(old.conversation, why,
      (select workspace from dejavu_conversations where id = old.conversation));
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end $$;
drop trigger if exists dejavu_hold on dejavu_links;
create trigger dejavu_hold before update or delete on dejavu_links
  for each row execute function dejavu_hold_links();

create or replace function dejavu_hold_all() returns trigger
language plpgsql security definer set search_path from current as $$
begin
  if exists (select from dejavu_holds) then
    perform dejavu_refuse_held('a part of ' || tg_table_name, (select min(reason) from dejavu_holds),
                               0);
  end if;
  return null;
end $$;
do $$
declare one text;
begin
  foreach one in array array['records', 'conversations', 'links', 'held_records', 'holds'] loop
    execute format('drop trigger if exists dejavu_hold_all on dejavu_%s', one);
    execute format('create trigger dejavu_hold_all before truncate on dejavu_%s '
                   'for each statement execute function dejavu_hold_all()', one);
  end loop;
end $$;

-- Kept copies go with the hold they were kept for, which the audit tells: no one takes one before.
create or replace function dejavu_hold_copies() returns trigger
language plpgsql security definer set search_path from current as $$
declare
  why text := dejavu_hold_reason(old.conversation, old.source);
begin
  if tg_op = 'UPDATE' or why is not null then
    perform dejavu_refuse_held('a kept copy', coalesce(why, 'copies are not changed'), 0);
  end if;
  return old;
end $$;
drop trigger if exists dejavu_hold on dejavu_held_records;
create trigger dejavu_hold before update or delete on dejavu_held_records
  for each row execute function dejavu_hold_copies();

create or replace function dejavu_audit_holds() returns trigger
language plpgsql security definer set search_path from current as $$
declare
  it dejavu_holds := case when tg_op = 'DELETE' then old else new end;
begin
  perform dejavu_note(case tg_op when 'DELETE' then 'release' when 'INSERT' then 'hold'
      else 'change hold' end,
    coalesce(it.conversation, (select name from dejavu_workspaces where id = it.workspace)),
    coalesce(it.workspace,
      (select c.workspace from dejavu_conversations c where c.id = it.conversation)),
    jsonb_build_object('reason', it.reason));
  return null;
end $$;
drop trigger if exists dejavu_audit on dejavu_holds;
create trigger dejavu_audit after insert or update or delete on dejavu_holds
  for each row execute function dejavu_audit_holds();

create or replace function dejavu_audit_retention() returns trigger
language plpgsql security definer set search_path from current as $$
declare
  it dejavu_retention := case when tg_op = 'DELETE' then old else new end;
begin
  perform dejavu_note('set retention',
    coalesce((select name from dejavu_workspaces where id = it.workspace), 'every workspace'),
    it.workspace, jsonb_build_object('days', case when tg_op <> 'DELETE' then it.days end));
  return null;
end $$;
drop trigger if exists dejavu_audit on dejavu_retention;
create trigger dejavu_audit after insert or update or delete on dejavu_retention
  for each row execute function dejavu_audit_retention();

-- A project or folder with conversations that the caller may read, or decides about.
create or replace function dejavu_known_workspace(place text) returns int
language plpgsql security definer set search_path from current as $$
declare
  mine int[] := dejavu_readable(session_user);
begin
  if not exists (select from dejavu_workspaces w
                  where (w.name = place or w.project = place or starts_with(w.project, place || '/'))
                    and (w.id = any (mine) or dejavu_decides(session_user, w.id))) then
    raise exception 'no conversation was held in %', place using errcode = 'undefined_object',
      hint = '`dejavu stats --by project` lists the projects';
  end if;
  return dejavu_named_place(place);
end $$;

-- The conversation with this id, or the one whose id begins so, of those that the caller may read; the
-- workspace it is of.
create or replace function dejavu_known_conversation(wanted text, out id text, out place int)
language plpgsql stable security definer set search_path from current as $$
declare
  found int;
  places int[] := dejavu_readable(session_user);
begin
  select count(*), min(c.id), min(c.workspace) into found, id, place from (
    select * from dejavu_conversations x where x.id = wanted and x.workspace = any (places)
     union select * from dejavu_conversations x
      where x.workspace = any (places) and starts_with(x.id, wanted)
       and not exists (select from dejavu_conversations y
                        where y.id = wanted and y.workspace = any (places)) limit 2) c;
  if found <> 1 then
    raise exception '% begin with %', case found when 0 then 'no ids of conversations'
      else 'ids of several conversations' end, wanted using errcode = 'undefined_object', hint = '`dejavu list` shows the ids';
  end if;
end $$;

create or replace function dejavu_hold(wanted text, place text, why text) returns text
language plpgsql security definer set search_path from current as $$
declare
  spot int;
  named text;
begin
  if wanted is null then spot := dejavu_known_workspace(place);
  else select c.id, c.place into named, spot from dejavu_known_conversation(wanted) c; end if;
  if not dejavu_decides(session_user, spot) then
    perform dejavu_refuse('place a hold', session_user, 'an owner');
  end if;
  insert into dejavu_holds (workspace, conversation, reason)
    values (case when named is null then spot end, named, why)
    on conflict (coalesce(workspace, 0), coalesce(conversation, ''))
    do update set reason = excluded.reason, at = clock_timestamp(), by = session_user;
  return coalesce(named, place);
end $$;

-- Ends a hold; what was kept for no other one goes. How many records that were.
create or replace function dejavu_release(wanted text, place text) returns bigint
language plpgsql security definer set search_path from current as $$
declare
  spot int;
  named text;
  gone bigint;
begin
  if wanted is null then spot := dejavu_known_workspace(place);
  else select c.id, c.place into named, spot from dejavu_known_conversation(wanted) c; end if;
  if not dejavu_decides(session_user, spot) then
    perform dejavu_refuse('end a hold', session_user, 'an owner');
  end if;
  delete from dejavu_holds where named is null and workspace = spot or conversation = named;
  if not found then
    raise exception '% is under no hold of its own', coalesce(named, place)
      using errcode = 'undefined_object';
  end if;
  delete from dejavu_held_records where dejavu_hold_reason(conversation, source) is null;
  get diagnostics gone = row_count;
  return gone;
end $$;

create or replace function dejavu_set_retention(place text, wanted int) returns void
language plpgsql security definer set search_path from current as $$
declare spot int;
begin
  if place is not null then spot := dejavu_known_workspace(place); end if;
  if not dejavu_decides(session_user, coalesce(spot, 0)) then
    perform dejavu_refuse('set how long is kept', session_user, 'an owner');
  end if;
  if wanted is null then
    delete from dejavu_retention where workspace is not distinct from spot;
  else
    insert into dejavu_retention (workspace, days) values (spot, wanted)
      on conflict (coalesce(workspace, 0))
      do update set days = excluded.days, at = clock_timestamp(), by = session_user;
  end if;
end $$;

-- What is beyond its retention by the server's clock, the oldest first: a folder's own counts before that of its
-- project, the nearest first, and that before the one of the archive. Under the caller's rights.
create or replace function dejavu_due() returns table (conversation text, place text, days int, before float8)
language sql stable set search_path from current as $$
  select c.id, k.place, k.days, extract(epoch from clock_timestamp() - make_interval(days => k.days))::float8
    from (
      select w.id, coalesce(r.place, w.name) as place, r.days
        from dejavu_workspaces w, lateral (
          select r.days, o.name as place
            from dejavu_retention r left join dejavu_workspaces o on o.id = r.workspace
           where r.workspace is null or r.workspace = w.id or r.workspace = any (w.within)
           order by (r.workspace is not null and not o.is_project) desc, r.workspace is null,
                    array_position(w.within, r.workspace) limit 1) r) k
    join dejavu_conversations c on c.workspace = k.id
   where coalesce(c.ended_at, c.started_at, c.captured_at) < clock_timestamp() - make_interval(days => k.days)
   order by k.place, coalesce(c.ended_at, c.started_at, c.captured_at), c.number
$$;

-- What the retention of a workspace took, beside the line of each conversation.
create or replace function dejavu_note_retention(place text, days int, gone int) returns void
language plpgsql security definer set search_path from current as $$
declare
  spot int := (select w.id from dejavu_workspaces w
                where (w.name = place or w.project = place) and dejavu_rank(session_user, w.id) >= 3
                order by w.part_of is not null, w.id limit 1);
begin
  if spot is null then perform dejavu_refuse('apply retention', session_user); end if;
  perform dejavu_note('apply retention', place, spot,
                      jsonb_build_object('days', days, 'conversations', gone));
end $$;

-- What only triggers and other functions of ours call. A member could hang a trigger function on a table
-- of their own and have it act on rows that they made up.
do $$
declare one regprocedure;
begin
  for one in
    select p.oid::regprocedure from pg_proc p
      join pg_class c on c.oid = 'dejavu_records'::regclass and c.relnamespace = p.pronamespace
     where starts_with(p.proname, 'dejavu_') and p.proowner = c.relowner
       and (p.prorettype = 'trigger'::regtype or p.proname in ('dejavu_record_of',
            'dejavu_known_workspace', 'dejavu_known_conversation', 'dejavu_hold_reason'))
  loop
    execute format('revoke execute on function %s from public', one);
  end loop;
end $$;
