-- Records carry the workspace that they belong to, so that a member's rights are looked up once for a statement
-- and not for each record. Null: not known, and judged one by one (`dejavu_sees`).

alter table dejavu_records add column if not exists workspace int;
-- Until its conversation is there, a record is for those who wrote it and for curators.
alter table dejavu_records add column if not exists writer name;
comment on column dejavu_records.writer is 'Who wrote it, where its conversation was not there.';
comment on column dejavu_records.workspace is 'The workspace of its conversation or source; null where it has none.';

-- Where a record belongs, by its key (dejavu/archive/keys.py): T N O H L of a conversation, R P S of a source.
-- With the caller's rights; the trigger uses the keeper's. An id is ASCII; 'escape' makes text of any bytes.
create or replace function dejavu_place_of_key(key bytea) returns int
language plpgsql stable set search_path from current as $$
declare
  letter int := get_byte(key, 0);
  named bytea;
begin
  if letter in (78, 84) or letter = 76 and get_byte(key, 1) = 99 then
    named := substring(key from case letter when 76 then 3 else 2 end for 8);
  elsif letter = 79 then
    named := substring(key from length(key) - 7);
  elsif letter in (80, 82) then
    named := substring(key from 2 for 8);
  elsif letter = 72 then
    return (select c.workspace from dejavu_conversations c
             where c.id = encode(substring(key from 2), 'escape'));
  elsif letter = 76 and length(key) > 10 then
    return (select c.workspace from dejavu_conversations c
             where c.id = encode(substring(key from 11), 'escape'));
  elsif letter = 83 then
    return (select s.workspace from dejavu_sources s where s.hash = substring(key from 2));
  end if;
  if length(named) <> 8 then return null; end if;
  if letter in (80, 82) then
    return (select s.workspace from dejavu_sources s
             where s.number = ('x' || encode(named, 'hex'))::bit(64)::bigint);
  end if;
  return (select c.workspace from dejavu_conversations c
           where c.number = ('x' || encode(named, 'hex'))::bit(64)::bigint);
end $$;
revoke execute on function dejavu_place_of_key(bytea) from public;

create or replace function dejavu_place_record() returns trigger
language plpgsql security definer set search_path from current as $$
begin
  new.workspace := dejavu_place_of_key(new.key);
  new.writer := case when new.workspace is null and get_byte(new.key, 0) in (72, 76, 78, 79, 84)
    then dejavu_caller() end;
  return new;
end $$;
drop trigger if exists dejavu_place on dejavu_records;
create trigger dejavu_place before insert or update of key, value, workspace on dejavu_records
  for each row execute function dejavu_place_record();
-- Where a record belongs the server itself keeps up; only what a program writes needs a program.
drop trigger if exists dejavu_current on dejavu_records;
create trigger dejavu_current before insert or update of key, value or delete on dejavu_records
  for each statement execute function dejavu_current();

-- A conversation that moves takes its turns and records along, a source its raw.
create or replace function dejavu_moved() returns trigger
language plpgsql security definer set search_path from current as $$
declare number bytea := int8send(new.number);
begin
  perform dejavu_place_sources(array(select source from dejavu_links where conversation = new.id));
  update dejavu_turns set workspace = new.workspace where conversation = new.number;
  update dejavu_parts set workspace = new.workspace where conversation = new.number;
  update dejavu_records set workspace = null where key = any (array[
      '\x4e'::bytea || number, '\x48'::bytea || convert_to(new.id, 'UTF8')] || array(
        select '\x4c73'::bytea || int8send(l.source) || convert_to(new.id, 'UTF8')
          from dejavu_links l where l.conversation = new.id))
    or key >= '\x54'::bytea || number and key < '\x54'::bytea || int8send(new.number + 1)
    or key >= '\x4c63'::bytea || number and key < '\x4c63'::bytea || int8send(new.number + 1)
    or key >= '\x4f' and key < '\x50' and substring(key from length(key) - 7) = number;
  return null;
end $$;

create or replace function dejavu_place_sources(wanted bigint[]) returns void
language plpgsql security definer set search_path from current as $$
declare it record;
begin
  for it in
    update dejavu_sources s set workspace = x.workspace, instance = x.instance
      from (select l.source, (array_agg(c.workspace order by w.private desc, c.workspace))[1] workspace,
                   (array_agg(c.instance order by c.number))[1] instance
              from dejavu_links l
              join dejavu_conversations c on c.id = l.conversation
              join dejavu_workspaces w on w.id = c.workspace
             where l.source = any (wanted) group by l.source) x
     where s.number = x.source
       and (s.workspace is distinct from x.workspace or s.instance is distinct from x.instance)
    returning s.number, s.hash
  loop
    update dejavu_records set workspace = null
     where key in ('\x50'::bytea || int8send(it.number), '\x53'::bytea || it.hash)
        or key >= '\x52'::bytea || int8send(it.number) and key < '\x52'::bytea || int8send(it.number + 1);
  end loop;
end $$;
revoke execute on function dejavu_place_sources(bigint[]) from public;

-- What was written about a conversation goes with it: it quotes its turns.
create or replace function dejavu_forget_rationales() returns trigger
language plpgsql security definer set search_path from current as $$
declare
  before text := current_setting('dejavu.program', true);
  first bytea := '\x56726174696f6e616c6500'::bytea || convert_to(old.id, 'UTF8');
begin
  perform set_config('dejavu.program', coalesce(nullif(before, ''), 'server'), true);
  delete from dejavu_records where key >= first and key < first || '\xffffffffff'::bytea
     and length(key) = length(first) + 4;
  perform set_config('dejavu.program', coalesce(before, ''), true);
  return null;
end $$;
drop trigger if exists dejavu_forget_rationales on dejavu_conversations;
create trigger dejavu_forget_rationales after delete on dejavu_conversations
  for each row execute function dejavu_forget_rationales();
update dejavu_records set workspace = null where get_byte(key, 0) in (72, 76, 78, 79, 80, 82, 83, 84);
